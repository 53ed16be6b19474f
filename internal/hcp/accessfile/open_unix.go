//go:build !windows

package accessfile

import (
	"io/fs"
	"syscall"
)

// openFlags follow no link and never wait on a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func writableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }
