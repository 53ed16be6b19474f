package identity

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
)

// The variables that make this program a process under test: it changes the
// store in a folder and dies before its n-th call that writes.
const (
	childRoot = "IDENTITY_TEST_ROOT"
	childAct  = "IDENTITY_TEST_ACT"
	childDies = "IDENTITY_TEST_DIES_AT"
)

// lived is the exit code of a child that was not cut off.
const lived = 0

func TestMain(m *testing.M) {
	if root := os.Getenv(childRoot); root != "" {
		os.Exit(child(root, os.Getenv(childAct), os.Getenv(childDies)))
	}
	os.Exit(m.Run())
}

// child runs on one thread, so that what is injected there counts its calls.
func child(root, act, dies string) int {
	runtime.LockOSThread()
	n, _ := strconv.Atoi(dies)
	o := Options{FileSystems: forTests(), system: &mortal{linux: linux{}, left: n}}
	var err error
	switch act {
	case "create":
		_, err = Create(root, o)
	default:
		var s *Store
		if s, err = Open(root, o); err == nil {
			err = s.Rotate()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return lived
}

// mortal kills its own process before a call that writes.
type mortal struct {
	linux
	left int // 0 lives on
}

func (m *mortal) live() {
	if m.left--; m.left == 0 {
		_ = unix.Kill(os.Getpid(), unix.SIGKILL)
		select {}
	}
}

func (m *mortal) openUnnamed(dir handle) (handle, error) { m.live(); return m.linux.openUnnamed(dir) }

func (m *mortal) makeDir(dir handle, name string) error { m.live(); return m.linux.makeDir(dir, name) }
func (m *mortal) write(h handle, data []byte) error     { m.live(); return m.linux.write(h, data) }
func (m *mortal) chmod(h handle, mode uint32) error     { m.live(); return m.linux.chmod(h, mode) }
func (m *mortal) sync(h handle) error                   { m.live(); return m.linux.sync(h) }
func (m *mortal) unlink(dir handle, name string) error  { m.live(); return m.linux.unlink(dir, name) }

func (m *mortal) link(source, dir handle, name string) error {
	m.live()
	return m.linux.link(source, dir, name)
}

func (m *mortal) exchange(dir handle, a, b string) error {
	m.live()
	return m.linux.exchange(dir, a, b)
}

func (m *mortal) move(dir handle, from, to string) error {
	m.live()
	return m.linux.move(dir, from, to)
}

func forTests() []string { return append(Certified(), "tmpfs") }

// testFolder is a folder on a file system that has what a store needs.
func testFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if !suits(t, dir) {
		other, err := os.MkdirTemp("/dev/shm", "identity")
		if err != nil || !suits(t, other) {
			t.Fatalf("neither %s nor /dev/shm is on %v", dir, forTests())
		}
		t.Cleanup(func() { _ = os.RemoveAll(other) })
		dir = other
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // whatever the mask is
		t.Fatal(err)
	}
	return dir
}

func suits(t *testing.T, dir string) bool {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	name, err := linux{}.fileSystem(handle(f.Fd()))
	return err == nil && slices.Contains(forTests(), name)
}

// here makes a store in a folder of the real system, with two keys.
func here(t *testing.T, root string) []string {
	t.Helper()
	s, err := Create(root, Options{FileSystems: forTests()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Rotate(); err != nil {
		t.Fatal(err)
	}
	return s.identity.ids()
}

func start(t *testing.T, root, act string, dies int, wrap ...string) (code int, output string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	words := append(slices.Clone(wrap), self)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), childRoot+"="+root, childAct+"="+act, childDies+"="+strconv.Itoa(dies), "GOMAXPROCS=1", "GOGC=off")
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	} else if ok {
		code = exit.ExitCode()
	}
	return code, string(out)
}

// judgeReal opens a store that a process left, and wants the keys from before or
// one more. It says whether there is one more.
func judgeReal(t *testing.T, root string, before []string) (changed bool) {
	t.Helper()
	s, err := Open(root, Options{FileSystems: forTests()})
	if len(before) == 0 && fault.Is(err, CodeMissing) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	added := 0
	for _, kid := range s.identity.ids() {
		if !slices.Contains(before, kid) {
			added++
		}
	}
	if len(s.identity.ids()) != len(before)+added || added > 1 || len(before) == 0 && added == 0 {
		t.Errorf("before %q, after %q", before, s.identity.ids())
	}
	entries, err := os.ReadDir(filepath.Join(root, serviceName))
	if err != nil || len(entries) != 2 {
		t.Errorf("the service folder holds %v, %v", entries, err)
	}
	return added > 0
}

func TestAKilledProcessLeavesTheOldIdentityOrTheNewOne(t *testing.T) {
	for _, act := range []string{"create", "rotate"} {
		t.Run(act, func(t *testing.T) {
			seen := map[bool]int{}
			for n := 1; ; n++ {
				root := filepath.Join(testFolder(t), "identity")
				var before []string
				if act == "rotate" {
					before = here(t, root)
				}
				code, out := start(t, root, act, n)
				changed := judgeReal(t, root, before)
				if code == lived {
					if !changed {
						t.Error("an acknowledged change is lost")
					}
					break
				}
				if code != -1 {
					t.Fatalf("call %d: exit %d: %s", n, code, out)
				}
				seen[changed]++
			}
			if seen[false] < 5 || seen[true] < 2 {
				t.Errorf("%d deaths left the old state and %d the new one", seen[false], seen[true])
			}
		})
	}
}

// The same with the kernel's own answers: strace makes each system call of a
// rotation fail, or kills the process there.
func TestEverySystemCallMayFailOrBeTheLast(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	injections := []struct{ call, what string }{
		{"linkat", "signal=KILL"},
		{"renameat2", "signal=KILL"},
		{"unlinkat", "signal=KILL"},
		{"fsync", "signal=KILL"},
		{"linkat", "error=EIO"},
		{"renameat2", "error=EIO"},
		{"unlinkat", "error=EIO"},
		{"fsync", "error=EIO"},
		{"pwrite64", "error=EIO"},
		{"fchmod", "error=EIO"},
		{"pread64", "error=EIO"},
		{"flock", "error=EIO"},
		{"linkat", "error=ENOSPC"},
		{"renameat2", "error=ENOSPC"},
		{"pwrite64", "error=ENOSPC"},
		{"fsync", "error=ENOSPC"},
		{"pwrite64", "error=EINTR"},
		{"flock", "error=EINTR"},
		{"linkat", "error=ENOENT"},
		{"linkat", "error=EPERM"},
	}
	work := make(chan struct{ call, what string })
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := range work {
				inject(t, strace, i.call, i.what)
			}
		})
	}
	for _, i := range injections {
		work <- i
	}
	close(work)
	workers.Wait()
}

func inject(t *testing.T, strace, call, what string) {
	for n := 1; ; n++ {
		root := filepath.Join(testFolder(t), "identity")
		before := here(t, root)
		log := root + ".strace"
		code, out := start(t, root, "rotate", 0, strace, "-f", "-qq", "-o", log,
			"-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", call, what, n))
		trace, err := os.ReadFile(log)
		if err != nil {
			t.Errorf("%s: %v: %s", call, err, out)
			return
		}
		changed := judgeReal(t, root, before)
		if code == lived && !changed {
			t.Errorf("%s:%s:%d: an acknowledged change is lost", call, what, n)
		}
		if !strings.Contains(string(trace), "INJECTED") && !strings.Contains(string(trace), "killed by SIGKILL") {
			if n == 1 || code != lived {
				t.Errorf("%s:%s:%d: nothing was injected, exit %d: %s", call, what, n, code, out)
			}
			return
		}
		// The kernel's refusal to link by an empty path, and a signal, are no failures.
		harmless := what == "error=ENOENT" || what == "error=EPERM" || what == "error=EINTR"
		if harmless && code != lived {
			t.Errorf("%s:%s:%d: exit %d: %s", call, what, n, code, out)
		}
	}
}

func TestTheRealStoreIsLaidOutAsSpecified(t *testing.T) {
	root := filepath.Join(testFolder(t), "a", "identity")
	old := unix.Umask(0o277) // the strangest mask that still lets folders be entered
	s, err := Create(root, Options{FileSystems: forTests()})
	unix.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for path, mode := range map[string]os.FileMode{
		"": os.ModeDir | 0o700, "service": os.ModeDir | 0o700, "service/lock": 0o600, "service/identity.json": 0o600,
	} {
		info, err := os.Lstat(filepath.Join(root, path))
		if err != nil || info.Mode() != mode {
			t.Errorf("%q: %v, %v", path, info.Mode(), err)
		}
	}
	data, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(data); err != nil {
		t.Error(err)
	}
	if again := opening(root); !fault.Is(again, CodeLocked) {
		t.Errorf("while it is open: %v", again)
	}
}

func opening(root string) error {
	s, err := Open(root, Options{FileSystems: forTests()})
	if err != nil {
		return err
	}
	return s.Close()
}

func TestNoComponentOfTheRealPathMayBeALink(t *testing.T) {
	for _, part := range []string{"parent", "parent/root", "parent/root/service", "parent/root/service/lock", "parent/root/service/identity.json"} {
		t.Run(part, func(t *testing.T) {
			dir := testFolder(t)
			root := filepath.Join(dir, "parent", "root")
			here(t, root)
			path := filepath.Join(dir, part)
			if err := os.Rename(path, path+".real"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(path+".real", path); err != nil {
				t.Fatal(err)
			}
			if err := opening(root); !fault.Is(err, CodeInsecure) && !fault.Is(err, CodeTampered) {
				t.Errorf("opened with %v", err)
			}
		})
	}
}

func TestAPipeInThePlaceOfAFileDoesNotHoldTheStoreUp(t *testing.T) {
	for _, name := range []string{lockName, identityName} {
		root := filepath.Join(testFolder(t), "identity")
		here(t, root)
		path := filepath.Join(root, serviceName, name)
		if err := errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := opening(root); !fault.Is(err, CodeInsecure) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACopyOfTheRealStoreOpens(t *testing.T) {
	dir := testFolder(t)
	root, twin := filepath.Join(dir, "identity"), filepath.Join(dir, "twin")
	here(t, root)
	if out, err := exec.Command("cp", "-a", root, twin).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := opening(twin); err != nil {
		t.Error(err)
	}
}

// The two ways to name a held file, and what the kernel does with each.
func TestBothWaysToLinkAHeldFileWorkHere(t *testing.T) {
	dir := testFolder(t)
	l := linux{}
	top, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = top.Close() }()
	d := handle(top.Fd())
	h, err := l.openUnnamed(d)
	if err != nil {
		t.Fatal(err)
	}
	proc, err := l.openProc()
	if err != nil {
		t.Fatal(err)
	}
	held, _ := l.stat(h)
	if seen, err := l.statProc(proc, h); err != nil || seen != held {
		t.Errorf("procfs shows %+v, %v; the file is %+v", seen, err, held)
	}
	if err := l.linkProc(proc, h, d, "a"); err != nil {
		t.Error(err)
	}
	if err := l.linkProc(proc, h, d, "a"); !errors.Is(err, unix.EEXIST) {
		t.Errorf("a name that is taken: %v", err)
	}
	if err := l.link(h, d, "b"); err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EPERM) {
		t.Error(err)
	}
	if err := l.move(d, "a", "c"); err != nil {
		t.Error(err)
	}
	if err := l.unlink(d, "c"); err != nil {
		t.Error(err)
	}
}

func BenchmarkOpen(b *testing.B) {
	dir, err := os.MkdirTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	root := filepath.Join(dir, "identity")
	s, err := Create(root, Options{FileSystems: forTests()})
	if err != nil {
		b.Fatal(err)
	}
	_ = s.Close()
	for b.Loop() {
		if err := opening(root); err != nil {
			b.Fatal(err)
		}
	}
}
