//go:build amd64 || arm64

package trial

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A cutter runs a program and all that it starts under its eyes, counts the
// calls that change files, and does something to the processes at one of them.
// It is a process of its own, since it waits for every child that there is.
type cutter struct {
	kind   string
	at     int
	root   int
	report cutReport
	// threads maps each thread to its process.
	threads map[int]int
	// full says that no call that needs room succeeds any more; frozen that nothing
	// in a repository's folder can be changed.
	full, frozen bool
	dead         bool
}

// cutReport is what the cutter tells of a run.
type cutReport struct {
	// Writes counts the calls that change files.
	Writes int
	// Call and Path are the one at which something was done.
	Call, Path string
	// Child says that the call was made by a process that the program started.
	Child bool
	// Exit is the program's exit code; -1 when a signal ended it.
	Exit int
}

// patience bounds a run; who takes longer hangs.
const patience = 2 * time.Minute

// cutterMain is the cutter: KIND N REPORT PROGRAM ARGS…
func cutterMain(args []string) error {
	if len(args) < 4 {
		return errors.New("usage: cutter KIND N REPORT PROGRAM ARGS…")
	}
	at, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	c := &cutter{kind: args[0], at: at, threads: map[int]int{}}
	late := time.AfterFunc(patience, func() {
		fmt.Fprintln(os.Stderr, "cutter: the program hangs")
		os.Exit(3) // which ends all that is traced
	})
	defer late.Stop()
	if err := c.run(args[3:]); err != nil {
		return err
	}
	data, err := json.Marshal(c.report)
	if err != nil {
		return err
	}
	return os.WriteFile(args[2], data, 0o600)
}

func (c *cutter) run(argv []string) error {
	runtime.LockOSThread() // one thread is the tracer
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p, err := os.StartProcess(self, append([]string{"watched"}, argv...), &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return err
	}
	c.root = p.Pid
	var status unix.WaitStatus
	if _, err := unix.Wait4(c.root, &status, 0, nil); err != nil {
		return err
	}
	c.threads[c.root] = c.root
	const options = unix.PTRACE_O_EXITKILL | unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACECLONE |
		unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC
	if err := unix.PtraceSetOptions(c.root, options); err != nil {
		return err
	}
	if err := unix.PtraceCont(c.root, 0); err != nil {
		return err
	}
	for {
		tid, err := unix.Wait4(-1, &status, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil:
			return err
		}
		if err := c.stopped(tid, status); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
}

// stopped handles what a thread stopped for, and lets it go on.
func (c *cutter) stopped(tid int, status unix.WaitStatus) error {
	if status.Exited() || status.Signaled() {
		if tid == c.root {
			c.report.Exit = -1
			if status.Exited() {
				c.report.Exit = status.ExitStatus()
			}
		}
		delete(c.threads, tid)
		return nil
	}
	_, known := c.threads[tid]
	if !known || status.TrapCause() == unix.PTRACE_EVENT_EXEC { // a thread that starts a program becomes its process
		c.threads[tid] = processOf(tid)
	}
	if c.dead {
		_ = unix.Kill(c.threads[tid], unix.SIGKILL)
		return unix.PtraceCont(tid, 0)
	}
	deliver := 0
	switch sig := status.StopSignal(); {
	case status.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
		if err := c.call(tid); err != nil {
			return err
		}
	case sig == unix.SIGTRAP && status.TrapCause() > 0: // a birth, or a program that begins
	case sig == unix.SIGSTOP && !known: // how a new thread begins
	default:
		deliver = int(sig)
	}
	return unix.PtraceCont(tid, deliver)
}

func processOf(tid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	_, rest, _ := strings.Cut(string(data), "\nTgid:")
	line, _, _ := strings.Cut(rest, "\n")
	if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
		return n
	}
	return tid
}

// callInfo is the kernel's struct ptrace_syscall_info.
type callInfo struct {
	op   uint8
	_    [3]byte
	_    uint32
	_    uint64
	_    uint64
	nr   uint64
	args [6]uint64
}

const getSyscallInfo = 0x420e

// call looks at a call that a thread is about to make.
func (c *cutter) call(tid int) error {
	var info callInfo
	if _, _, errno := unix.Syscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(tid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0); errno != 0 {
		return errno
	}
	w, path, ok := changes(tid, info)
	if !ok {
		return nil
	}
	c.report.Writes++
	if c.full && w.room {
		return refuseCall(tid, unix.ENOSPC)
	}
	if c.frozen && strings.Contains(path, "/.git/") {
		return refuseCall(tid, unix.EROFS)
	}
	if c.report.Writes != c.at {
		return nil
	}
	c.report.Call, c.report.Path, c.report.Child = w.name, path, c.threads[tid] != c.root
	return c.cut(tid, w, path)
}

// cut does what the kind of cut says.
func (c *cutter) cut(tid int, w writing, path string) error {
	switch c.kind {
	case "all":
		c.dead = true
		for _, process := range c.threads {
			_ = unix.Kill(process, unix.SIGKILL)
		}
	case "hop":
		_ = unix.Kill(c.root, unix.SIGKILL)
	case "writer":
		_ = unix.Kill(c.threads[tid], unix.SIGKILL)
	case "full":
		c.full = true
		if w.room {
			return refuseCall(tid, unix.ENOSPC)
		}
	case "frozen":
		c.frozen = true
		if strings.Contains(path, "/.git/") {
			return refuseCall(tid, unix.EROFS)
		}
	case "io":
		return refuseCall(tid, unix.EIO)
	}
	return nil
}

// watched is the program before it is the program: it has the kernel stop it, and
// all that it will start, at the calls that may change a file, and at no other.
func watched(argv []string) error {
	load := unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS} // the call's number
	filter := []unix.SockFilter{load}
	for nr := range stops() {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(nr), Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_TRACE})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	return unix.Exec(argv[0], argv, os.Environ())
}

// stops are the numbers of the calls that may change a file.
func stops() map[uint64]bool {
	all := map[uint64]bool{}
	for _, calls := range []map[uint64]writing{common, older} {
		for nr := range calls {
			all[nr] = true
		}
	}
	for _, nr := range openings {
		all[nr] = true
	}
	return all
}

// changes tells a call that changes a file from others, and which file.
func changes(tid int, info callInfo) (w writing, path string, ok bool) {
	w, ok = common[info.nr]
	if !ok {
		w, ok = older[info.nr]
	}
	where, flags, opens := opening(info.nr, info.args)
	if info.nr == unix.SYS_OPENAT2 { // its flags are in memory
		var word [8]byte
		_, _ = unix.PtracePeekData(tid, uintptr(info.args[2]), word[:])
		where, flags, opens = byAt, binary.NativeEndian.Uint64(word[:]), true
	}
	if opens && flags&creates != 0 {
		w, ok = writing{"open to create", where, true}, true
	}
	if !ok {
		return w, "", false
	}
	switch w.where {
	case byFD:
		path, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, int32(info.args[0])))
	case byPath:
		path = textAt(tid, info.args[0])
	case byAt:
		path = textAt(tid, info.args[1])
		if !strings.HasPrefix(path, "/") {
			folder, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, int32(info.args[0])))
			path = folder + "/" + path
		}
	}
	// Pipes and devices are no files, and the kernel's own files no disk.
	if w.where == byFD && !strings.HasPrefix(path, "/") {
		return w, path, false
	}
	for _, other := range []string{"/dev/null", "/proc/", "/sys/"} {
		if strings.HasPrefix(path, other) {
			return w, path, false
		}
	}
	return w, path, true
}

// textAt reads a path from the memory of a thread.
func textAt(tid int, address uint64) string {
	var out []byte
	for len(out) < unix.PathMax {
		var word [8]byte
		if n, err := unix.PtracePeekData(tid, uintptr(address)+uintptr(len(out)), word[:]); err != nil || n == 0 {
			return string(out)
		}
		for i := range 8 {
			if word[i] == 0 {
				return string(append(out, word[:i]...))
			}
		}
		out = binary.NativeEndian.AppendUint64(out, binary.NativeEndian.Uint64(word[:]))
	}
	return string(out)
}
