package proc_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// acts are the ways to change how a process runs, by its number. Each asks for what
// any process may have, however little of the processor it was given.
var acts = map[string]func(pid uintptr) error{
	"setpriority": func(pid uintptr) error { return call(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, pid, 19) },
	"ioprio_set":  func(pid uintptr) error { return call(unix.SYS_IOPRIO_SET, 1, pid, 2<<13|7) },
	"sched_setscheduler": func(pid uintptr) error {
		var priority int32
		return call(unix.SYS_SCHED_SETSCHEDULER, pid, unix.SCHED_IDLE, uintptr(unsafe.Pointer(&priority)))
	},
	"sched_setparam": func(pid uintptr) error {
		var priority int32
		return call(unix.SYS_SCHED_SETPARAM, pid, uintptr(unsafe.Pointer(&priority)))
	},
	"sched_setattr": func(pid uintptr) error {
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE, Nice: 19}
		return call(unix.SYS_SCHED_SETATTR, pid, uintptr(unsafe.Pointer(&attr)), 0)
	},
	"sched_setaffinity": func(pid uintptr) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(0, &set); err != nil {
			return err
		}
		return call(unix.SYS_SCHED_SETAFFINITY, pid, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	},
	"prlimit64": func(pid uintptr) error {
		var core unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil {
			return err
		}
		limit, before := unix.Rlimit{Cur: 0, Max: core.Max}, unix.Rlimit{Cur: 12345}
		err := call(unix.SYS_PRLIMIT64, pid, unix.RLIMIT_CORE, uintptr(unsafe.Pointer(&limit)), uintptr(unsafe.Pointer(&before)))
		if err == nil && before.Max != core.Max {
			return fmt.Errorf("the former limit is told as %v", before)
		}
		return err
	},
}

// groupActs do the same to groups and to whole users.
var groupActs = map[string]func(id uintptr) error{
	"group setpriority": func(id uintptr) error { return call(unix.SYS_SETPRIORITY, unix.PRIO_PGRP, id, 19) },
	"group ioprio_set":  func(id uintptr) error { return call(unix.SYS_IOPRIO_SET, 2, id, 2<<13|7) },
}

var userActs = map[string]func(id uintptr) error{
	"user setpriority": func(id uintptr) error { return call(unix.SYS_SETPRIORITY, unix.PRIO_USER, id, 19) },
	"user ioprio_set":  func(id uintptr) error { return call(unix.SYS_IOPRIO_SET, 3, id, 2<<13|7) },
}

// acting on others: for every act and every target, given as name=number, prints a
// line "act target outcome". The caller's own targets are added.
func actOnOthers(args []string) int {
	runtime.LockOSThread()
	child := exec.Command("/bin/sleep", "300")
	if err := child.Start(); err != nil {
		return fail(err)
	}
	defer func() { _ = child.Process.Kill() }()
	thread := make(chan int)
	go func() {
		runtime.LockOSThread()
		thread <- unix.Gettid()
		select {}
	}()
	targets := map[string]int{"own:caller": 0, "own:self": os.Getpid(), "own:thread": <-thread, "own:child": child.Process.Pid}
	for _, arg := range args {
		var number int
		name, text, _ := strings.Cut(arg, "=")
		if _, err := fmt.Sscan(text, &number); err != nil {
			return fail(err)
		}
		targets[name] = number
	}
	say := func(act, target string, err error) { fmt.Printf("%s|%s|%s\n", act, target, outcome(err)) }
	for target, number := range targets {
		for name, act := range acts {
			say(name, target, act(uintptr(number)))
		}
	}
	groups := map[string]int{"own:caller": 0, "own:group": unix.Getpgrp(), "other": targets["other"], "parent": targets["parent"]}
	for target, number := range groups {
		for name, act := range groupActs {
			say(name, target, act(uintptr(number)))
		}
	}
	for name, act := range userActs {
		say(name, "user", act(uintptr(os.Getuid())))
		say(name, "user 0", act(0))
	}
	return 0
}

// howItRuns is what the acts change about a process.
func howItRuns(t *testing.T, pid int) string {
	t.Helper()
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, pid)
	if err != nil {
		t.Fatal(err)
	}
	attr, err := unix.SchedGetAttr(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	var core unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_CORE, nil, &core); err != nil {
		t.Fatal(err)
	}
	ioprio, _, _ := syscall.RawSyscall(unix.SYS_IOPRIO_GET, 1, uintptr(pid), 0)
	return fmt.Sprint(nice, *attr, core, ioprio)
}

// What a confined program may not do to other processes it may do to its own: to
// itself, its threads, its children and its group.
func TestConfinedProgramChangesHowOnlyItsOwnProcessesRun(t *testing.T) {
	other := exec.Command(tool(t, "sleep"), "300")
	other.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	args := []string{fmt.Sprintf("other=%d", other.Process.Pid), fmt.Sprintf("parent=%d", os.Getpid()), "init=1", "nobody=-5"}
	threads, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		args = append(args, fmt.Sprintf("thread-of-parent=%s", filepath.Base(thread)))
	}
	watched := []int{other.Process.Pid, os.Getpid()}
	var before []string
	for _, pid := range watched {
		before = append(before, howItRuns(t, pid))
	}
	r := mustRun(t, confine(t, acting(t, "act-on-others", args...)))
	if r.ExitCode != 0 {
		t.Fatalf("exit %d: %s", r.ExitCode, r.Stderr.Head)
	}
	seen := 0
	for line := range strings.Lines(string(r.Stdout.Head)) {
		words := strings.Split(strings.TrimSpace(line), "|")
		act, target, outcome := words[0], words[1], words[2]
		seen++
		if own := strings.HasPrefix(target, "own:"); own && outcome != "done" || !own && !slices.Contains([]string{"EPERM", "ESRCH"}, outcome) {
			t.Errorf("%s of %s: %s", act, target, outcome)
		}
	}
	if want := len(acts)*(4+5) + len(groupActs)*4 + len(userActs)*2; seen != want {
		t.Errorf("%d outcomes, want %d", seen, want)
	}
	for i, pid := range watched {
		if now := howItRuns(t, pid); now != before[i] {
			t.Errorf("process %d: %s became %s", pid, before[i], now)
		}
	}
}

// What the acts ask for is nothing that a process may not do outside.
func TestUnconfinedProgramMayDoTheSame(t *testing.T) {
	other := exec.Command(tool(t, "sleep"), "300")
	other.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	before := howItRuns(t, other.Process.Pid)
	for name, act := range acts {
		if err := act(uintptr(other.Process.Pid)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if howItRuns(t, other.Process.Pid) == before {
		t.Error("the acts change nothing")
	}
}
