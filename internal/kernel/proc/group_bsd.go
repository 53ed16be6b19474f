//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package proc

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is the process group that the leader leads, in a session of its own, and
// the queue that tells of the leader's end.
type group struct{ id, queue int }

func newGroup(cmd *exec.Cmd) (*group, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(queue)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return &group{queue: queue}, nil
}

func (g *group) adopt(cmd *exec.Cmd) { g.id = cmd.Process.Pid }

func (g *group) ask()   { _ = syscall.Kill(-g.id, syscall.SIGTERM) }
func (g *group) kill()  { _ = syscall.Kill(-g.id, syscall.SIGKILL) }
func (g *group) close() { _ = unix.Close(g.queue) }

// await returns when the leader has ended, without reaping it, so that its
// number still belongs to it when the group is killed. A leader that has ended
// already is reported as not being there.
func (g *group) await(cmd *exec.Cmd) {
	var event unix.Kevent_t
	unix.SetKevent(&event, cmd.Process.Pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	event.Fflags = unix.NOTE_EXIT
	events := make([]unix.Kevent_t, 1)
	for {
		_, err := unix.Kevent(g.queue, []unix.Kevent_t{event}, events, nil)
		if err == nil || err == unix.ESRCH {
			return
		}
	}
}

func ending(state *os.ProcessState) (code int, signal string) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int(status.Signal()), unix.SignalName(status.Signal())
	}
	return state.ExitCode(), ""
}
