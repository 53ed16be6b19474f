//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// enforceModes says whether permission bits mean something here.
const enforceModes = true

// openFlags make an open follow no link and wait for no writer.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC

func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
