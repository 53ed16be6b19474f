//go:build unix

package journal

import (
	"io/fs"
	"os"
	"syscall"
)

const (
	// guarded flags make opening a link an error and never wait for a FIFO.
	guarded = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	// appending keeps even a program without our lock from writing over lines.
	appending = os.O_APPEND
)

// isWritableByOthers reports whether someone but this user and root can write
// the file.
func isWritableByOthers(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || canOthersWrite(info.Mode(), int(st.Uid), os.Geteuid())
}

func canOthersWrite(mode fs.FileMode, owner, me int) bool {
	return mode.Perm()&0o022 != 0 || owner != me && owner != 0 && me != 0
}

func isReadableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
