package executable

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// put writes an executable file and returns its path without links.
func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func temp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func wrapping(dir, bin string) *pack.Pack {
	p := &pack.Pack{ID: "tool", Dir: dir, Kind: hcp.KindWrap}
	p.Manifest.Wrap = &hcp.Wrap{Bin: bin}
	return p
}

func resolve(t *testing.T, p *pack.Pack, s Search) *File {
	t.Helper()
	f, err := Resolve(p, map[string]string{"bin/tool": "hash-of-the-pack"}, s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestBareNameMeansOneFileWithoutLinks(t *testing.T) {
	dir := temp(t)
	first, second, project := filepath.Join(dir, "first"), filepath.Join(dir, "second"), filepath.Join(dir, "project")
	target := put(t, second, "tool-1.0", "\x7fELF")
	if err := os.Symlink(target, filepath.Join(second, "tool")); err != nil {
		t.Fatal(err)
	}
	put(t, project, "tool", "\x7fELF planted")
	if err := os.MkdirAll(first, 0o755); err != nil {
		t.Fatal(err)
	}
	s := Search{Path: "relative:" + project + ":" + first + ":" + second, Avoid: []string{project}}
	f := resolve(t, wrapping(dir, "tool"), s)
	if f.Path != target || f.Argv0 != "tool" || f.Name != "tool" || len(f.SHA256) != 64 || f.Inside {
		t.Fatalf("%+v", f)
	}
	if err := os.WriteFile(filepath.Join(first, "tool"), []byte("not executable"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f := resolve(t, wrapping(dir, "tool"), s); f.Path != target {
		t.Errorf("a file that cannot run was taken: %+v", f)
	}
}

// A link outside of an avoided folder that leads into it is that folder's file.
func TestNothingIsTakenFromWhereAnAgentWorks(t *testing.T) {
	dir := temp(t)
	project, bin := filepath.Join(dir, "project"), filepath.Join(dir, "bin")
	planted := put(t, project, "tool", "\x7fELF")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(planted, filepath.Join(bin, "tool")); err != nil {
		t.Fatal(err)
	}
	f := resolve(t, wrapping(dir, "tool"), Search{Path: bin + ":" + project, Avoid: []string{project}})
	if f.Runnable() || !strings.Contains(f.Reason, "agent") {
		t.Fatalf("%+v", f)
	}
	script := put(t, bin, "script", "#!"+planted+"\n")
	if f := resolve(t, wrapping(dir, "script"), Search{Path: filepath.Dir(script), Avoid: []string{project}}); f.Runnable() || f.SHA256 != "" {
		t.Fatalf("%+v", f)
	}
}

func TestPathStaysInsideThePack(t *testing.T) {
	dir := temp(t)
	put(t, filepath.Join(dir, "bin"), "tool", "#!/bin/sh\n")
	put(t, dir, "unlisted", "#!/bin/sh\n")
	f := resolve(t, wrapping(dir, "./bin/tool"), Search{})
	if f.Path != filepath.Join(dir, "bin", "tool") || !f.Inside || f.SHA256 != "hash-of-the-pack" || len(f.Interpreters) != 1 {
		t.Fatalf("%+v", f)
	}
	for _, bin := range []string{"../tool", "./missing", "./unlisted", "/bin/sh", "./bin"} {
		if f := resolve(t, wrapping(dir, bin), Search{}); f.Runnable() || f.Reason == "" {
			t.Errorf("%s: %+v", bin, f)
		}
	}
}

func TestInterpretersAreFollowed(t *testing.T) {
	dir := temp(t)
	node := put(t, filepath.Join(dir, "node", "bin"), "node", "\x7fELF")
	for _, c := range []struct {
		line string
		want []string // paths; nil: nothing runs
	}{
		{"#!/usr/bin/env node\n", []string{"", node}},
		{"#!/usr/bin/env -S A=1 node --flag\n", []string{"", node}},
		{"#!" + node + " --flag\n", []string{node}},
		{"#!/usr/bin/env missing\n", nil},
		{"#!/usr/bin/env ./node\n", nil},
		{"#!relative\n", nil},
		{"#!/no/such/interpreter\n", nil},
		{"#!/usr/bin/env\n", nil},
		{"\x7fELF", []string{}},
	} {
		put(t, filepath.Join(dir, "bin"), "tool", c.line)
		f := resolve(t, wrapping(dir, "./bin/tool"), Search{Path: filepath.Dir(node)})
		if c.want == nil {
			if f.Runnable() || f.Reason == "" {
				t.Errorf("%q: %+v", c.line, f)
			}
			continue
		}
		got := make([]string, len(f.Interpreters))
		for i, interpreter := range f.Interpreters {
			if got[i] = interpreter.Path; interpreter.Name == "/usr/bin/env" {
				got[i] = ""
			}
		}
		if !f.Runnable() || !slices.Equal(got, c.want) {
			t.Errorf("%q: %+v", c.line, f)
		}
	}
	loop := put(t, dir, "loop", "")
	put(t, dir, "loop", "#!"+loop+"\n")
	put(t, filepath.Join(dir, "bin"), "tool", "#!"+loop+"\n")
	if f := resolve(t, wrapping(dir, "./bin/tool"), Search{}); f.Runnable() {
		t.Errorf("a loop: %+v", f)
	}
}

func TestOnlyTheAcceptedFilePassesTheCheck(t *testing.T) {
	dir := temp(t)
	path := put(t, dir, "tool", "\x7fELF one")
	f := resolve(t, wrapping(dir, "tool"), Search{Path: dir})
	if now, _, err := f.Check("tool"); err != nil || now.SHA256 != f.SHA256 {
		t.Fatal(err)
	}
	// Touched, rewritten or replaced with the same content: the same file.
	put(t, dir, "other", "\x7fELF one")
	if err := os.Rename(filepath.Join(dir, "other"), path); err != nil {
		t.Fatal(err)
	}
	now, moved, err := f.Check("tool")
	if err != nil || !moved || now.Identity == f.Identity {
		t.Fatalf("%+v, %v, %v", now, moved, err)
	}
	put(t, dir, "tool", "\x7fELF two")
	if _, _, err := f.Check("tool"); fault.CodeOf(err) != CodeBinChanged || !strings.Contains(err.Error(), path) {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Check("tool"); fault.CodeOf(err) != CodeBinChanged || !strings.Contains(err.Error(), "gone") {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/sh", path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Check("tool"); fault.CodeOf(err) != CodeBinChanged {
		t.Fatal(err)
	}
}

func TestPackThatWrapsNothingHasNoExecutable(t *testing.T) {
	if f, err := Resolve(&pack.Pack{}, nil, Search{}); f != nil || err != nil || f.Runnable() {
		t.Fatalf("%+v, %v", f, err)
	}
	if now, moved, err := (*File)(nil).Check("x"); now != nil || moved || err != nil {
		t.Fatal(err)
	}
}
