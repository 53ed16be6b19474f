package proc

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ends are the descriptors of a run: three for the child, the others ours.
type ends struct {
	child          [3]int
	stdout, stderr int
	stdin          *os.File // nil when the child reads /dev/null
}

// openEnds opens everything that the start needs, before the thread is confined:
// afterwards even /dev/null may be out of its reach.
func openEnds(withInput bool) (*ends, error) {
	e := &ends{child: [3]int{-1, -1, -1}, stdout: -1, stderr: -1}
	err := e.open(withInput)
	if err != nil {
		e.closeAll()
		return nil, err
	}
	return e, nil
}

func (e *ends) open(withInput bool) (err error) {
	if e.stdout, e.child[1], err = outputPipe(); err != nil {
		return err
	}
	if e.stderr, e.child[2], err = outputPipe(); err != nil {
		return err
	}
	if !withInput {
		e.child[0], err = unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		return err
	}
	var fds [2]int
	if err = unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	e.child[0] = fds[0]
	if err = unix.SetNonblock(fds[1], true); err != nil {
		unix.Close(fds[1])
		return err
	}
	e.stdin = os.NewFile(uintptr(fds[1]), "stdin")
	return nil
}

// outputPipe returns a pipe whose reading end does not block; the child's end
// does, as programs expect.
func outputPipe() (reader, writer int, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, err
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return -1, -1, err
	}
	return fds[0], fds[1], nil
}

func (e *ends) closeChild() {
	for i, fd := range e.child {
		if fd >= 0 {
			unix.Close(fd)
			e.child[i] = -1
		}
	}
}

func (e *ends) closeAll() {
	e.closeChild()
	for _, fd := range []int{e.stdout, e.stderr} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	if e.stdin != nil {
		_ = e.stdin.Close()
	}
}

// child is a started leader.
type child struct {
	pid   int
	pidfd int // -1 on kernels that have none
}

// start forks and execs from the calling thread. A change, if any, is made to
// what the start is told.
func start(s *Spec, env []string, e *ends, c *cage, change func(*syscall.ProcAttr)) (child, error) {
	started := child{pidfd: -1}
	attr := &syscall.ProcAttr{
		Dir: s.Dir,
		Env: env,
		Files: []uintptr{
			uintptr(e.child[0]), uintptr(e.child[1]), uintptr(e.child[2]),
		},
		Sys: &syscall.SysProcAttr{
			Setsid:    true,
			Pdeathsig: syscall.SIGKILL,
			PidFD:     &started.pidfd,
		},
	}
	if c != nil {
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, c.fd
	}
	if change != nil {
		change(attr)
	}
	var err error
	started.pid, err = forkPatiently(s.Path, s.argv(), attr)
	return started, err
}

// forkPatiently tries again when the file is open for writing: another thread of
// this process that forks at the wrong moment holds a copy of the descriptor by
// which the file was just written, for the time between its fork and its exec.
func forkPatiently(path string, argv []string, attr *syscall.ProcAttr) (int, error) {
	const tries = 6
	for try := 0; ; try++ {
		pid, err := syscall.ForkExec(path, argv, attr)
		if !errors.Is(err, syscall.ETXTBSY) || try == tries {
			return pid, err
		}
		pause(time.Millisecond << try)
	}
}

// pause blocks the thread itself; a confined thread has nothing else to do.
func pause(d time.Duration) {
	rest := unix.NsecToTimespec(int64(d))
	for unix.Nanosleep(&rest, &rest) == unix.EINTR {
	}
}

// uptime is a clock that nobody sets.
func uptime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
