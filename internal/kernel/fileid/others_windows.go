package fileid

import "io/fs"

// A mode does not tell here.
func othersMayWrite(fs.FileInfo) bool { return false }
