package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

func renameNoReplace(from, to string) error { return renameFlags(from, to, unix.RENAME_EXCL) }

func exchange(a, b string) error { return renameFlags(a, b, unix.RENAME_SWAP) }

func renameFlags(from, to string, flags uint32) error {
	if err := unix.RenamexNp(from, to, flags); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
