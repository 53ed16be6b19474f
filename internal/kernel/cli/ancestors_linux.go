package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
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

// openProcess opens a file about a process. A regular file would be taken out
// of, and put back into, blocking mode by os.Open, which is most of the cost of
// reading one of /proc.
func openProcess(pid int, name string) (*os.File, error) {
	return os.OpenFile("/proc/"+strconv.Itoa(pid)+"/"+name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// parentOf reads a process's name and its parent. The name stands in brackets
// and may hold any character, brackets among them.
func parentOf(pid int, buffer []byte) (name string, parent int, ok bool) {
	f, err := openProcess(pid, "stat")
	if err != nil {
		return "", 0, false
	}
	defer func() { _ = f.Close() }() // read only
	n, err := f.Read(buffer)
	if err != nil {
		return "", 0, false
	}
	data := buffer[:n]
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
	f, err := openProcess(pid, "environ")
	if err != nil {
		return Env{}
	}
	defer func() { _ = f.Close() }() // read only
	n, err := io.ReadFull(f, buffer)
	data := string(buffer[:n])
	switch {
	case err == nil:
		rest, err := io.ReadAll(io.LimitReader(f, int64(maxEnviron-n)))
		if err != nil {
			return Env{}
		}
		data += string(rest)
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return Env{}
	}
	return NewEnv(strings.Split(data, "\x00"))
}
