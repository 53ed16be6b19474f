package proc

import "golang.org/x/sys/unix"

// bond ends the child's process group when this process ends in any way, also by
// SIGKILL, when nobody is left to do it. The parent-death signal reaches the
// leader alone.
//
// It is a pipe of which this process holds both ends and nobody else any. Each
// end asks the kernel to send SIGKILL to the group when the other one is closed,
// which is what happens to both when the process ends; so it does not matter which
// is first. What left the group is found by the next call, as ever.
type bond struct {
	ends  [2]int
	ready chan struct{}
}

// tie is done by another thread: the one of the run is confined, and there the
// kernel would ask whether the sender may signal at all.
func tie(group int) *bond {
	b := &bond{ends: [2]int{-1, -1}, ready: make(chan struct{})}
	go func() {
		defer close(b.ready)
		if unix.Pipe2(b.ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK) != nil {
			return // the leader's own parent-death signal remains
		}
		for _, fd := range b.ends {
			for _, step := range [...][2]int{
				{unix.F_SETSIG, int(unix.SIGKILL)},
				{unix.F_SETOWN, -group},
				{unix.F_SETFL, unix.O_ASYNC | unix.O_NONBLOCK},
			} {
				_, _ = unix.FcntlInt(uintptr(fd), step[0], step[1])
			}
		}
	}()
	return b
}

// release takes the bond back before the group's number is given up.
func (b *bond) release() {
	if b == nil {
		return
	}
	<-b.ready
	for _, fd := range b.ends {
		if fd >= 0 {
			_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_NONBLOCK)
		}
	}
	for _, fd := range b.ends {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
