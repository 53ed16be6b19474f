//go:build !windows

package accessfile

import "syscall"

// openFlags follow no link and never wait on a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
