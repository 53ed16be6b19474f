package proc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
)

// intrusions are tries to change a directory by any way; what succeeds is said.
const intrusions = `
try() { "$@" 2>/dev/null && echo "undone: $*"; }
try sh -c 'echo x > file'; try sh -c 'echo x >> "$0/file"' "$1"; try touch new; try rm file; try mv file other; try mkdir deep/er
try chmod 600 file; try ln file "$2/hard"; try sh -c 'echo x > "$0/link/file"' "$2"; try sh -c 'echo x > /proc/self/cwd/file'
try truncate -s 0 file; try touch -d 2001-01-01 file; try chmod 700 "$1"; try mv "$1" "$1-away"; try rmdir deep; try ln -s x deep/link; try mkfifo deep/pipe
try mv "$2/mine" deep/mine; try chmod 600 "$2/link/file"; try setfattr -n user.x -v y file
try sh -c 'echo x > "/proc/1/cwd$0/file"' "$1"; try sh -c 'echo x > "/proc/1/root$0/file"' "$1"
try mount -o remount,rw "$1"; try mount -o remount,bind,rw "$1"; try umount "$1"; try umount -l "$1"; try mount -t tmpfs none "$1"
try unshare -rm sh -c 'mount -o remount,bind,rw "$0" && echo x > "$0/file"' "$1"
try nsenter -t 1 -m true
(setsid sh -c 'echo x > file' 2>/dev/null &) ; sleep 0.1
cat file; echo written > "$2/file" && chmod 640 "$2/file" && mkdir "$2/d" && mv "$2/file" "$2/d/file" && cat "$2/d/file"`

// view is a directory to be closed and one to be left open beside it.
type view struct{ base, closed, open string }

func newView(t *testing.T) view {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	v := view{base, filepath.Join(base, "closed"), filepath.Join(base, "open")}
	for _, dir := range []string{v.closed, v.open, filepath.Join(v.closed, "deep")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{filepath.Join(v.closed, "file"): "kept", filepath.Join(v.open, "mine"): "mine"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(v.closed, filepath.Join(v.open, "link")); err != nil {
		t.Fatal(err)
	}
	// A link beside the closed directory grants nothing of it.
	if err := os.Symlink(v.closed, filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v view) spec() proc.Spec {
	s := shell(intrusions, v.closed, v.open)
	s.Dir = v.closed
	return s
}

// untouched checks what a run with intrusions has said and left.
func (v view) untouched(t *testing.T, said string) {
	t.Helper()
	said = strings.ReplaceAll(said, "undone: nsenter -t 1 -m true\n", "") // it enters where it is
	if said != "keptwritten\n" {
		t.Errorf("%q", said)
	}
	path := filepath.Join(v.closed, "file")
	if data, err := os.ReadFile(path); err != nil || string(data) != "kept" {
		t.Errorf("%q %v", data, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o644 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte("ours"), 0o644); err != nil {
		t.Errorf("it is read-only outside too: %v", err)
	}
}

// A read-only view holds for the program and what it starts, by every way to the
// directory, and ends with the run.
func TestReadOnlyViewCannotBeWrittenToByAnyWay(t *testing.T) {
	for name, methods := range map[string][]proc.Method{
		"mounts in a namespace":         {proc.PIDNamespace},
		"confinement":                   {proc.Subreaper},
		"confinement, no control group": {proc.Cgroup, proc.Subreaper},
	} {
		t.Run(name, func(t *testing.T) {
			v := newView(t)
			self := supervision(t, methods...)
			if methods[0] == proc.PIDNamespace && !namespaces(t) {
				t.Skip("no PID namespace here")
			}
			self.ReadOnly = []string{v.closed}
			r, p, err := proc.Supervise(t.Context(), v.spec(), self)
			if err != nil {
				t.Fatal(err)
			}
			v.untouched(t, string(r.Stdout.Head))
			if want := methods[len(methods)-1]; p.Method != want || !p.Proven {
				t.Errorf("%s %+v", r.Stderr.Head, p)
			}
		})
	}
}

// namespaces says whether this system gives any. Where it should, it must.
func namespaces(t *testing.T) bool {
	t.Helper()
	_, _, err := proc.Supervise(t.Context(), shell("exit 0"), supervision(t, proc.PIDNamespace))
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	return err == nil
}

// Where a namespace may not mount, as inside of another sandbox, the program is
// confined in it.
func TestReadOnlyViewsNeedNoMounts(t *testing.T) {
	if !namespaces(t) {
		t.Skip("no PID namespace here")
	}
	v := newView(t)
	r := mustRun(t, acting(t, "layered", "1", v.closed, v.open))
	v.untouched(t, string(r.Stdout.Head))
	if want := "pid_namespace true"; !strings.Contains(string(r.Stderr.Head), want) {
		t.Errorf("%q, not %q", r.Stderr.Head, want)
	}
}

// Inside of sixteen sandboxes the kernel gives no further one, and no mounts.
func TestReadOnlyViewsThatNothingCanGiveStartNothing(t *testing.T) {
	v := newView(t)
	r := mustRun(t, acting(t, "layered", "16", v.closed, v.open))
	if len(r.Stdout.Head) != 0 || !strings.HasPrefix(string(r.Stderr.Head), proc.CodeNoReadOnly+"\n") {
		t.Errorf("%q %q", r.Stdout.Head, r.Stderr.Head)
	}
}

// layered runs intrusions from inside of so many sandboxes that allow everything
// but device nodes. Arguments: how many, the directory to close, the other one.
func layered(args []string) int {
	runtime.LockOSThread()
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return fail(err)
	}
	if count > 0 {
		return enterLayers(count, args[1:])
	}
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	v := view{closed: args[1], open: args[2]}
	r, p, err := proc.Supervise(context.Background(), v.spec(), proc.Supervision{Program: self, ReadOnly: []string{v.closed}})
	if err != nil {
		fmt.Fprintln(os.Stderr, fault.From(err).Code)
		return fail(err)
	}
	fmt.Print(string(r.Stdout.Head))
	fmt.Fprintln(os.Stderr, p.Method, p.Proven)
	return 0
}

// enterLayers begins again inside of the sandboxes.
func enterLayers(count int, args []string) int {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fail(err)
	}
	for range count {
		attr := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_MAKE_CHAR}
		fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), 8, 0)
		if errno != 0 {
			return fail(errno)
		}
		if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
			return fail(errno)
		}
		unix.Close(int(fd))
	}
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	return fail(syscall.Exec(self, append([]string{self, "role", "layered", "0"}, args...), os.Environ()))
}

func TestReadOnlyViewsThatCannotBeGivenStartNothing(t *testing.T) {
	dir := t.TempDir()
	s := shell(`touch "$1/ran"`, dir)
	s.Dir = dir
	for name, v := range map[string]proc.Supervision{
		"not there, confined": {Methods: []proc.Method{proc.Subreaper}, ReadOnly: []string{filepath.Join(dir, "none")}},
		"relative":            {ReadOnly: []string{"x"}},
		"not there":           {ReadOnly: []string{filepath.Join(dir, "none")}},
	} {
		v.Program = supervision(t).Program
		if _, _, err := proc.Supervise(t.Context(), s, v); !fault.Is(err, proc.CodeNoReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.Dir = ""
	v := supervision(t)
	v.ReadOnly = []string{dir}
	if _, _, err := proc.Supervise(t.Context(), s, v); !fault.Is(err, proc.CodeNoReadOnly) {
		t.Errorf("no working directory: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it was started")
	}
}
