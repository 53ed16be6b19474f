package approval

import "io/fs"

// writableByOthers cannot be told from a mode here; the store's folder is the
// user's own.
func writableByOthers(fs.FileInfo) bool { return false }
