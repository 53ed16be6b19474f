package journal

import "io/fs"

// Windows opens no link by accident here, since the name is looked at first,
// and a file opened for appending could not be cut back after a failed write.
const (
	guarded   = 0
	appending = 0
)

// Who may write or read a file is in its access list, which it inherits from
// the user's own folder; mode bits do not show it.
func isWritableByOthers(fs.FileInfo) bool { return false }

func isReadableByOthers(fs.FileInfo) bool { return false }
