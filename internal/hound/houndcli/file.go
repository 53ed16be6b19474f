package houndcli

import (
	"errors"
	"fmt"
	"os"

	"bridle/hound"
	"bridle/internal/hound/document"
)

var errNotThere = errors.New("there is no such file in the commit")

// readWithMode returns a regular file and its mode. A link is none.
func readWithMode(path string) ([]byte, string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, "", err
	}
	if !info.Mode().IsRegular() {
		return nil, "", errNotThere
	}
	body, err := document.Read(path, hound.CodeUnreadable, hound.ExitFailed)
	return body, fmt.Sprintf("%04o", info.Mode().Perm()), err
}
