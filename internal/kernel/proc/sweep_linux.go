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
	dying    []int // descriptors of processes that were killed and not seen ended
	until    time.Duration
}

// wrapAfter is how long it takes at least to give out all process numbers.
const wrapAfter = time.Second

// sweepLimit bounds the sweep. Only processes that the kernel cannot end at once
// reach it: those are killed already and disappear when it can.
const sweepLimit = 2 * time.Second

// census counts the processes that are there and kills none.
func (w *sweeper) census() int {
	w.pass(nil)
	return len(w.found)
}

// kill ends all until a pass finds nobody, and returns how many processes were
// found, those of the census included.
func (w *sweeper) kill() int {
	w.until = uptime() + sweepLimit
	for w.pass(w.killOne) > 0 && uptime() < w.until {
		w.bury()
	}
	w.bury()
	return len(w.found)
}

func (w *sweeper) killOne(pid, fd int) {
	// A confined thread has no signals through descriptors; what it may signal by
	// number is in its own confinement anyway.
	if unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == unix.ENOSYS {
		unix.Kill(pid, unix.SIGKILL)
	}
	w.dying = append(w.dying, fd)
	if len(w.dying) == cap(w.dying) && len(w.dying) >= 64 {
		w.bury()
	}
}

// bury waits until those that were killed have ended. On its way out a process
// loses what it is recognised by before it has ended, so a pass that finds nobody
// says nothing about them.
func (w *sweeper) bury() {
	for _, fd := range w.dying {
		for !ended(fd, w.until-uptime()) && uptime() < w.until {
		}
		unix.Close(fd)
	}
	w.dying = w.dying[:0]
}

// pass looks at every candidate once and follows the numbers that are given out
// meanwhile, until none was. It returns how many were alive. Without act it only
// looks, and follows no further once it found someone. The descriptor becomes
// act's own.
func (w *sweeper) pass(act func(pid, fd int)) (alive int) {
	visit := func(pid int) {
		fd, ours := w.seize(pid)
		if !ours {
			return
		}
		if act != nil {
			act(pid, fd)
		} else {
			unix.Close(fd)
		}
		alive++
		if w.found == nil {
			w.found = map[int]struct{}{}
		}
		w.found[pid] = struct{}{}
	}
	cursor, ok := w.lineage.last()
	listed := (w.long || !ok) && everyone(visit)
	if ok && !listed {
		w.lineage.each(w.leader, cursor, visit)
	}
	for deadline := uptime() + sweepLimit; ok && (act != nil || alive == 0) && uptime() < deadline; {
		upTo, known := w.lineage.last()
		if !known || upTo == cursor {
			break
		}
		before := alive
		w.lineage.eachBack(cursor-lag, upTo, visit)
		if alive == before {
			w.lineage.each(cursor, upTo, visit)
		}
		cursor = upTo
	}
	return alive
}

// lag is how many numbers the pursuit looks at again. A number is given out
// before its process can be seen; whoever looks at the newest ones only is
// always too early for a chain of processes that make the next and end.
const lag = 256

// seize returns a descriptor for the process when it is alive and ours.
func (w *sweeper) seize(pid int) (fd int, ours bool) {
	if pid == w.leader || pid == w.self || unix.Kill(pid, 0) != nil {
		return -1, false
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, false // a thread's number, gone, or a kernel without descriptors
	}
	if ended(fd, 0) || !w.owns(pid) || ended(fd, 0) {
		unix.Close(fd)
		return -1, false
	}
	return fd, true
}

// ended says whether the process has ended, as zombies have that nobody reaps. It
// waits for that at most as long as it is told, and less when interrupted.
func ended(pidfd int, limit time.Duration) bool {
	fds := [1]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	timeout := unix.NsecToTimespec(int64(max(limit, 0)))
	n, err := unix.Ppoll(fds[:], &timeout, nil)
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

// Fields of a process's status line, counted after the name.
const (
	parentField  = 1
	sessionField = 3
)

func sessionOf(dir string) int { return statField(dir, sessionField) }

// statField reads a number from the process's status line, whose second field is
// a name in parentheses that may contain anything. It is -1 when there is none.
func statField(dir string, field int) int {
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return -1
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= field {
		return -1
	}
	number, err := strconv.Atoi(string(fields[field]))
	if err != nil {
		return -1
	}
	return number
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
