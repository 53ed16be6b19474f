package proc_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/sandbox"
)

// lifetime ends every helper process that a failing test leaves behind.
const lifetime = 3 * time.Minute

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// leave writes the process's number into a file, whole or not at all.
func leave(path string) error {
	partial := path + ".part"
	if err := os.WriteFile(partial, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

// linger ignores polite requests and stays. Arguments: the file for its number.
func linger(args []string) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	if err := leave(args[0]); err != nil {
		return fail(err)
	}
	time.Sleep(lifetime)
	return 0
}

// spawn starts a lingering process in the given ways and ends when that one is
// there. Arguments: the file for its number, then ways: "session" starts it in a
// session of its own, "twice" with a process between that ends, "silent" without
// this process's outputs, "strange" with another environment, "stay" lets this
// process stay too.
func spawn(args []string) int {
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	ways := map[string]bool{}
	for _, way := range args[1:] {
		ways[way] = true
	}
	argv := []string{self, "role", "linger", args[0]}
	if ways["twice"] {
		stay := ways["stay"]
		delete(ways, "twice")
		delete(ways, "stay")
		argv = []string{self, "role", "spawn", args[0]}
		for way := range ways {
			argv = append(argv, way)
		}
		ways["stay"] = stay
	}
	attr := &syscall.ProcAttr{Files: []uintptr{0, 1, 2}, Env: os.Environ(), Sys: &syscall.SysProcAttr{Setsid: ways["session"]}}
	if ways["silent"] {
		null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
		if err != nil {
			return fail(err)
		}
		attr.Files = []uintptr{null.Fd(), null.Fd(), null.Fd()}
	}
	if ways["strange"] {
		attr.Env = []string{"X=1"}
	}
	if _, err := syscall.ForkExec(self, argv, attr); err != nil {
		return fail(err)
	}
	for deadline := time.Now().Add(lifetime); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(args[0]); err == nil {
			if ways["stay"] {
				time.Sleep(lifetime)
			}
			return 0
		}
	}
	return fail(fmt.Errorf("%s did not appear", args[0]))
}

// chains starts 64 chains of processes, each of which leaves the session, stays
// for a moment, makes the next and ends. They stop by themselves only after some
// seconds. After a fork only raw system calls are made, since one thread of Go's
// is all that is left.
func chains([]string) int {
	now := uptimeSeconds()
	end := now + 20
	for range 64 {
		if pid := fork(); pid == 0 {
			for uptimeSeconds() < end {
				syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
				rest()
				if fork() != 0 {
					syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
				}
			}
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	fmt.Println("started")
	return 0
}

// daemons starts processes that leave the session and stay, and says so.
// Arguments: how many.
func daemons(args []string) int {
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return fail(err)
	}
	for range count {
		if pid := fork(); pid == 0 {
			syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
			for end := uptimeSeconds() + 60; uptimeSeconds() < end; {
				rest()
			}
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	fmt.Println("started")
	return 0
}

func fork() uintptr {
	pid, _, _ := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	return pid
}

// flood writes as many bytes as the argument says to both outputs, in turn.
func flood(args []string) int {
	total, err := strconv.Atoi(args[0])
	if err != nil {
		return fail(err)
	}
	chunk := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	for written := 0; written < total; written += len(chunk) {
		for _, f := range []*os.File{os.Stdout, os.Stderr} {
			if _, err := f.Write(chunk[:min(len(chunk), total-written)]); err != nil {
				return fail(err)
			}
		}
	}
	return 0
}

// parent runs a lingering child and waits for it. Arguments: the file for the
// child's number, "confined" when it is to be, and "grandchild" when it is a
// child of the child that lingers.
func parent(args []string) int {
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	s := proc.Spec{Path: self, Args: []string{"role", "linger", args[0]}, Timeout: lifetime}
	if slices.Contains(args, "grandchild") {
		s.Args = []string{"role", "spawn", args[0], "stay"}
	}
	if slices.Contains(args, "confined") {
		p, err := sandbox.ForTool(sandbox.Tool{Executable: self, ReadWrite: []string{filepath.Dir(args[0])}})
		if err != nil {
			return fail(err)
		}
		s.Profile = &p
	}
	if _, err := proc.Run(context.Background(), s); err != nil {
		return fail(err)
	}
	return 0
}

// superviseAndDie supervises a spawn that stays and dies by SIGKILL in the midst.
// Arguments: the method, the file for the number, then ways.
func superviseAndDie(args []string) int {
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	go func() {
		s := proc.Spec{Path: self, Args: append([]string{"role", "spawn", args[1], "stay"}, args[2:]...), Timeout: lifetime}
		_, p, err := proc.Supervise(context.Background(), s, proc.Supervision{Program: self, Methods: []proc.Method{proc.Method(args[0])}})
		fmt.Fprintln(os.Stderr, "ended early:", p, err)
		os.Exit(1)
	}()
	for deadline := time.Now().Add(lifetime); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(args[1]); err == nil {
			_ = unix.Kill(os.Getpid(), unix.SIGKILL)
		}
	}
	return fail(fmt.Errorf("%s did not appear", args[1]))
}

// replace becomes another program. Arguments: its path.
func replace(args []string) int {
	fmt.Println(os.Getpid())
	err := proc.Exec(args[0], []string{"other-name", "-c", "echo $$ $0 $A"}, []string{"A=given"})
	fmt.Println(fault.CodeOf(err))
	return 3
}

// who says what the process was given. Arguments: descriptors to look at.
func who(args []string) int {
	pid := os.Getpid()
	session, _ := unix.Getsid(0)
	fmt.Printf("session leader: %v\n", session == pid)
	fmt.Printf("group leader: %v\n", unix.Getpgrp() == pid)
	_, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	fmt.Printf("terminal: %v\n", err == nil)
	for _, arg := range args {
		fd, _ := strconv.Atoi(arg)
		_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		fmt.Printf("descriptor %d: %v\n", fd, err == nil)
	}
	link, _ := os.Readlink("/proc/self/fd/0")
	fmt.Printf("input: %s\n", link)
	fmt.Printf("name: %s\n", os.Args[0])
	fmt.Printf("environment: %s\n", strings.Join(os.Environ(), " "))
	return 0
}
