package record

import (
	"io/fs"
	"os"
)

// openNoLink opens what has this name unless it is a link.
func openNoLink(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	return os.Open(path)
}

// isRecordMode reports whether a mode is one that a file of a record may have.
// Windows has no permission bits to look at.
func isRecordMode(mode fs.FileMode) bool { return mode.IsRegular() }

// isAsWritten reports whether a file is one as records are written.
func isAsWritten(file fs.FileInfo) bool { return file.Mode().IsRegular() }

// agree has nothing to compare on Windows.
func agree(fs.FileMode, fs.FileMode) bool { return true }
