//go:build unix

package record

import "io/fs"

// isRecordMode reports whether a mode is one that a file of a record may have.
func isRecordMode(mode fs.FileMode) bool {
	return mode.IsRegular() && mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) == 0 && mode.Perm()&0o133 == 0
}

// isWrittenMode reports whether a mode is the one that records are written with.
func isWrittenMode(mode fs.FileMode) bool { return mode == filePerm }
