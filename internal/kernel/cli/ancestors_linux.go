package cli

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
)

// maxEnviron bounds what is read of one process's environment, which the kernel
// bounds as well.
const maxEnviron = 8 << 20

// AncestorsBelow lists the processes above this one, the nearest first, up to
// but without the process with the number stop; the first process of the system
// ends the list in any case. What belongs to other users has no environment.
func AncestorsBelow(stop int) []Ancestor {
	var all []Ancestor
	for pid := os.Getppid(); pid > 1 && pid != stop && len(all) < maxAncestors; {
		name, parent, ok := parentOf(pid)
		if !ok {
			break
		}
		all = append(all, Ancestor{PID: pid, Name: name, Env: environOf(pid)})
		pid = parent
	}
	return all
}

func processAncestors() []Ancestor { return AncestorsBelow(1) }

// parentOf reads a process's name and its parent. The name stands in brackets
// and may hold any character, brackets among them.
func parentOf(pid int) (name string, parent int, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
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

func environOf(pid int) Env {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return Env{}
	}
	defer func() { _ = f.Close() }() // read only
	data, err := io.ReadAll(io.LimitReader(f, maxEnviron))
	if err != nil {
		return Env{}
	}
	return NewEnv(strings.Split(string(data), "\x00"))
}
