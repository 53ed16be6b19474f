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

// isRecordMode reports whether a mode is one that a file of a record may have, or
// of a copy of it: nobody may run it, and not everybody write it. A group may, where
// a copy has the mask of users with a group each (0664 in 0775): what is written by
// it shows by the hashes, or, in a whole that agrees, by an anchor alone.
func isRecordMode(mode fs.FileMode) bool {
	return mode.IsRegular() && mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) == 0 && mode.Perm()&0o113 == 0
}

// agree reports whether a file of a record has the mode that it was written with,
// or, in a copy, the one that goes with the mode of the copy's directory: who
// copies a tree, as git, tar and cp do, gives both by one mask. A file that was
// re-moded afterwards has another one than the directory tells.
func agree(file, dir fs.FileMode) bool {
	const othersWrite, execute = 0o002, 0o111
	if file.Perm() == filePerm {
		return dir.Perm()&othersWrite == 0
	}
	return file.Perm() == dir.Perm()&^execute
}

// isAsWritten reports whether a file has the mode that records are written with,
// and no other name: by one outside of the record it could be changed later.
func isAsWritten(file fs.FileInfo) bool {
	at, ok := file.Sys().(*syscall.Stat_t)
	return ok && file.Mode() == filePerm && at.Nlink == 1
}
