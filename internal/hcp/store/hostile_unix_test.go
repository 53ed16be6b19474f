//go:build unix

package store

import (
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

func TestHostileFoldersAreRefused(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, "secret")
	base := wrapPack("demo", "./bin/demo")
	for name, c := range map[string]struct {
		files tree
		spoil func(t *testing.T, dir string)
		names string
	}{
		"absolute link":            {files: base.with("x", "-> "+outside), names: "x"},
		"link upwards":             {files: base.with("lib/x", "-> ../../outside"), names: "lib/x"},
		"link out and in":          {files: base.with("x", "-> ../source/HARNESS.md"), names: "x"},
		"link through a link":      {files: base.with("a/b/c", "-> ..", "x", "-> a/b/c/../../.."), names: "x"},
		"link to nothing":          {files: base.with("x", "-> missing"), names: "x"},
		"link to itself":           {files: base.with("x", "-> x"), names: "x"},
		"link into what stays out": {files: base.with(".git/config", "x", "x", "-> .git/config"), names: "x"},
		"linked surface":           {files: base.with("surface.json", "-> "+outside)},
		"names differ by case":     {files: base.with("Bin/other", "x"), names: "bin"},
		"control character":        {files: base.with("a\x1b[2Jb", "x")},
		"backslash":                {files: base.with(`a\b`, "x")},
		"not UTF-8":                {files: base.with("a\xffb", "x")},
		"too deep":                 {files: base.with(strings.Repeat("a/", pack.MaxDepth+1)+"x", "x"), names: "a/a"},
		"too many":                 {files: base, spoil: func(t *testing.T, dir string) { crowd(t, dir, pack.MaxEntries-len(base)+1) }},
		"too large": {files: base, spoil: func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "x"), "")
			if err := os.Truncate(filepath.Join(dir, "x"), pack.MaxBytes); err != nil {
				t.Fatal(err)
			}
		}},
		"pipe": {files: base, spoil: func(t *testing.T, dir string) {
			if err := syscall.Mkfifo(filepath.Join(dir, "x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, names: "x"},
		"socket": {files: base, spoil: func(t *testing.T, dir string) {
			listener, err := net.Listen("unix", filepath.Join(dir, "x"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = listener.Close() })
		}, names: "x"},
		"set-user-id": {files: base, spoil: func(t *testing.T, dir string) { chmod(t, filepath.Join(dir, "bin/demo"), 0o755|os.ModeSetuid) }, names: "bin/demo"},
		"set-group":   {files: base, spoil: func(t *testing.T, dir string) { chmod(t, filepath.Join(dir, "bin/demo"), 0o755|os.ModeSetgid) }, names: "bin/demo"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			before := snapshot(t, s.Home())
			// A short path: a socket's may have about a hundred bytes.
			parent, err := os.MkdirTemp("", "s")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(parent) })
			dir := c.files.write(t, filepath.Join(parent, "source"))
			if c.spoil != nil {
				c.spoil(t, dir)
			}
			_, err = s.Install(t.Context(), dir, InstallOptions{})
			if name == "linked surface" {
				wantCode(t, err, pack.CodeUnsafePack)
				return
			}
			// The copy stops at what must not be opened; lint judges the rest.
			f := fault.From(err)
			if f == nil || f.Code != pack.CodeUnsafePack && f.Code != CodeLintFailed {
				t.Fatalf("error = %v", err)
			}
			if !strings.Contains(f.Message, c.names) || f.Hint == "" {
				t.Errorf("message %q, hint %q", f.Message, f.Hint)
			}
			if after := snapshot(t, s.Home()); !maps.Equal(before, after) {
				t.Error("something stayed in the store")
			}
		})
	}
}

func crowd(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		write(t, filepath.Join(dir, fmt.Sprint("file-", i)), "")
	}
}

// A pack that has as much as it may have installs.
func TestFullPackInstalls(t *testing.T) {
	files := wrapPack("demo", "./bin/demo")
	dir := source(t, files)
	const folders = 1
	crowd(t, dir, pack.MaxEntries-len(files)-folders)
	s := newStore(t)
	install(t, s, dir)
	activate(t, s, "demo")
	if _, err := s.Verify(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
}

func TestSourceThatCannotBeReadIsNotTheStoresFault(t *testing.T) {
	refused := func(err error) {
		t.Helper()
		wantCode(t, err, CodeUnreadable)
		if f := fault.From(err); !strings.Contains(f.Hint, "readable for you") {
			t.Errorf("hint %q", f.Hint)
		}
	}
	refused(sourceFault("read", "bin/demo", &fs.PathError{Op: "open", Path: "bin/demo", Err: syscall.EACCES}))
	wantCode(t, sourceFault("read", "bin/demo", syscall.ENOSPC), durable.CodeDiskFull)
	if os.Geteuid() == 0 {
		return // root reads everything
	}
	for _, path := range []string{"bin/demo", "bin", "."} {
		s := newStore(t)
		before := snapshot(t, s.Home())
		dir := wrapPack("demo", "./bin/demo").write(t, filepath.Join(t.TempDir(), "source"))
		chmod(t, filepath.Join(dir, path), 0o000)
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, path), 0o700) })
		_, err := s.Install(t.Context(), dir, InstallOptions{})
		refused(err)
		if after := snapshot(t, s.Home()); !maps.Equal(before, after) {
			t.Errorf("%s: the store changed", path)
		}
	}
}
