package proc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
)

// A read-only view holds for the program and what it starts, by every way to the
// directory, and ends with the run.
func TestReadOnlyViewCannotBeWrittenToByAnyWay(t *testing.T) {
	self := supervision(t, proc.PIDNamespace)
	if _, _, err := proc.Supervise(t.Context(), shell("exit 0"), self); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no PID namespace here:", err)
	}
	base := t.TempDir()
	closed, open := filepath.Join(base, "closed"), filepath.Join(base, "open")
	for _, dir := range []string{closed, open, filepath.Join(closed, "deep")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(closed, "file"), []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(closed, filepath.Join(open, "link")); err != nil {
		t.Fatal(err)
	}
	self.ReadOnly = []string{closed}
	s := shell(`
try() { "$@" 2>/dev/null && echo "undone: $*"; }
try sh -c 'echo x > file'; try sh -c 'echo x >> "$0/file"' "$1"; try touch new; try rm file; try mv file other; try mkdir deep/er
try chmod 600 file; try ln file "$2/hard"; try sh -c 'echo x > "$0/link/file"' "$2"; try sh -c 'echo x > /proc/self/cwd/file'
try sh -c 'echo x > "/proc/1/cwd$0/file"' "$1"; try sh -c 'echo x > "/proc/1/root$0/file"' "$1"
try mount -o remount,rw "$1"; try mount -o remount,bind,rw "$1"; try umount "$1"; try umount -l "$1"; try mount -t tmpfs none "$1"
try unshare -rm sh -c 'mount -o remount,bind,rw "$0" && echo x > "$0/file"' "$1"
try nsenter -t 1 -m true
(setsid sh -c 'echo x > file' 2>/dev/null &) ; sleep 0.1
cat file; echo written > "$2/file" && cat "$2/file"`, closed, open)
	s.Dir = closed
	r, p, err := proc.Supervise(t.Context(), s, self)
	if err != nil {
		t.Fatal(err)
	}
	out := strings.ReplaceAll(string(r.Stdout.Head), "undone: nsenter -t 1 -m true\n", "") // it enters where it is
	if out != "keptwritten\n" || !p.Proven {
		t.Errorf("%q %s %+v", out, r.Stderr.Head, p)
	}
	if data, err := os.ReadFile(filepath.Join(closed, "file")); err != nil || string(data) != "kept" {
		t.Errorf("%q %v", data, err)
	}
	if err := os.WriteFile(filepath.Join(closed, "file"), []byte("ours"), 0o644); err != nil {
		t.Errorf("it is read-only outside too: %v", err)
	}
}

func TestReadOnlyViewsThatCannotBeGivenStartNothing(t *testing.T) {
	dir := t.TempDir()
	s := shell(`touch "$1/ran"`, dir)
	s.Dir = dir
	for name, v := range map[string]proc.Supervision{
		"no namespace": {Methods: []proc.Method{proc.Cgroup, proc.Subreaper}, ReadOnly: []string{dir}},
		"relative":     {ReadOnly: []string{"x"}},
		"not there":    {ReadOnly: []string{filepath.Join(dir, "none")}},
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
