package proc

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// conversation is the supervisor's descriptor to its caller.
const conversation = 3

// SupervisorMain makes the process a supervisor when its arguments say so. A
// program that is named as Supervision.Program calls it before anything else and,
// when it was handled, exits with the code.
func SupervisorMain(args []string) (code int, handled bool) {
	if len(args) != 2 || args[1] != supervisorFlag {
		return 0, false
	}
	runtime.LockOSThread() // the program's death signal belongs to this thread
	unix.CloseOnExec(conversation)
	s := supervisor{caller: os.NewFile(conversation, "caller")}
	words, err := readWords(s.caller)
	if err == nil {
		s.order, err = parseOrder(words)
	}
	if err != nil {
		return 125, true // nobody to talk to: started by hand, or the caller is gone
	}
	return s.supervise(), true
}

// supervisor runs one program and ends with it.
type supervisor struct {
	caller *os.File
	order  order
	method Method
	cage   *cage
	shut   *shut // the read-only view, where it is no mount

	mu     sync.Mutex
	driver int // 0 before the start and once its end was seen
}

// supervise is the supervisor's whole life.
func (s *supervisor) supervise() int {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	if err := s.settle(); err != nil {
		return s.refuse(stageSetup, err)
	}
	if err := s.furnish(); err != nil {
		return s.refuse(stageReadOnly, err)
	}
	pid, err := s.start()
	switch {
	case errors.Is(err, errUnconfined):
		return s.refuse(stageReadOnly, err)
	case err != nil:
		return s.refuse(stageStart, err)
	}
	// Descendants may keep all processors busy; whoever may goes first. The program
	// was started before and has the priority that it is to have.
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, -20)
	leaveOutputs()
	if err := s.tell(wordStarted, strconv.Itoa(pid), s.cage.directory()); err != nil {
		s.stop(unix.SIGKILL)
	}
	go s.heed()
	go func() {
		for range signals { // from a person, or since the caller has died
			s.end()
		}
	}()
	end := verdict{status: s.await(pid), method: s.method}
	end.killed, end.empty = s.purge(pid)
	if s.shut != nil {
		s.shut.release()
	}
	if s.cage != nil {
		s.cage.remove()
	}
	if err := writeWords(s.caller, end.words()); err != nil {
		return 125
	}
	return 0
}

// settle sets up the containment before there is anything to contain.
func (s *supervisor) settle() error {
	// Nobody of the same user looks into the supervisor or speaks in its place.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hide from other processes: %w", err)
	}
	if err := withhold(); err != nil {
		return fmt.Errorf("keep descriptors from the program: %w", err)
	}
	if os.Getpid() == 1 {
		s.method = PIDNamespace
		return nil
	}
	s.method = Subreaper
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become a subreaper: %w", err)
	}
	if s.order.cgroup {
		if cage, err := newCage(); err == nil {
			s.cage, s.method = cage, Cgroup
		}
	}
	return nil
}

// start starts the program from this thread; a control group that does not take
// it is given up.
func (s *supervisor) start() (int, error) {
	if s.cage != nil {
		pid, err := s.fork()
		if err == nil {
			return pid, nil
		}
		s.cage.remove()
		s.cage, s.method = nil, Subreaper
	}
	return s.fork()
}

func (s *supervisor) fork() (int, error) {
	attr := &syscall.ProcAttr{
		Dir: s.order.dir, Env: s.order.env, Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	if s.cage != nil {
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, s.cage.fd
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fork := forkPatiently
	if s.shut != nil {
		fork = s.shut.fork
	}
	pid, err := fork(s.order.path, s.order.argv, attr)
	if err == nil {
		s.driver = pid
	}
	return pid, err
}

// leaveOutputs lets go of the program's streams, so that they end with it.
func leaveOutputs() {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	for fd := range 3 {
		if err != nil || unix.Dup3(null, fd, 0) != nil {
			unix.Close(fd)
		}
	}
}

// refuse reports that nothing was started.
func (s *supervisor) refuse(stage string, err error) int {
	if s.cage != nil {
		s.cage.remove()
	}
	var errno syscall.Errno
	errors.As(err, &errno)
	_ = s.tell(wordRefused, stage, strconv.Itoa(int(errno)), err.Error())
	return 125
}

func (s *supervisor) tell(words ...string) error { return writeWords(s.caller, words) }

// stop signals the program's group while its number is its own.
func (s *supervisor) stop(signal syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.driver > 0 {
		unix.Kill(-s.driver, signal)
	}
}

// heed does what the caller says until it is gone: then the program ends at once.
func (s *supervisor) heed() {
	for {
		words, err := readWords(s.caller)
		if err != nil {
			s.stop(unix.SIGKILL)
			return
		}
		if len(words) == 1 && words[0] == wordStop {
			s.end()
		}
	}
}

// end asks the program to end, and insists after the grace.
func (s *supervisor) end() {
	s.stop(unix.SIGTERM)
	time.AfterFunc(s.order.grace, func() { s.stop(unix.SIGKILL) })
}

// await reaps orphans until the program itself has ended, and takes its status.
// Its group is killed while its number is still its own.
func (s *supervisor) await(pid int) (status uint32) {
	for {
		ended, err := peek()
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return uint32(unix.SIGKILL) // cannot be: the program is a child that nobody else reaps
		}
		if ended != pid {
			_, _ = reapOne(ended) // an orphan: that it has ended is all that counts
			continue
		}
		s.mu.Lock()
		unix.Kill(-pid, unix.SIGKILL)
		s.driver = 0
		s.mu.Unlock()
		status, _ := reapOne(pid)
		return uint32(status)
	}
}

// peek waits for any child's end and leaves it to be reaped.
func peek() (pid int, err error) {
	// The kernel's siginfo: signal, error, code and padding, then the number.
	var info [128]byte
	err = unix.Waitid(unix.P_ALL, 0, (*unix.Siginfo)(unsafe.Pointer(&info)), unix.WEXITED|unix.WNOWAIT, nil)
	return int(*(*int32)(unsafe.Pointer(&info[16]))), err
}

func reapOne(pid int) (status unix.WaitStatus, err error) {
	for {
		if _, err = unix.Wait4(pid, &status, 0, nil); err != unix.EINTR {
			return status, err
		}
	}
}
