package proc

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// notice tells the polling thread that the leader has ended, without reaping it.
type notice struct {
	pidfd int // readable once the leader has ended; -1 where there is none
	gone  atomic.Bool
}

// watch uses the leader's process descriptor, or, on kernels that have none, a
// goroutine that waits without reaping and rings.
func watch(c child, b *bell) *notice {
	n := &notice{pidfd: c.pidfd}
	if c.pidfd >= 0 {
		return n
	}
	go func() {
		for unix.Waitid(unix.P_PID, c.pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
		n.gone.Store(true)
		b.ring()
	}()
	return n
}

func (n *notice) close() {
	if n.pidfd >= 0 {
		unix.Close(n.pidfd)
	}
}
