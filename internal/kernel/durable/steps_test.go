package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bridle/internal/kernel/fault"
)

// An operation under test: what it finds, what it does, and what may be there
// when it was cut short. State strings are made by look.
type operation struct {
	name     string
	prepare  func(t *testing.T, dir string)
	run      func(s system, dir string) error
	old, new string // what look shows before and after
	steps    string // the order of the steps on a file system with all calls
	// lastVisible is how many of the last steps come after the moment at which
	// the new state is visible.
	lastVisible int
}

// isNew allows for the draft of a Replace, which is its caller's to remove.
func (o operation) isNew(state string) bool {
	return state == o.new || o.name == "Replace" && strings.HasPrefix(state, o.new+" draft/")
}

func operations() []operation {
	oldFile := func(t *testing.T, dir string) { must(t, os.WriteFile(dir+"/f", []byte("old"), 0o644)) }
	tree := func(t *testing.T, dir, name, content string) {
		must(t, os.RemoveAll(filepath.Join(dir, name)))
		must(t, os.MkdirAll(filepath.Join(dir, name, "sub"), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name, "sub", "a"), []byte(content), 0o644))
		must(t, os.WriteFile(filepath.Join(dir, name, "b"), []byte(content), 0o600))
		must(t, os.Symlink("b", filepath.Join(dir, name, "link")))
	}
	const oldTree, newTree = "d/b=old d/link->b d/sub/a=old", "d/b=new d/link->b d/sub/a=new"
	return []operation{
		{
			name: "WriteFile over a file", prepare: oldFile, old: "f=old", new: "f=new",
			run:         func(s system, dir string) error { return s.put(dir+"/f", []byte("new"), 0o640, replace) },
			steps:       "create write chmod fsync rename fsyncdir",
			lastVisible: 1,
		},
		{
			name: "WriteFile of a new file", prepare: func(*testing.T, string) {}, old: "", new: "f=new",
			run:         func(s system, dir string) error { return s.put(dir+"/f", []byte("new"), 0o640, replace) },
			steps:       "create write chmod fsync rename fsyncdir",
			lastVisible: 1,
		},
		{
			name: "CreateFile", prepare: func(*testing.T, string) {}, old: "", new: "f=new",
			run:         func(s system, dir string) error { return s.put(dir+"/f", []byte("new"), 0o400, createOnly) },
			steps:       "create write chmod fsync rename fsyncdir",
			lastVisible: 1,
		},
		{
			name:    "PublishDir",
			prepare: func(t *testing.T, dir string) { tree(t, dir, "draft", "new") },
			run:     func(s system, dir string) error { return s.publishDir(dir+"/draft", dir+"/d") },
			old:     "draft/b=new draft/link->b draft/sub/a=new", new: newTree,
			steps:       "fsyncdir fsync fsyncdir fsync rename fsyncdir",
			lastVisible: 1,
		},
		{
			name:    "Replace",
			prepare: func(t *testing.T, dir string) { tree(t, dir, "d", "old"); tree(t, dir, "draft", "new") },
			run:     func(s system, dir string) error { return s.replaceDir(dir+"/d", dir+"/draft") },
			old:     oldTree + " draft/b=new draft/link->b draft/sub/a=new", new: newTree,
			steps:       "fsyncdir fsync fsyncdir fsync exchange fsyncdir rename fsyncdir demolish",
			lastVisible: 4,
		},
		{
			name: "RemoveAll of a tree", prepare: func(t *testing.T, dir string) { tree(t, dir, "d", "old") },
			run: func(s system, dir string) error { return s.removeAll(dir + "/d") },
			old: oldTree, new: "",
			steps:       "rename fsyncdir demolish",
			lastVisible: 2,
		},
		{
			name: "RemoveAll of a file", prepare: oldFile,
			run: func(s system, dir string) error { return s.removeAll(dir + "/f") },
			old: "f=old", new: "",
			steps:       "remove fsyncdir",
			lastVisible: 1,
		},
		{
			name: "MoveFile", prepare: oldFile,
			run: func(s system, dir string) error { return s.moveFile(dir+"/f", dir+"/g") },
			old: "f=old", new: "g=old",
			steps:       "rename fsyncdir",
			lastVisible: 1,
		},
		{
			name: "MkdirAll", prepare: func(*testing.T, string) {},
			run: func(s system, dir string) error {
				return s.mkdirAll(dir+"/x", func(path string) error { return s.mkdir(path, 0o750) })
			},
			old:   "",
			new:   "x/",
			steps: "mkdir fsyncdir", lastVisible: 1,
		},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// look describes what is visible in dir; hidden names are left out.
func look(t *testing.T, dir string) string {
	t.Helper()
	var seen []string
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch {
		case strings.HasPrefix(d.Name(), ".durable-"):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			seen = append(seen, name+"->"+to)
			return err
		case d.IsDir():
			if entries, _ := os.ReadDir(path); len(entries) == 0 && path != dir {
				seen = append(seen, name+"/")
			}
		default:
			b, err := os.ReadFile(path)
			seen = append(seen, name+"="+string(b))
			return err
		}
		return nil
	}))
	slices.Sort(seen)
	return strings.Join(seen, " ")
}

func litter(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".durable-*"))
	must(t, err)
	return found
}

// recording returns a system that notes its steps.
func recording(into *[]string) system {
	return system{before: func(op, _ string) error {
		*into = append(*into, op)
		return nil
	}}
}

func TestStepsComeInTheOrderThatSurvivesACrash(t *testing.T) {
	for _, o := range operations() {
		t.Run(o.name, func(t *testing.T) {
			dir := t.TempDir()
			o.prepare(t, dir)
			if got := look(t, dir); got != o.old {
				t.Fatalf("before: %q, want %q", got, o.old)
			}
			var steps []string
			must(t, o.run(recording(&steps), dir))
			if got := strings.Join(steps, " "); got != o.steps {
				t.Errorf("steps\n got %s\nwant %s", got, o.steps)
			}
			if got := look(t, dir); got != o.new {
				t.Errorf("after: %q, want %q", got, o.new)
			}
			if l := litter(t, dir); len(l) > 0 {
				t.Errorf("left behind: %q", l)
			}
		})
	}
}

func TestAFailureAtAnyStepLeavesTheOldState(t *testing.T) {
	for _, o := range operations() {
		total := len(strings.Fields(o.steps))
		for n := range total {
			t.Run(fmt.Sprintf("%s/%d", o.name, n), func(t *testing.T) {
				dir := t.TempDir()
				o.prepare(t, dir)
				at := 0
				err := o.run(system{before: func(string, string) error {
					at++
					if at-1 == n {
						return &fs.PathError{Op: "test", Path: "x", Err: syscall.EIO}
					}
					return nil
				}}, dir)
				if fault.CodeOf(err) != CodeIO && o.name != "MkdirAll" || !errors.Is(err, syscall.EIO) {
					t.Errorf("got %v (code %q)", err, fault.CodeOf(err))
				}
				visible := n >= total-o.lastVisible
				got := look(t, dir)
				if !visible && got != o.old {
					t.Errorf("state %q, want %q", got, o.old)
				}
				if visible && !o.isNew(got) {
					t.Errorf("state %q, want %q", got, o.new)
				}
				if len(litter(t, dir)) > 0 && !visible {
					t.Errorf("left behind: %q", litter(t, dir))
				}
			})
		}
	}
}

func TestSystemErrorsHaveCodesAndSayWhatHappened(t *testing.T) {
	for _, c := range []struct {
		cause   error
		code    string
		message string
	}{
		{syscall.ENOSPC, CodeDiskFull, `cannot write %q: the disk is full`},
		{syscall.EDQUOT, CodeDiskFull, `cannot write %q: the disk is full`},
		{syscall.EROFS, CodeReadOnly, `cannot write %q: the file system is read-only`},
		{syscall.EACCES, CodeNotPermitted, `cannot write %q: permission denied`},
		{syscall.EPERM, CodeNotPermitted, `cannot write %q: permission denied`},
		{syscall.EXDEV, CodeCrossDevice, `cannot write %q: it would have to move to another file system`},
		{syscall.EIO, CodeIO, `cannot write %q: input/output error`},
	} {
		for step := range 6 {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			must(t, os.WriteFile(path, []byte("old"), 0o600))
			at := 0
			err := system{before: func(op, p string) error {
				at++
				if at-1 == step {
					return &fs.PathError{Op: op, Path: p, Err: c.cause}
				}
				return nil
			}}.put(path, []byte("new"), 0o600, replace)
			if fault.CodeOf(err) != c.code || err.Error() != fmt.Sprintf(c.message, path) || !errors.Is(err, c.cause) {
				t.Errorf("%v at step %d: %v (code %q)", c.cause, step, err, fault.CodeOf(err))
			}
			if b, _ := os.ReadFile(path); string(b) != "old" && step < 5 {
				t.Errorf("%v at step %d: content %q", c.cause, step, b)
			}
		}
	}
}
