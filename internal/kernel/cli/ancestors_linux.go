package cli

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// statLength is more than the kernel ever writes about one process, of which
// only the beginning is needed here.
const statLength = 4096

// environLength is what most environments fit into, so that one read has them.
const environLength = 16 << 10

// maxEnviron bounds what is read of one process's environment, which the kernel
// bounds as well.
const maxEnviron = 8 << 20

// AncestorsBelow lists the processes above this one, the nearest first, up to
// but without the process with the number stop; the first process of the system
// ends the list in any case. What belongs to other users has no environment.
func AncestorsBelow(stop int) []Ancestor {
	var all []Ancestor
	buffer := make([]byte, environLength)
	for pid := os.Getppid(); pid > 1 && pid != stop && len(all) < maxAncestors; {
		name, parent, ok := parentOf(pid, buffer[:statLength])
		if !ok {
			break
		}
		all = append(all, Ancestor{PID: pid, Name: name, Env: environOf(pid, buffer)})
		pid = parent
	}
	return all
}

func processAncestors() []Ancestor { return AncestorsBelow(1) }

// readProcess reads a file about a process, at most so many bytes of it, into the
// buffer or a longer one. The files of /proc never block, so a bare descriptor reads
// them; a file of package os would be offered to the poller, and taken from it, which
// is most of the cost.
func readProcess(pid int, name string, buffer []byte, most int) ([]byte, error) {
	path := "/proc/" + strconv.Itoa(pid) + "/" + name
	fd, err := untilDone(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }() // read only
	for n := 0; ; {
		if n == len(buffer) {
			if n >= most {
				return buffer, nil
			}
			buffer = append(buffer, make([]byte, min(n+1, most-n))...)
		}
		got, err := untilDone(func() (int, error) { return unix.Read(fd, buffer[n:]) })
		if err != nil || got == 0 {
			return buffer[:n], err
		}
		n += got
	}
}

// untilDone repeats a call that a signal interrupted.
func untilDone(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// parentOf reads a process's name and its parent. The name stands in brackets
// and may hold any character, brackets among them.
func parentOf(pid int, buffer []byte) (name string, parent int, ok bool) {
	data, err := readProcess(pid, "stat", buffer, len(buffer))
	if err != nil {
		return "", 0, false
	}
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return "", 0, false
	}
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) < 2 {
		return "", 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return string(data[open+1 : end]), parent, err == nil
}

// environOf reads the environment that a process was started with, into the
// buffer as far as it is long enough.
func environOf(pid int, buffer []byte) Env {
	data, err := readProcess(pid, "environ", buffer, maxEnviron)
	if err != nil {
		return Env{}
	}
	return Env{strings.Split(string(data), "\x00")}
}
