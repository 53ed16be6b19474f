//go:build unix

package git

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile returns the content of a file that nobody changes once it has its
// name, without reading what is not asked for.
func mapFile(f *os.File, size int) ([]byte, func(), error) {
	if size == 0 {
		return nil, func() {}, nil
	}
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return data, func() { _ = unix.Munmap(data) }, nil
}
