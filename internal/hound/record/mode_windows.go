package record

import "io/fs"

// isRecordMode reports whether a mode is one that a file of a record may have.
// Windows has no permission bits to look at.
func isRecordMode(mode fs.FileMode) bool { return mode.IsRegular() }

// isWrittenMode reports whether a mode is the one that records are written with.
func isWrittenMode(mode fs.FileMode) bool { return mode.IsRegular() }
