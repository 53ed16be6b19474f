package proc

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// reapRound bounds how many are reaped between two rounds of killing: chains of
// processes that make the next and end would otherwise keep the supervisor busy
// with their dead.
const reapRound = 256

// purge kills everything below the supervisor until the kernel says that it has
// no child left, which is the proof: every orphan falls to the supervisor. It
// counts those that it had to kill.
func (s *supervisor) purge(driver int) (killed int, empty bool) {
	deadline := uptime() + sweepLimit
	for wait := 50 * time.Microsecond; ; wait = min(2*wait, 2*time.Millisecond) {
		s.killAll()
		reaped := 0
		for ; reaped < reapRound; reaped++ {
			var status unix.WaitStatus
			pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
			switch {
			case err == unix.ECHILD:
				return killed, true
			case err != nil && err != unix.EINTR:
				return killed, false
			}
			if pid <= 0 {
				break
			}
			if pid != driver && status.Signaled() && status.Signal() == unix.SIGKILL {
				killed++
			}
		}
		if uptime() >= deadline {
			return killed, false
		}
		if reaped == 0 {
			pause(wait)
		}
	}
}

// killAll kills all descendants that can be reached at once.
func (s *supervisor) killAll() {
	switch s.method {
	case PIDNamespace:
		unix.Kill(-1, unix.SIGKILL) // everyone in the namespace but its first process
	case Cgroup:
		if s.cage.write("cgroup.kill", "1") != nil {
			s.cage.killEach() // before Linux 5.14
		}
		killChildren() // whoever got out of the group
	default:
		killChildren()
	}
}

// killChildren kills the process's children with their groups. The children of
// those fall to it with that and are met in the next round.
func killChildren() {
	for _, child := range slices.Backward(children()) {
		unix.Kill(-child, unix.SIGKILL) // while it is not reaped the number is its own
		unix.Kill(child, unix.SIGKILL)
	}
}

// children lists the process's children, the ended ones that were not reaped
// among them. Every thread has a list of its own; orphans may be in that of any.
func children() (found []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	if len(lists) == 0 {
		return childrenByParent(os.Getpid())
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for field := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// childrenByParent asks every process, for kernels without lists of children.
func childrenByParent(parent int) (found []int) {
	everyone(func(pid int) {
		if statField("/proc/"+strconv.Itoa(pid), parentField) == parent {
			found = append(found, pid)
		}
	})
	return found
}
