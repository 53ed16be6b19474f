//go:build unix

package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
)

func playHere(part, dir, arg string) error {
	switch part {
	case "limited": // the kernel stops the write half-way
		signal.Ignore(syscall.SIGXFSZ)
		limit := unix.Rlimit{Cur: 1000, Max: 1000}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		err := WriteFile(filepath.Join(dir, "f"), make([]byte, 5000), 0o600)
		if !errors.Is(err, unix.EFBIG) || !fault.Is(err, CodeIO) {
			return fmt.Errorf("got %w", err)
		}
		return nil
	case "umask": // arg: the mask; every mode is exact under it
		var mask int
		if _, err := fmt.Sscanf(arg, "%o", &mask); err != nil {
			return err
		}
		unix.Umask(mask)
		return checkModes(dir)
	case "put":
		return WriteFile(filepath.Join(dir, "f"), []byte("new"), 0o600)
	default:
		return errors.New("no such part")
	}
}

func checkModes(dir string) error {
	for _, perm := range []fs.FileMode{0o600, 0o644, 0o666, 0o755, 0o777, 0o400} {
		path := filepath.Join(dir, fmt.Sprintf("%o", perm))
		if err := WriteFile(path, nil, perm); err != nil {
			return err
		}
		if err := CreateFile(path+"c", nil, perm); err != nil {
			return err
		}
		folder := perm&0o755 | 0o700
		if err := MkdirAll(path+"d/e", folder); err != nil {
			return err
		}
		for name, want := range map[string]fs.FileMode{path: perm, path + "c": perm, path + "d": folder, path + "d/e": folder} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
				return fmt.Errorf("%s has %v, want %v", name, info.Mode(), want)
			}
		}
	}
	unlock, ok, err := TryLock(filepath.Join(dir, "lock"), "x")
	if err != nil || !ok {
		return fmt.Errorf("lock: %v %w", ok, err)
	}
	unlock()
	if info, err := os.Stat(filepath.Join(dir, "lock")); err != nil || info.Mode().Perm() != 0o600 {
		return fmt.Errorf("lock has %v", info.Mode())
	}
	return nil
}

func TestModesAreExactUnderAnyUmask(t *testing.T) {
	for _, mask := range []string{"000", "022", "077", "777"} {
		if out, err := part("umask", t.TempDir(), mask).CombinedOutput(); err != nil {
			t.Errorf("umask %s: %v %s", mask, err, out)
		}
	}
}

func TestAWriteThatTheKernelCutsShortChangesNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/f", []byte("old"), 0o600))
	if out, err := part("limited", dir, "").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if got := look(t, dir); got != "f=old" || len(litter(t, dir)) > 0 {
		t.Errorf("state %q, left behind %q", got, litter(t, dir))
	}
}

func TestAFolderThatMayNotBeWrittenIsRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/f", []byte("old"), 0o600))
	for _, d := range []string{dir, filepath.Dir(dir)} { // reachable for the other user
		must(t, os.Chmod(d, 0o755))
	}
	must(t, os.Chmod(dir, 0o555))
	defer os.Chmod(dir, 0o755)
	err := asOrdinaryUser(t, func() error { return WriteFile(dir+"/f", []byte("new"), 0o600) })
	if !fault.Is(err, CodeNotPermitted) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v (code %q)", err, fault.CodeOf(err))
	}
	if got := look(t, dir); got != "f=old" {
		t.Errorf("state %q", got)
	}
}

func TestSpecialFilesAreRefusedAndHangNobody(t *testing.T) {
	dir := t.TempDir()
	must(t, unix.Mkfifo(dir+"/fifo", 0o600))
	must(t, unix.Mkfifo(slotName(dir+"/f", 0), 0o600))
	if err := WriteFile(dir+"/fifo", nil, 0o600); !fault.Is(err, CodeBadTarget) {
		t.Errorf("WriteFile: %v", err)
	}
	must(t, WriteFile(dir+"/f", []byte("x"), 0o600))
	if _, _, err := TryLock(dir+"/fifo", "x"); !fault.Is(err, CodeBadTarget) {
		t.Errorf("TryLock: %v", err)
	}
	if Holder(dir+"/fifo") != "" {
		t.Error("a FIFO names a holder")
	}
}

// The steps that the other tests count are the calls that the kernel sees.
func TestTheKernelSeesTheStepsInOrder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("strace is a Linux program")
	}
	strace, err := exec.LookPath("strace")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("strace is not installed")
	}
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/f", []byte("old"), 0o600))
	child := part("put", dir, "")
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(strace, append([]string{"-f", "-y", "-o", log, "-e", "trace=openat,write,fchmod,fsync,rename,renameat,renameat2", "--"}, child.Args...)...)
	cmd.Env = child.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	trace, err := os.ReadFile(log)
	must(t, err)
	want := []struct{ step, pattern string }{
		{"exclusive creation", `openat\(.*\.durable-.*O_EXCL.*0600\)`},
		{"write", `write\(.*\.durable-.*"new", 3\)`},
		{"mode", `fchmod\(.*\.durable-.*0600\)`},
		{"flush of the file", `fsync\(.*\.durable-`},
		{"move", `rename.*\.durable-.*/f"`},
		{"flush of the folder", `fsync\(\d+<` + regexp.QuoteMeta(dir) + `>\)`},
	}
	var got []string
	for line := range strings.Lines(string(trace)) {
		for _, w := range want {
			if regexp.MustCompile(w.pattern).MatchString(line) {
				got = append(got, w.step)
			}
		}
	}
	var all []string
	for _, w := range want {
		all = append(all, w.step)
	}
	if !slices.Equal(got, all) {
		t.Errorf("got %q\nwant %q\n%s", got, all, trace)
	}
}

func TestMkdirOpenIsAsOpenAsTheUmaskHasItOrTheGroup(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/shared", 0o700))
	must(t, os.Chmod(dir+"/shared", fs.ModeSetgid|0o770))
	must(t, os.Mkdir(dir+"/own", 0o777))
	must(t, os.Chmod(dir+"/own", 0o777))
	for _, c := range []struct {
		umask int
		path  string
		want  fs.FileMode
	}{
		{0o022, "own/a/b", 0o755},
		{0o077, "own/c/d", 0o700},
		{0o002, "own/e/f", 0o775},
		{0o777, "own/g/h", 0o700},
		{0o022, "shared/a/b", fs.ModeSetgid | 0o770},
		{0o777, "shared/c/d", fs.ModeSetgid | 0o770},
	} {
		before := syscall.Umask(c.umask)
		err := MkdirOpen(filepath.Join(dir, c.path))
		syscall.Umask(before)
		must(t, err)
		for _, path := range []string{c.path, filepath.Dir(c.path)} {
			info, err := os.Stat(filepath.Join(dir, path))
			must(t, err)
			if got := info.Mode() & (fs.ModeSetgid | fs.ModePerm); got != c.want {
				t.Errorf("umask %03o, %s: %v, want %v", c.umask, path, got, c.want)
			}
		}
	}
}
