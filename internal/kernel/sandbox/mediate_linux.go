//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock does not decide about the mode, owner, times and extended attributes
// of files, nor about priorities and limits of processes (for those see
// mediate_processes_linux.go). The filter therefore sends the calls that change them to a Mediator
// in the process that started the program, which decides by the same rule as for
// content: only below what the profile grants for writing.
//
// The kernel stops the calling thread meanwhile. The mediator reads the path from
// its memory once, opens the file itself, looks where that file is in the tree,
// makes sure that the thread is still the one that asked, and changes the file
// that it holds open. Nothing that the program does in between, to its memory or
// to the tree, can lead the change elsewhere. The change is made with the rights
// that the program has: by the same user, with the same few capabilities.
//
// A program that never makes such a call pays nothing.

// Mediator answers for one confinement.
type Mediator struct {
	listener int
	// writable are the granted places by where they really are.
	writable []string
	// scratch is what calls on other processes read and write.
	scratch []byte
}

// Descriptor becomes readable when somebody waits for an answer.
func (m *Mediator) Descriptor() int { return m.listener }

// Close ends the mediation: calls made from now on fail as if the kernel had
// none of them.
func (m *Mediator) Close() {
	if m != nil && m.listener >= 0 {
		_ = unix.Close(m.listener)
		m.listener = -1
	}
}

// notification and answer are what the kernel reads and writes
// (struct seccomp_notif and seccomp_notif_resp).
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

type answer struct {
	id    uint64
	val   int64
	err   int32
	flags uint32
}

// Serve answers until stop becomes readable or nobody is left to ask. It takes
// rights away from its thread, which must be locked, be none that is confined,
// and end afterwards.
func (m *Mediator) Serve(stop int) error {
	if err := dropCapabilities(); err != nil {
		return err // whoever asks is refused when the mediator is closed
	}
	m.scratch = make([]byte, scratchSize)
	for {
		fds := [2]unix.PollFd{{Fd: int32(m.listener), Events: unix.POLLIN}, {Fd: int32(stop), Events: unix.POLLIN}} //nolint:gosec // descriptors are small
		if _, err := unix.Ppoll(fds[:], nil, nil); err != nil {
			continue // interrupted
		}
		if fds[1].Revents != 0 || fds[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0 {
			return nil
		}
		var n notification
		if control(m.listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) != 0 {
			continue // it was ended, or interrupted, before it could be heard
		}
		a := answer{id: n.id}
		if errno := m.decide(&n); errno != 0 {
			a.err = -int32(errno) //nolint:gosec // error numbers are small
		}
		control(m.listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)) // who is gone needs no answer
	}
}

func control(fd int, request uintptr, data unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(data))
	return errno
}

// decide makes the change that was asked for, or says why not.
func (m *Mediator) decide(n *notification) unix.Errno {
	if known, errno := m.onProcesses(n); known {
		return errno
	}
	asked, errno := m.read(n)
	if errno != 0 {
		return errno
	}
	file, errno := asked.open()
	if errno != 0 {
		return errno
	}
	defer unix.Close(file)
	if !m.mayChange(file) {
		return unix.EPERM
	}
	if errno := m.stillWaits(n); errno != 0 {
		return errno
	}
	return asked.change(file)
}

// stillWaits: what was read came from the thread that asked, if it still waits.
func (m *Mediator) stillWaits(n *notification) unix.Errno {
	if id := n.id; control(m.listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&id)) != 0 {
		return unix.EINTR
	}
	return 0
}

// mayChange looks where a file is. One that is in no tree, such as a pipe or
// memory, belongs to whoever holds it.
func (m *Mediator) mayChange(file int) bool {
	at := placeInTree(file)
	if at == "" {
		return false
	}
	if at[0] != '/' || strings.HasPrefix(at, "/memfd:") {
		return true
	}
	return slices.ContainsFunc(m.writable, func(dir string) bool { return within(at, dir) })
}

// placeInTree is the path of an open file, by the kernel's own account.
func placeInTree(fd int) string {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlink(ownDescriptor(fd), buf)
	if err != nil || n == len(buf) {
		return ""
	}
	return string(buf[:n])
}

func ownDescriptor(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// request is a call that was understood.
type request struct {
	caller string // its directory in /proc
	// fd is the descriptor that the call names, atWorkDir for the working
	// directory; path is relative to it, or absolute. With own, the descriptor is
	// the file.
	fd     int
	path   string
	own    bool
	follow bool
	change func(file int) unix.Errno
}

const atWorkDir = unix.AT_FDCWD

// open opens the file without a right to anything but to name it.
func (r *request) open() (int, unix.Errno) {
	if !r.own {
		if fd, ok := r.descriptorByName(); ok {
			r.fd, r.own = fd, true
		}
	}
	base := unix.AT_FDCWD
	if r.own || !strings.HasPrefix(r.path, "/") {
		name := r.caller + "/cwd"
		if r.fd != atWorkDir {
			if r.fd < 0 {
				return -1, unix.EBADF
			}
			name = r.caller + "/fd/" + strconv.Itoa(r.fd)
		}
		fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
		switch {
		case err == unix.ENOENT:
			return -1, unix.EBADF
		case err != nil:
			return -1, unix.EPERM // a program that hides itself gets nothing changed
		case r.own:
			return fd, 0
		}
		base = fd
		defer unix.Close(fd)
	}
	// Links that lead by magic would lead from us, not from the caller.
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	if !r.follow {
		how.Flags |= unix.O_NOFOLLOW
	}
	fd, err := unix.Openat2(base, r.path, &how)
	if err != nil {
		return -1, errnoOf(err)
	}
	return fd, 0
}

// descriptorByName knows the names in /proc by which libraries reach a
// descriptor of their own process.
func (r *request) descriptorByName() (int, bool) {
	if !r.follow {
		return 0, false
	}
	for _, prefix := range []string{"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/", r.caller + "/fd/"} {
		if digits, ok := strings.CutPrefix(r.path, prefix); ok {
			fd, err := strconv.ParseUint(digits, 10, 31)
			return int(fd), err == nil
		}
	}
	return 0, false
}

func errnoOf(err error) unix.Errno {
	if errno, ok := err.(unix.Errno); ok { //nolint:errorlint // the package returns nothing else
		return errno
	}
	return unix.EPERM
}

// memory reads from the caller.
type memory int

// text reads a string that ends within the limit.
func (m memory) text(at uint64, limit int) (string, unix.Errno) {
	buf := make([]byte, 0, 256)
	for len(buf) < limit {
		// Up to the end of a page at a time: the next one may not be there.
		size := min(int(4096-at%4096), limit-len(buf))
		part := make([]byte, size)
		if errno := m.fill(part, at); errno != 0 {
			return "", errno
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(buf, part[:end]...)), 0
		}
		buf = append(buf, part...)
		at += uint64(size)
	}
	return "", unix.ENAMETOOLONG
}

func (m memory) fill(into []byte, at uint64) unix.Errno {
	if len(into) == 0 {
		return 0
	}
	if at == 0 || at > math.MaxInt64 {
		return unix.EFAULT
	}
	local := []unix.Iovec{{Base: &into[0]}}
	local[0].SetLen(len(into))
	n, err := unix.ProcessVMReadv(int(m), local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(into)}}, 0)
	switch {
	case err == unix.EPERM:
		return unix.EPERM
	case err != nil || n != len(into):
		return unix.EFAULT
	}
	return 0
}
