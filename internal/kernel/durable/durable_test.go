package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bridle/internal/kernel/fault"
)

func TestTargetsThatAreNoRegularFileAreRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/real", []byte("real"), 0o600))
	must(t, os.Symlink("real", dir+"/link"))
	must(t, os.Symlink("nowhere", dir+"/dangling"))
	must(t, os.Mkdir(dir+"/folder", 0o755))
	for _, name := range []string{"link", "dangling", "folder"} {
		path := filepath.Join(dir, name)
		if err := WriteFile(path, []byte("x"), 0o600); !fault.Is(err, CodeBadTarget) {
			t.Errorf("WriteFile %s: %v", name, err)
		}
		if err := CreateFile(path, []byte("x"), 0o600); !errors.Is(err, fs.ErrExist) || !fault.Is(err, CodeExists) {
			t.Errorf("CreateFile %s: %v", name, err)
		}
	}
	if b, _ := os.ReadFile(dir + "/real"); string(b) != "real" {
		t.Errorf("the file behind the link was changed: %q", b)
	}
	if _, err := os.Lstat(dir + "/nowhere"); err == nil {
		t.Error("a file was made through the dangling link")
	}
	if err := WriteFile(dir+"/no/such/folder", nil, 0o600); !fault.Is(err, CodeNotFound) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	if err := WriteFile(dir+"/real", nil, 0o200); !fault.Is(err, CodeBadTarget) {
		t.Errorf("mode without reading: %v", err)
	}
	if err := WriteFile(dir+"/real", nil, 0o600|fs.ModeSetuid); !fault.Is(err, CodeBadTarget) {
		t.Errorf("set-id mode: %v", err)
	}
}

func TestFilesOfOthersWithSimilarNamesStay(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".f.tmp", "f~", ".durable-mine", filepath.Base(slotName(dir+"/other", 0))} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600))
	}
	// A name of ours that is taken by something that is no file is passed over.
	must(t, os.Mkdir(slotName(dir+"/f", 0), 0o700))
	must(t, os.Symlink("f~", slotName(dir+"/f", 1)))
	must(t, WriteFile(dir+"/f", []byte("new"), 0o600))
	must(t, RemoveAll(dir+"/f"))
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 6 {
		t.Errorf("left: %v", entries)
	}
}

func TestNamesMayBeLongAndStrange(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{strings.Repeat("n", 255), "with\nline end", "-dash", "späße", " ", "a'b\"c", "..."} {
		path := filepath.Join(dir, name)
		must(t, CreateFile(path, []byte("1"), 0o600))
		must(t, WriteFile(path, []byte("2"), 0o600))
		if b, err := os.ReadFile(path); err != nil || string(b) != "2" {
			t.Errorf("%q: %q %v", name, b, err)
		}
		must(t, RemoveAll(path))
		must(t, MkdirAll(path, 0o700))
		must(t, RemoveAll(path))
	}
	if err := WriteFile(filepath.Join(dir, strings.Repeat("n", 256)), nil, 0o600); err == nil {
		t.Error("a name that is too long is accepted")
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}

func TestEmptyAndLargeContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, content := range [][]byte{nil, {0}, bytes.Repeat([]byte("0123456789abcdef"), 1<<18)} {
		must(t, WriteFile(path, content, 0o600))
		if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, content) {
			t.Errorf("%d bytes: read %d, %v", len(content), len(b), err)
		}
	}
}

func TestOneOfManyCreatorsWins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	errs := make([]error, 24)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = CreateFile(path, fmt.Append(nil, i), 0o600) })
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner < 0:
			winner = i
		case err == nil:
			t.Errorf("both %d and %d won", winner, i)
		case !errors.Is(err, fs.ErrExist):
			t.Errorf("%d: %v", i, err)
		}
	}
	if b, _ := os.ReadFile(path); string(b) != fmt.Sprint(winner) {
		t.Errorf("%d won, the file says %q", winner, b)
	}
	if l := litter(t, filepath.Dir(path)); len(l) > 0 {
		t.Errorf("left behind: %q", l)
	}
}

func TestDirectoriesArePublishedOnce(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name, "f"), []byte(name), 0o600))
	}
	must(t, PublishDir(dir+"/a", dir+"/final"))
	if err := PublishDir(dir+"/b", dir+"/final"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second publication: %v", err)
	}
	must(t, os.Mkdir(dir+"/empty", 0o755))
	if err := PublishDir(dir+"/b", dir+"/empty"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an empty folder: %v", err)
	}
	must(t, os.Symlink("b", dir+"/link"))
	if err := PublishDir(dir+"/link", dir+"/x"); !fault.Is(err, CodeBadTarget) {
		t.Errorf("a link as source: %v", err)
	}
	if err := Replace(dir+"/link", dir+"/b"); !fault.Is(err, CodeBadTarget) {
		t.Errorf("a link as target: %v", err)
	}
	if err := PublishDir(dir+"/missing", dir+"/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing source: %v", err)
	}
	if err := PublishDir(dir+"/b", dir+"/b/inner"); err == nil {
		t.Error("a folder was published into itself")
	}
	if got := look(t, dir); got != "b/f=b empty/ final/f=a link->b" {
		t.Errorf("state %q", got)
	}
	must(t, Replace(dir+"/final", dir+"/b"))
	must(t, os.Mkdir(dir+"/c", 0o755))
	must(t, Replace(dir+"/fresh", dir+"/c"))
	if got := look(t, dir); got != "empty/ final/f=b fresh/ link->b" {
		t.Errorf("state %q", got)
	}
}

func TestMoveFileReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	if err := MoveFile(dir+"/a", dir+"/b"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	if err := MoveFile(dir+"/missing", dir+"/c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	must(t, MoveFile(dir+"/a", dir+"/c"))
	if got := look(t, dir); got != "b=b c=a" {
		t.Errorf("state %q", got)
	}
}

func TestMkdirAllMakesWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/there", 0o711))
	must(t, MkdirAll(dir+"/there/a/b/../c", 0o700))
	must(t, MkdirAll(dir+"/there/a/c", 0o755))
	for path, want := range map[string]fs.FileMode{"there": 0o711, "there/a": 0o700, "there/a/c": 0o700} {
		if info, err := os.Stat(filepath.Join(dir, path)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", path, info.Mode(), err, want)
		}
	}
	must(t, os.WriteFile(dir+"/file", nil, 0o600))
	must(t, os.Symlink("nowhere", dir+"/dangling"))
	must(t, os.Symlink("there", dir+"/link"))
	for _, path := range []string{"file", "file/x", "dangling"} {
		if err := MkdirAll(filepath.Join(dir, path), 0o700); err == nil {
			t.Errorf("%s is accepted", path)
		}
	}
	must(t, MkdirAll(dir+"/link/d", 0o700)) // a folder behind a link is a folder
	for _, mode := range []fs.FileMode{0o700 | fs.ModeSticky, 0o777, 0o775, 0o757} {
		if err := MkdirAll(dir+"/s", mode); !fault.Is(err, CodeBadTarget) {
			t.Errorf("%v: %v", mode, err)
		}
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if err := MkdirAll(dir+"/race/to/the/bottom", 0o700); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestRemoveAllTakesTreesAndNeverFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/keep", 0o755))
	must(t, os.WriteFile(dir+"/keep/f", []byte("x"), 0o600))
	must(t, os.MkdirAll(dir+"/tree/locked/deep", 0o755))
	must(t, os.WriteFile(dir+"/tree/locked/deep/f", nil, 0o400))
	must(t, os.Symlink("../keep", dir+"/tree/link"))
	must(t, os.Symlink("keep", dir+"/link"))
	must(t, os.Chmod(dir+"/tree/locked/deep", 0o500))
	must(t, os.Chmod(dir+"/tree/locked", 0o500))
	must(t, RemoveAll(dir+"/tree/"))
	must(t, RemoveAll(dir+"/link"))
	must(t, RemoveAll(dir+"/never-there"))
	must(t, RemoveAll(dir+"/keep/f/")) // a file, whatever the spelling
	for _, path := range []string{"", ".", "/", "..", dir + "/keep/.."} {
		if err := RemoveAll(path); !fault.Is(err, CodeBadTarget) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if got := look(t, dir); got != "keep/" {
		t.Errorf("state %q", got)
	}
}

func TestManyRemoversOfOneTreeAgree(t *testing.T) {
	dir := t.TempDir()
	for range 20 {
		must(t, os.MkdirAll(dir+"/d/x/y", 0o755))
		must(t, os.WriteFile(dir+"/d/x/f", nil, 0o600))
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				if err := RemoveAll(dir + "/d"); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}

func TestAReplaceCutBetweenTwoRenamesIsTakenBack(t *testing.T) {
	dir := t.TempDir()
	old := func() {
		must(t, os.MkdirAll(retired(dir+"/d"), 0o755))
		must(t, os.WriteFile(retired(dir+"/d")+"/f", []byte("old"), 0o600))
	}
	old()
	must(t, Recover(dir+"/d"))
	if got := look(t, dir); got != "d/f=old" {
		t.Errorf("after Recover: %q", got)
	}
	old() // and when the second rename was done, the old tree goes
	must(t, os.WriteFile(dir+"/d/f", []byte("new"), 0o600))
	must(t, Recover(dir+"/d"))
	must(t, Recover(dir+"/d"))
	if got := look(t, dir); got != "d/f=new" || len(litter(t, dir)) > 0 {
		t.Errorf("after the second Recover: %q %q", got, litter(t, dir))
	}
}

func TestReplaceInTwoRenamesComesToTheSame(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"d", "draft"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name, "f"), []byte(name), 0o600))
	}
	fail := errors.New("no")
	renames := 0
	err := system{before: func(op, _ string) error {
		if op == "rename" {
			renames++
			if renames == 2 {
				return fail
			}
		}
		return nil
	}}.replaceInTwo(dir+"/d", dir+"/draft")
	if !errors.Is(err, fail) || look(t, dir) != "d/f=d draft/f=draft" || len(litter(t, dir)) > 0 {
		t.Errorf("failed in the middle: %v, %q", err, look(t, dir))
	}
	must(t, system{}.replaceInTwo(dir+"/d", dir+"/draft"))
	if got := look(t, dir); got != "d/f=draft" || len(litter(t, dir)) > 0 {
		t.Errorf("state %q, %q", got, litter(t, dir))
	}
}
