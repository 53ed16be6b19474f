package accessfile

import "io/fs"

const openFlags = 0

// writableByOthers cannot be told from a mode here; the store's folder is the
// user's own.
func writableByOthers(fs.FileInfo) bool { return false }
