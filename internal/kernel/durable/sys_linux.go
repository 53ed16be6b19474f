package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

func renameNoReplace(from, to string) error { return renameFlags(from, to, unix.RENAME_NOREPLACE) }

func exchange(a, b string) error { return renameFlags(a, b, unix.RENAME_EXCHANGE) }

func renameFlags(from, to string, flags uint) error {
	if err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
