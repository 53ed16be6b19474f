//go:build !unix

package git

import (
	"io"
	"os"
)

// mapFile returns the content of a file.
func mapFile(f *os.File, size int) ([]byte, func(), error) {
	data := make([]byte, size)
	_, err := io.ReadFull(f, data)
	return data, func() {}, err
}
