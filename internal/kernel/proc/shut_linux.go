package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"bridle/internal/kernel/sandbox"
)

// shut is a read-only view by confinement, for systems that give no namespace or
// no mount in it: the program is started from a thread that may write everywhere
// but in the directories. What no one can grant without granting them too is
// closed as well: making or removing names in the directories above them.
type shut struct {
	confined  *sandbox.Prepared
	mediation mediation
	thread    *thread
	ended     chan struct{} // the thread lives until the program has ended
}

// errUnconfined says that the thread could not be confined.
var errUnconfined = errors.New("the program cannot be confined")

// newShut prepares the confinement.
func newShut(closed []string) (*shut, error) {
	profile, err := besides(closed)
	if err != nil {
		return nil, err
	}
	confined, err := profile.Prepare()
	if err != nil {
		return nil, err
	}
	return &shut{confined: confined, thread: newDoomedThread(), ended: make(chan struct{})}, nil
}

// besides grants everything but writing to the directories.
func besides(closed []string) (sandbox.Profile, error) {
	real := make([]string, len(closed))
	for i, dir := range closed {
		at, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return sandbox.Profile{}, fmt.Errorf("find %q: %w", dir, err)
		}
		real[i] = at
	}
	open, err := beside("/", real, nil)
	return sandbox.Profile{
		ReadExec: []string{"/"}, ReadWrite: open, Required: []string{"/"}, Unix: true,
		Devices: []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"},
	}, err
}

// beside lists what lies below a directory and neither is, nor holds, nor lies
// below one of those that are closed. Links are left out: what they lead to has a
// place of its own.
func beside(dir string, closed, open []string) ([]string, error) {
	holds := false
	for _, at := range closed {
		if within(dir, at) {
			return open, nil
		}
		holds = holds || within(at, dir)
	}
	if !holds {
		return append(open, dir), nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrPermission) {
		return open, nil // what cannot be listed stays closed
	}
	if err != nil {
		return open, fmt.Errorf("list %q: %w", dir, err)
	}
	for _, entry := range entries {
		if entry.Type()&os.ModeSymlink != 0 {
			continue
		}
		if open, err = beside(filepath.Join(dir, entry.Name()), closed, open); err != nil {
			return open, err
		}
	}
	return open, nil
}

// within says whether a path is a directory or lies below it.
func within(path, dir string) bool {
	rest, below := strings.CutPrefix(path, strings.TrimSuffix(dir, "/"))
	return below && (rest == "" || rest[0] == '/')
}

// fork starts the program from the confined thread, which waits for release.
func (s *shut) fork(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	started := make(chan struct{})
	s.thread.work <- func() {
		if s.mediation.mediator, err = s.confined.EnterMediated(); err != nil {
			err = errors.Join(errUnconfined, err)
		} else {
			pid, err = forkPatiently(path, argv, attr)
		}
		close(started)
		<-s.ended
	}
	<-started
	s.confined.Close()
	if s.mediation.mediator != nil {
		s.mediation.begin()
	}
	return pid, err
}

// release lets the thread go, once nothing of the program is left.
func (s *shut) release() {
	close(s.ended)
	<-s.thread.done
	if s.mediation.mediator != nil {
		s.mediation.end()
	}
}

// confine is what a supervisor does that cannot mount: it readies a confinement,
// or says why there is neither.
func (s *supervisor) confine(why error) (err error) {
	if s.shut, err = newShut(s.order.readOnly); err != nil {
		return errors.Join(why, err)
	}
	// A confined thread cannot start anything in a control group.
	if s.cage != nil {
		s.cage.remove()
		s.cage, s.method = nil, Subreaper
	}
	return nil
}
