package proc_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/sandbox"
)

// roles are what this test binary does when it is started as a child with
// "role <name>" as its first arguments.
var roles = map[string]func(args []string) int{
	"act-on-others": actOnOthers,
	"attempt":       attempt,
	"chains":        chains,
	"daemons":       daemons,
	"flood":         flood,
	"layered":       layered,
	"linger":        linger,
	"parent":        parent,
	"replace":       replace,
	"spawn":         spawn,

	"supervise-and-die": superviseAndDie,
	"who":               who,
}

func TestMain(m *testing.M) {
	if code, handled := proc.SupervisorMain(os.Args); handled {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == "role" {
		role, ok := roles[os.Args[2]]
		if !ok {
			fmt.Fprintf(os.Stderr, "no role %q\n", os.Args[2])
			os.Exit(99)
		}
		os.Exit(role(os.Args[3:]))
	}
	os.Exit(m.Run())
}

// limit is a liveness bound: a run that takes as long hangs.
const limit = 2 * time.Minute

func shell(script string, args ...string) proc.Spec {
	return proc.Spec{
		Path: "/bin/sh", Args: append([]string{"-c", script, "sh"}, args...),
		Env: []string{"PATH=/usr/bin:/bin"}, Timeout: limit,
	}
}

// prompt keeps a program with the race detector in it from sleeping for a second
// before it ends.
const prompt = "GORACE=atexit_sleep_ms=0"

// acting runs this test binary in a role.
func acting(t testing.TB, role string, args ...string) proc.Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return proc.Spec{Path: self, Args: append([]string{"role", role}, args...), Env: []string{prompt}, Timeout: limit}
}

// confine gives the spec the profile of an ordinary tool that may write in dirs.
func confine(t testing.TB, s proc.Spec, dirs ...string) proc.Spec {
	t.Helper()
	p, err := sandbox.ForTool(sandbox.Tool{Executable: s.Path, Path: "/usr/bin:/bin", ReadWrite: dirs})
	if err != nil {
		t.Fatal(err)
	}
	s.Profile = &p
	return s
}

func mustRun(t testing.TB, s proc.Spec) proc.Result {
	t.Helper()
	r, err := proc.Run(t.Context(), s)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	return r
}

// bothWays runs a test for an unconfined and for a confined child.
func bothWays(t *testing.T, test func(t *testing.T, way func(s proc.Spec, dirs ...string) proc.Spec)) {
	t.Run("unconfined", func(t *testing.T) {
		test(t, func(s proc.Spec, _ ...string) proc.Spec { return s })
	})
	t.Run("confined", func(t *testing.T) {
		test(t, func(s proc.Spec, dirs ...string) proc.Spec { return confine(t, s, dirs...) })
	})
}

// tool returns the path of a program that the test needs. Where tests must not be
// passed over, in CI, a missing one is a failure.
func tool(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/local/go/bin"} {
		path := filepath.Join(dir, name)
		if unix.Access(path, unix.X_OK) == nil {
			return path
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed, and in CI it must be", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// gone waits until a process has ended, and says whether it did.
func gone(t testing.TB, pid int) bool {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err == unix.ESRCH {
		return true
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, int(limit/4/time.Millisecond))
		if err != unix.EINTR {
			return n == 1
		}
	}
}

// alive says whether a process has not ended yet.
func alive(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, 0)
		if err != unix.EINTR {
			return n == 0
		}
	}
}

// readPid reads the number that a child left in a file.
func readPid(t testing.TB, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(strings.TrimSpace(string(text)), &pid); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return pid
}

func itoa(n int) string { return fmt.Sprint(n) }

// awaitFile returns when the file is there.
func awaitFile(t testing.TB, path string) {
	t.Helper()
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(watch)
	if _, err := unix.InotifyAddWatch(watch, filepath.Dir(path), unix.IN_CREATE|unix.IN_MOVED_TO); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(limit)
	for time.Now().Before(deadline) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		fds := []unix.PollFd{{Fd: int32(watch), Events: unix.POLLIN}}
		if n, _ := unix.Poll(fds, 1000); n > 0 {
			var buf [4096]byte
			unix.Read(watch, buf[:])
		}
	}
	t.Fatalf("%s did not appear", path)
}
