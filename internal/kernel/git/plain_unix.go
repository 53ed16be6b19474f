//go:build unix

package git

import "syscall"

// nonBlocking keeps an open of a pipe that nobody writes from waiting.
const nonBlocking = syscall.O_NONBLOCK
