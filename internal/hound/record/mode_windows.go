package record

import "io/fs"

// isRecordMode reports whether a mode is one that a file of a record may have.
// Windows has no permission bits to look at.
func isRecordMode(mode fs.FileMode) bool { return mode.IsRegular() }
