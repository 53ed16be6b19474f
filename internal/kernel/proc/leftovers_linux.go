package proc

import (
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// EndLeftovers kills what runs that were cut off by the death of their caller
// left behind: the kernel ended their leaders, nobody ended the rest. The marks
// are those of the runs (Spec.Mark). It returns how many processes were ended
// and how many are still there.
//
// A process is one of theirs when it carries a mark in its environment, or is in
// a session in which one that carries it was seen: nobody enters a session but
// by being born in it, and the sessions of a run were made by its processes. A
// process that shed the mark and is alone in a session of its own is not found.
// Signals go through process descriptors, so a number that was given out again
// meets nobody else.
func EndLeftovers(marks ...string) (killed, left int) {
	h := hunt{self: unix.Getpid(), sessions: map[int]bool{}, met: map[int]bool{}}
	for _, mark := range marks {
		if isMark(mark) {
			h.tokens = append(h.tokens, []byte(mark))
		}
	}
	if len(h.tokens) == 0 {
		return 0, 0
	}
	return h.run()
}

// endSession kills the processes of a session whose leader has died.
func endSession(leader int) (killed int) {
	h := hunt{self: unix.Getpid(), sessions: map[int]bool{leader: true}, met: map[int]bool{}}
	killed, _ = h.run()
	return killed
}

// run kills until a pass finds nobody or it has taken too long.
func (h *hunt) run() (killed, left int) {
	h.own, _ = unix.Getsid(0)
	for until := uptime() + sweepLimit; ; {
		everyone(h.learn)
		h.alive = 0
		everyone(h.end)
		if h.alive == 0 || uptime() >= until {
			return len(h.met) - h.alive, h.alive
		}
		for _, fd := range h.dying {
			for !ended(fd, until-uptime()) && uptime() < until {
			}
			unix.Close(fd)
		}
		h.dying = h.dying[:0]
	}
}

// hunt is one search for the processes of dead runs.
type hunt struct {
	tokens    [][]byte
	self, own int
	sessions  map[int]bool
	met       map[int]bool
	alive     int
	dying     []int
}

// learn notes the session of a process that carries a mark.
func (h *hunt) learn(pid int) {
	dir := "/proc/" + strconv.Itoa(pid)
	if pid == h.self || !h.marked(dir) {
		return
	}
	if session := sessionOf(dir); session > 0 && session != h.own {
		h.sessions[session] = true
	}
}

// end kills a process that is one of theirs.
func (h *hunt) end(pid int) {
	if pid == h.self {
		return
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	dir := "/proc/" + strconv.Itoa(pid)
	if ended(fd, 0) || !h.sessions[sessionOf(dir)] && !h.marked(dir) || ended(fd, 0) {
		unix.Close(fd)
		return
	}
	h.alive++
	h.met[pid] = true
	_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	h.dying = append(h.dying, fd)
}

func (h *hunt) marked(dir string) bool {
	return slices.ContainsFunc(h.tokens, func(token []byte) bool { return carries(dir, token) })
}
