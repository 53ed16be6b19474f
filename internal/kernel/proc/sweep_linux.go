package proc

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/sandbox"
)

// sweeper finds and kills what a leader that has ended left behind, in or out of
// its group. It runs on the thread that started the leader, before that one is
// reaped, so the leader's number is still its own.
//
// Whose a process is, is never guessed:
//
//   - After a confined leader, a process is one of its descendants if and only if
//     the confined thread may signal it (or, before Linux 6.12, inspect it): the
//     kernel lets a confinement reach into itself only, and this thread and the
//     descendants are all that is in it. Nothing that a descendant does gets it
//     out of there.
//   - After an unconfined leader, a descendant is known by the session, which it
//     leaves by setsid, or by the mark in its environment, which it loses when it
//     is run with another one. A process that shed both is not found; a control
//     group finds it (Spec.Cgroup).
//
// A number that was just seen alive cannot belong to another process before all
// other numbers have been given out, so it may be signalled; where the kernel
// gives a process descriptor that may be signalled, that is used.
type sweeper struct {
	lineage  lineage
	leader   int
	self     int
	confined bool
	scoped   bool
	token    []byte // the mark's value; nil when there is none
	long     bool   // the run was long enough for all numbers to have been given out
	found    map[int]struct{}
}

// wrapAfter is how long it takes at least to give out all process numbers.
const wrapAfter = time.Second

// sweepLimit bounds the sweep. Only processes that the kernel cannot end at once
// reach it: those are killed already and disappear when it can.
const sweepLimit = 2 * time.Second

// census counts the processes that are there and kills none.
func (w *sweeper) census() int {
	w.pass(func(pid, fd int) {})
	return len(w.found)
}

// kill ends all until a pass finds nobody, and returns how many processes were
// found, those of the census included.
func (w *sweeper) kill() int {
	deadline := uptime() + sweepLimit
	wait := 100 * time.Microsecond
	for uptime() < deadline {
		if w.pass(killOne) == 0 {
			break
		}
		pause(wait)
		wait = min(2*wait, 10*time.Millisecond)
	}
	return len(w.found)
}

func killOne(pid, fd int) {
	// A confined thread has no signals through descriptors; what it may signal by
	// number is in its own confinement anyway.
	if unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == unix.ENOSYS {
		unix.Kill(pid, unix.SIGKILL)
	}
}

// pass looks at every candidate once and follows the numbers that are given out
// meanwhile, until none was. It returns how many were alive.
func (w *sweeper) pass(act func(pid, fd int)) int {
	alive := 0
	visit := func(pid int) {
		fd, ours := w.seize(pid)
		if !ours {
			return
		}
		act(pid, fd)
		unix.Close(fd)
		alive++
		if w.found == nil {
			w.found = map[int]struct{}{}
		}
		w.found[pid] = struct{}{}
	}
	cursor, ok := w.lineage.last()
	switch {
	case w.long || !ok:
		if !everyone(visit) && ok {
			w.lineage.each(w.leader, cursor, visit)
		}
	default:
		w.lineage.each(w.leader, cursor, visit)
	}
	// The chase is what catches a chain of processes of which each makes the next
	// and ends. It is bounded, since others make processes as well.
	for deadline := uptime() + sweepLimit; ok && uptime() < deadline; {
		upTo, known := w.lineage.last()
		if !known || upTo == cursor {
			break
		}
		w.lineage.each(cursor, upTo, visit)
		cursor = upTo
	}
	return alive
}

// seize returns a descriptor for the process when it is alive and ours.
func (w *sweeper) seize(pid int) (fd int, ours bool) {
	if pid == w.leader || pid == w.self || unix.Kill(pid, 0) != nil {
		return -1, false
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, false // a thread's number, gone, or a kernel without descriptors
	}
	if ended(fd) || !w.owns(pid) || ended(fd) {
		unix.Close(fd)
		return -1, false
	}
	return fd, true
}

// ended says whether the process has ended, as zombies have that nobody reaps.
func ended(pidfd int) bool {
	fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

func (w *sweeper) owns(pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	switch {
	case w.confined && w.scoped:
		return true // it could be signalled
	case w.confined:
		var link [1]byte
		_, err := unix.Readlink(dir+"/cwd", link[:])
		return err == nil
	}
	return sessionOf(dir) == w.leader || w.token != nil && carries(dir, w.token)
}

// sessionOf reads the session from the process's status line, whose second field
// is a name in parentheses that may contain anything.
func sessionOf(dir string) int {
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return -1
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 4 {
		return -1
	}
	session, err := strconv.Atoi(string(fields[3]))
	if err != nil {
		return -1
	}
	return session
}

// carries says whether the mark is in the process's environment.
func carries(dir string, token []byte) bool {
	env, err := os.ReadFile(dir + "/environ")
	return err == nil && bytes.Contains(env, token)
}

func newSweeper(l lineage, leader int, confined *sandbox.Prepared, token []byte, lasted time.Duration) *sweeper {
	return &sweeper{
		lineage: l, leader: leader, self: unix.Getpid(), token: token, long: lasted > wrapAfter,
		confined: confined != nil, scoped: confined != nil && confined.Scoped(),
	}
}
