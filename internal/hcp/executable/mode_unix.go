//go:build unix

package executable

import "syscall"

// enforceModes says whether permission bits mean something here.
const enforceModes = true

// openFlags make an open follow no link and wait for no writer.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC
