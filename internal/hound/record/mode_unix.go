//go:build unix

package record

import (
	"io/fs"
	"os"
	"syscall"
)

// openNoLink opens what has this name itself, not what it may lead to. It does
// not wait for the other end of a pipe.
func openNoLink(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// isRecordMode reports whether a mode is one that a file of a record may have.
func isRecordMode(mode fs.FileMode) bool {
	return mode.IsRegular() && mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) == 0 && mode.Perm()&0o133 == 0
}

// isWrittenMode reports whether a mode is the one that records are written with.
func isWrittenMode(mode fs.FileMode) bool { return mode == filePerm }
