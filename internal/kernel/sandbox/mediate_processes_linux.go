//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A call on other processes is made for threads of the caller and for processes of
// the caller's session, and refused for all others. What proc starts begins a
// session, which nobody can join from outside: all in it are confined. The session
// of the mediator's own process says nothing, so in there only threads count.
//
// The mediator makes the call itself. Were the caller let through, it could wait,
// starved by its own doing, until the number stands for another process.

// deed is a call on other processes that was understood.
type deed struct {
	call   uintptr
	args   [6]uintptr
	target int
	group  bool // target is a process group
	// reply is where the caller wants what the call tells, 0 for nowhere.
	reply uint64
}

// Places in the mediator's memory for what a call reads and writes.
const (
	scratchSize = 4096 // the kernel takes no larger argument of these calls
	replyAt     = 64
	limitSize   = 16
)

// onProcesses answers a call on other processes; known says whether it is one.
func (m *Mediator) onProcesses(n *notification) (known bool, errno unix.Errno) {
	d := deed{call: uintptr(uint32(n.nr)), target: int(int32(n.args[0]))} //nolint:gosec // the kernel reads the low half as well
	for i, arg := range n.args {
		d.args[i] = uintptr(arg)
	}
	switch d.call {
	case unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET:
		errno = d.named(n)
	case unix.SYS_SCHED_SETPARAM:
		errno = m.take(&d, n, 1, 4)
	case unix.SYS_SCHED_SETSCHEDULER:
		errno = m.take(&d, n, 2, 4)
	case unix.SYS_SCHED_SETAFFINITY:
		d.args[1] = min(uintptr(uint32(n.args[1])), scratchSize)
		errno = m.take(&d, n, 2, int(d.args[1]))
	case unix.SYS_SCHED_SETATTR:
		errno = m.takeSized(&d, n)
	case unix.SYS_PRLIMIT64:
		if n.args[2] != 0 {
			errno = m.take(&d, n, 2, limitSize)
		}
		if d.reply = n.args[3]; d.reply != 0 {
			d.args[3] = m.scratchPointer(replyAt)
		}
	default:
		return false, 0
	}
	if errno == 0 {
		errno = m.perform(&d, n)
	}
	return true, errno
}

// named understands a call that says what kind of number it has.
func (d *deed) named(n *notification) unix.Errno {
	kind := uint32(n.args[0])        //nolint:gosec // the kernel reads the low half as well
	d.target = int(int32(n.args[1])) //nolint:gosec // the kernel reads the low half as well
	if d.call == unix.SYS_SETPRIORITY {
		d.group = kind == unix.PRIO_PGRP
	} else {
		d.group = kind == ioprioGroup
	}
	if d.group && d.target == 0 {
		own, err := unix.Getpgid(int(n.pid))
		if err != nil {
			return unix.EPERM
		}
		d.target, d.args[1] = own, uintptr(own)
	}
	return 0
}

// take copies what an argument points to, once.
func (m *Mediator) take(d *deed, n *notification, arg, size int) unix.Errno {
	if errno := memory(n.pid).fill(m.scratch[:size], n.args[arg]); errno != 0 {
		return errno
	}
	d.args[arg] = m.scratchPointer(0)
	return 0
}

// takeSized copies a structure that begins with its own size.
func (m *Mediator) takeSized(d *deed, n *notification) unix.Errno {
	const smallest = 48
	if errno := m.take(d, n, 1, 4); errno != 0 {
		return errno
	}
	size := binary.NativeEndian.Uint32(m.scratch)
	if size == 0 {
		size = smallest
	}
	if size < smallest || size > scratchSize {
		return unix.E2BIG
	}
	errno := m.take(d, n, 1, int(size))
	// The caller may have written another size meanwhile.
	binary.NativeEndian.PutUint32(m.scratch, size)
	return errno
}

// scratchPointer is an address in memory of the heap, which does not move.
func (m *Mediator) scratchPointer(at int) uintptr { return uintptr(unsafe.Pointer(&m.scratch[at])) }

// perform makes the call, if it is about the caller's own.
func (m *Mediator) perform(d *deed, n *notification) unix.Errno {
	if !d.own(int(n.pid)) {
		return unix.EPERM
	}
	if errno := m.stillWaits(n); errno != 0 {
		return errno
	}
	_, _, errno := unix.Syscall6(d.call, d.args[0], d.args[1], d.args[2], d.args[3], d.args[4], d.args[5])
	runtime.KeepAlive(m)
	if errno == 0 && d.reply != 0 {
		return memory(n.pid).put(m.scratch[replyAt:replyAt+limitSize], d.reply)
	}
	return errno
}

// own says whether the target is a thread of the caller, or in its session.
func (d *deed) own(caller int) bool {
	if d.target <= 0 {
		return false
	}
	if !d.group && unix.Access("/proc/"+strconv.Itoa(caller)+"/task/"+strconv.Itoa(d.target), unix.F_OK) == nil {
		return true
	}
	session, err := unix.Getsid(caller)
	if err != nil {
		return false
	}
	if ours, err := unix.Getsid(0); err != nil || session == ours {
		return false
	}
	member := d.target
	if d.group {
		// A group is in one session as a whole; one that lost its first process is
		// known to its members only.
		if own, err := unix.Getpgid(caller); err == nil && own == d.target {
			return true
		}
		if leads, err := unix.Getpgid(member); err != nil || leads != d.target {
			return false
		}
	}
	theirs, err := unix.Getsid(member)
	return err == nil && theirs == session
}

// put writes to the caller.
func (m memory) put(what []byte, at uint64) unix.Errno {
	local := []unix.Iovec{{Base: &what[0]}}
	local[0].SetLen(len(what))
	n, err := unix.ProcessVMWritev(int(m), local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(what)}}, 0)
	if err != nil || n != len(what) {
		return unix.EFAULT
	}
	return 0
}
