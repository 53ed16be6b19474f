package proc_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempt tries one thing that a program might do and prints "done" or the
// error's name. Arguments: what, then what it needs.
func attempt(args []string) int {
	try, ok := attempts[args[0]]
	if !ok {
		return fail(fmt.Errorf("no attempt %q", args[0]))
	}
	fmt.Println(outcome(try(args[1:])))
	return 0
}

func outcome(err error) string {
	if err == nil {
		return "done"
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return unix.ErrnoName(errno)
	}
	return err.Error()
}

// call makes a raw system call, so that no library decides about the arguments.
func call(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	_, _, errno := syscall.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return errno
	}
	return nil
}

func number(text string) uintptr {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		panic(err)
	}
	return uintptr(n)
}

func cString(text string) uintptr {
	b, err := unix.BytePtrFromString(text)
	if err != nil {
		panic(err)
	}
	return uintptr(unsafe.Pointer(b))
}

var attempts = map[string]func(args []string) error{
	// Files.
	"read":     func(a []string) error { _, err := os.ReadFile(a[0]); return err },
	"list":     func(a []string) error { _, err := os.ReadDir(a[0]); return err },
	"write":    func(a []string) error { return os.WriteFile(a[0], []byte("x"), 0o600) },
	"append":   func(a []string) error { return openWith(a[0], os.O_WRONLY|os.O_APPEND) },
	"truncate": func(a []string) error { return unix.Truncate(a[0], 0) },
	"shorten":  func(a []string) error { return openWith(a[0], unix.O_RDONLY|unix.O_TRUNC) },
	"mkdir":    func(a []string) error { return unix.Mkdir(a[0], 0o700) },
	"remove":   func(a []string) error { return unix.Unlink(a[0]) },
	"rename":   func(a []string) error { return unix.Rename(a[0], a[1]) },
	"link":     func(a []string) error { return unix.Link(a[0], a[1]) },
	"symlink":  func(a []string) error { return unix.Symlink(a[0], a[1]) },
	"device":   func(a []string) error { return unix.Mknod(a[0], unix.S_IFCHR|0o600, 1<<8|3) },
	"setuid":   func(a []string) error { return unix.Chmod(a[0], unix.S_ISUID|0o755) },
	"fsetuid":  func(a []string) error { return unix.Fchmodat(unix.AT_FDCWD, a[0], unix.S_ISUID|0o755, 0) },
	"exec": func(a []string) error {
		return syscall.Exec(a[0], a, nil)
	},

	// The process that started this one. Its threads are tried one by one; one that
	// lets itself be looked into is enough.
	"inspect":      inspect,
	"signal":       func(a []string) error { return unix.Kill(int(number(a[0])), unix.Signal(number(a[1]))) },
	"signal-each":  func(a []string) error { return eachThread(a[0], signalThread) },
	"trace":        func(a []string) error { return call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, number(a[0]), 0, 0) },
	"trace-each":   func(a []string) error { return eachThread(a[0], traceThread) },
	"read-memory":  readMemory,
	"limits":       limits,
	"own-signal":   ownSignal,
	"compare":      func(a []string) error { return call(unix.SYS_KCMP, number(a[0]), number(a[0]), 0, 0, 0) },
	"pidfd-signal": pidfdSignal,
	"pidfd-steal":  pidfdSteal,

	// The kernel.
	"socket":     func(a []string) error { return call(unix.SYS_SOCKET, number(a[0]), number(a[1]), number(a[2])) },
	"socketpair": socketpair,
	"unshare":    func(a []string) error { return call(unix.SYS_UNSHARE, number(a[0])) },
	"clone":      clone,
	"clone3":     func([]string) error { return call(unix.SYS_CLONE3, 0, 0) },
	"io_uring": func([]string) error {
		var p [120]byte
		return call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&p)))
	},
	"mount": func(a []string) error {
		return call(unix.SYS_MOUNT, cString("none"), cString(a[0]), cString("tmpfs"), 0, 0)
	},
	"fsopen": func([]string) error { return call(unix.SYS_FSOPEN, cString("tmpfs"), 0) },
	"open_tree": func([]string) error {
		return call(unix.SYS_OPEN_TREE, ^uintptr(99), cString("/"), 1)
	},
	"chroot":      func(a []string) error { return unix.Chroot(a[0]) },
	"setns":       func([]string) error { return call(unix.SYS_SETNS, 0, 0) },
	"bpf":         func([]string) error { return call(unix.SYS_BPF, 0, 0, 0) },
	"perf":        func([]string) error { return call(unix.SYS_PERF_EVENT_OPEN, 0, 0, ^uintptr(0), ^uintptr(0), 0) },
	"userfaultfd": func([]string) error { return call(unix.SYS_USERFAULTFD, 1) },
	"keyctl":      func([]string) error { return call(unix.SYS_KEYCTL, 0, ^uintptr(2), 0) },
	"handle":      func([]string) error { return call(unix.SYS_OPEN_BY_HANDLE_AT, 0, 0, 0) },
	"ioctl":       func(a []string) error { return call(unix.SYS_IOCTL, 0, number(a[0]), 0) },
	"number":      func(a []string) error { return call(number(a[0])) },
	"connect":     connect,
	"shmget":      func([]string) error { return call(unix.SYS_SHMGET, 0, 4096, 0o1600) },
	"mq_open": func([]string) error {
		return call(unix.SYS_MQ_OPEN, cString("bridle-test"), unix.O_RDONLY, 0, 0)
	},
}

func openWith(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// inspect opens what /proc shows of a process and of each of its threads.
// Arguments: the process, then the names to try.
func inspect(a []string) error {
	dirs, err := filepath.Glob("/proc/" + a[0] + "/task/*")
	if err != nil || len(dirs) == 0 {
		return errors.New("no threads to be seen")
	}
	for _, dir := range dirs {
		dirs = append(dirs, "/proc/"+filepath.Base(dir))
	}
	dirs = append(dirs, "/proc/"+a[0])
	refused := errors.New("nothing tried")
	for _, dir := range dirs {
		for _, name := range a[1:] {
			var err error
			if info, _ := os.Lstat(dir + "/" + name); info != nil && info.IsDir() {
				_, err = os.ReadDir(dir + "/" + name)
			} else if info != nil && info.Mode()&os.ModeSymlink != 0 {
				_, err = os.Readlink(dir + "/" + name)
			} else {
				err = readSome(dir + "/" + name)
			}
			if err == nil {
				return nil
			}
			if outcome(err) != "ENOENT" { // a thread that has ended meanwhile
				refused = err
			}
		}
	}
	return refused
}

func readSome(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var buf [16]byte
	_, err = unix.Read(fd, buf[:])
	if err == unix.EIO { // address 0 of an opened memory is not mapped; opening is what counts
		return nil
	}
	return err
}

func eachThread(pid string, try func(pid, tid int) error) error {
	dirs, err := filepath.Glob("/proc/" + pid + "/task/*")
	if err != nil || len(dirs) == 0 {
		return errors.New("no threads to be seen")
	}
	refused := errors.New("nothing tried")
	for _, dir := range dirs {
		err := try(int(number(pid)), int(number(filepath.Base(dir))))
		if err == nil {
			return nil
		}
		if err != unix.ESRCH {
			refused = err
		}
	}
	return refused
}

// signalThread sends no signal but asks whether one could be sent, in all ways.
func signalThread(pid, tid int) error {
	info := [128]byte{8: 0xff, 9: 0xff, 10: 0xff, 11: 0xff} // si_code is SI_QUEUE
	pointer := uintptr(unsafe.Pointer(&info))
	p, t := uintptr(pid), uintptr(tid)
	refused := error(unix.ESRCH)
	for _, err := range []error{
		call(unix.SYS_KILL, t, 0), call(unix.SYS_TKILL, t, 0), call(unix.SYS_TGKILL, p, t, 0),
		call(unix.SYS_RT_SIGQUEUEINFO, t, 0, pointer), call(unix.SYS_RT_TGSIGQUEUEINFO, p, t, 0, pointer),
	} {
		if err == nil {
			return nil
		}
		if err != unix.ESRCH {
			refused = err
		}
	}
	return refused
}

func traceThread(_, tid int) error {
	return call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(tid), 0, 0)
}

func readMemory(a []string) error {
	var buf [8]byte
	local := unix.Iovec{Base: &buf[0], Len: 8}
	remote := unix.RemoteIovec{Base: 0x400000, Len: 8}
	return call(unix.SYS_PROCESS_VM_READV, number(a[0]), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
}

func limits(a []string) error {
	var now unix.Rlimit
	return unix.Prlimit(int(number(a[0])), unix.RLIMIT_CORE, nil, &now)
}

// ownSignal asks that a descriptor's signals go to a process or thread.
// Arguments: "plain" or "extended", and the number.
func ownSignal(a []string) error {
	if a[0] == "plain" {
		return call(unix.SYS_FCNTL, 0, unix.F_SETOWN, number(a[1]))
	}
	owner := [2]int32{0, int32(number(a[1]))}
	return call(unix.SYS_FCNTL, 0, unix.F_SETOWN_EX, uintptr(unsafe.Pointer(&owner)))
}

func pidfdSignal(a []string) error {
	fd, err := unix.PidfdOpen(int(number(a[0])), 0)
	if err != nil {
		return err
	}
	return unix.PidfdSendSignal(fd, 0, nil, 0)
}

func pidfdSteal(a []string) error {
	fd, err := unix.PidfdOpen(int(number(a[0])), 0)
	if err != nil {
		return err
	}
	return call(unix.SYS_PIDFD_GETFD, uintptr(fd), 0, 0)
}

func socketpair(a []string) error {
	var fds [2]int32
	return call(unix.SYS_SOCKETPAIR, number(a[0]), number(a[1]), 0, uintptr(unsafe.Pointer(&fds)))
}

// clone makes a process with the given flags, which ends at once.
func clone(a []string) error {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, number(a[0])|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

// connect connects a unix socket. Argument: a path, or "@name".
func connect(a []string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	name := a[0]
	if strings.HasPrefix(name, "@") {
		name = "\x00" + name[1:]
	}
	return unix.Connect(fd, &unix.SockaddrUnix{Name: name})
}
