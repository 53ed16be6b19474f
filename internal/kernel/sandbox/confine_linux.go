//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"math"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
)

// Detect asks the kernel what it can do. It changes nothing.
func Detect() Support {
	s := Support{ABI: landlockABI(), Seccomp: seccompAvailable()}
	switch {
	case s.ABI == 0:
		s.Reason = "Landlock is not built into the kernel or not enabled at boot"
	case !s.Seccomp:
		s.Reason = "the kernel has no seccomp filters"
	}
	return s
}

// Prepared is a profile made ready to be entered: all paths are open, the
// ruleset is built. Close gives it back.
type Prepared struct {
	ruleset  int
	abi      int
	profile  Profile
	writable []string // where the places granted for writing really are
}

// Prepare opens the granted paths and builds the ruleset. It confines nothing
// and may be called from any thread.
func (p Profile) Prepare() (*Prepared, error) {
	s := Detect()
	if err := s.Require(p); err != nil {
		return nil, err
	}
	return p.prepare(s.ABI)
}

// prepare builds for the given Landlock version, at most the kernel's own. Tests
// ask for older ones.
func (p Profile) prepare(abi int) (*Prepared, error) {
	ruleset, writable, err := buildRuleset(p, abi)
	if err != nil {
		return nil, err
	}
	return &Prepared{ruleset: ruleset, abi: abi, profile: p, writable: writable}, nil
}

// Close gives back the ruleset. A thread that entered stays confined.
func (c *Prepared) Close() {
	if c.ruleset >= 0 {
		unix.Close(c.ruleset)
		c.ruleset = -1
	}
}

// Scoped says whether signals sent from inside end at the confinement.
func (c *Prepared) Scoped() bool { return c.abi >= 6 }

// Enter confines the calling thread for ever. The goroutine must be locked to
// its thread and must never be unlocked, so that the thread dies with it. When
// Enter fails the thread may be half confined: start nothing from it, and let it
// die as well.
//
// The main thread is refused. It stands for the process when the kernel compares
// confinements: were it inside, the child could signal and inspect its parent.
//
// Calls that change modes, owners, times and extended attributes are refused, for
// every file.
func (c *Prepared) Enter() error {
	pid, tid := unix.Getpid(), unix.Gettid()
	if err := c.enclose(pid, tid); err != nil {
		return err
	}
	return installFilter(c.profile, c.abi, pid, tid)
}

// EnterMediated is Enter for a caller that answers for such calls: until the
// Mediator serves, whoever makes one waits. It is nil where the kernel has no
// second one below another's; then the calls are refused.
func (c *Prepared) EnterMediated() (*Mediator, error) {
	pid, tid := unix.Getpid(), unix.Gettid()
	if err := c.enclose(pid, tid); err != nil {
		return nil, err
	}
	listener, err := installMediated(c.profile, c.abi, pid, tid)
	if err != nil || listener < 0 {
		return nil, err
	}
	return &Mediator{listener: listener, writable: c.writable}, nil
}

// enclose is all of entering but the filter.
func (c *Prepared) enclose(pid, tid int) error {
	if pid == tid {
		return fault.New(CodeFailed, "the main thread must not be confined")
	}
	if err := shieldProcess(); err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return step("forbid new privileges", err)
	}
	return restrictSelf(c.ruleset)
}

// Confine prepares and enters in one.
func (p Profile) Confine() error {
	c, err := p.Prepare()
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Enter()
}

// shieldProcess closes the ways from the child into the process whose thread
// starts it: the two share a confinement as far as the kernel can tell, so only
// an undumpable process keeps its memory, environment and descriptors from a
// child of the same user; and a descriptor that the process itself inherited
// must not travel on.
func shieldProcess() error {
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil {
		return step("read the dumpable flag", err)
	}
	if dumpable == 1 {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			return step("make the process undumpable", err)
		}
	}
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return step("keep descriptors from the child", err)
	}
	return nil
}

// Inside says whether the calling process is confined by this package. The
// answer comes from the filter itself, so a confined process cannot change it.
func Inside() bool {
	return errors.Is(unix.Prctl(markOption, 0, 0, 0, 0), markErrno)
}

func step(what string, err error) error {
	return fault.Newf(CodeFailed, "the sandbox could not be set up: %s: %s", what, err).
		WithHint("the program was not started").Because(err)
}
