package proc

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// lineage enumerates the processes that came into being after another one.
//
// The kernel gives out process numbers in ascending order, beginning again at
// the bottom, and tells the last one given. All descendants of a child therefore
// have numbers after the child's and up to the last: looking at those costs a
// fraction of a microsecond each, and on a quiet machine there are none. No
// directory is read, and nothing is missed:
//
// A pass looks at the numbers in the order in which they were given. Suppose it
// finds nobody alive, and no number was given since it began. A process alive
// now was then there before the pass came to it, unless its parent was just
// making it; but then the parent, whose number comes earlier, was alive when the
// pass came to that. So nobody is alive.
type lineage struct {
	lastFile, maxFile int // -1 where the kernel does not tell
}

// openLineage opens what enumerating needs. A confined thread could not.
func openLineage() lineage {
	return lineage{
		lastFile: openForReading("/proc/sys/kernel/ns_last_pid"),
		maxFile:  openForReading("/proc/sys/kernel/pid_max"),
	}
}

func openForReading(path string) int {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

func (l lineage) close() {
	for _, fd := range [...]int{l.lastFile, l.maxFile} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

// last is the number given out last.
func (l lineage) last() (int, bool) { return readNumber(l.lastFile) }

func readNumber(fd int) (int, bool) {
	if fd < 0 {
		return 0, false
	}
	var buf [24]byte
	n, err := unix.Pread(fd, buf[:], 0)
	if err != nil {
		return 0, false
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	return number, err == nil && number > 0
}

// highest is the number after which the kernel begins again, when it does not
// tell: the highest there can be.
const highest = 1 << 22

// each calls visit for every number given after one and up to another, in the
// order in which they were given.
func (l lineage) each(after, upTo int, visit func(pid int)) {
	if upTo < after {
		top, ok := readNumber(l.maxFile)
		if !ok {
			top = highest
		}
		for pid := after + 1; pid < top; pid++ {
			visit(pid)
		}
		after = 0
	}
	for pid := after + 1; pid <= upTo; pid++ {
		visit(pid)
	}
}

// eachBack does the same from the newest number back, skipping what lies on the
// other side of the beginning. Of processes that live for a moment, only the
// newest can be met.
func (l lineage) eachBack(after, upTo int, visit func(pid int)) {
	for pid := upTo; pid > max(after, 0); pid-- {
		visit(pid)
	}
}

// everyone calls visit for every process there is. It says whether it could.
func everyone(visit func(pid int)) bool {
	fd := openForReading("/proc")
	if fd < 0 {
		return false
	}
	defer unix.Close(fd)
	buf := make([]byte, 32<<10)
	var names []string
	for {
		n, err := unix.Getdents(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return false
		}
		if n == 0 {
			return true
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names[:0])
		for _, name := range names {
			if pid, err := strconv.Atoi(name); err == nil {
				visit(pid)
			}
		}
	}
}
