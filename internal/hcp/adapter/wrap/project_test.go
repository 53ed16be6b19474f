package wrap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/internal/kernel/fault"
)

// repository makes what git itself takes for a repository.
func (w *world) repository(dir string) string {
	w.t.Helper()
	w.mkdir(filepath.Join(dir, "objects"))
	w.mkdir(filepath.Join(dir, "refs", "heads"))
	w.mkdir(filepath.Join(dir, "hooks"))
	w.write(filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n", 0o644)
	w.write(filepath.Join(dir, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n", 0o644)
	return dir
}

func TestProjectIsTheEnclosingRepository(t *testing.T) {
	w := newWorld(t)
	w.repository(filepath.Join(w.project, ".git"))
	sub := filepath.Join(w.project, "a", "b")
	w.mkdir(sub)
	link := filepath.Join(w.dir, "link")
	if err := os.Symlink(sub, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{sub, link} {
		p, err := OpenProject(dir, w.local.Limits)
		if err != nil || p.Dir != sub || p.Root != w.project || p.git != filepath.Join(w.project, ".git") || p.gitDirs != nil {
			t.Errorf("%s: %+v, %v", dir, p, err)
		}
	}
}

func TestDirectoryThatWouldOpenEverythingIsNoProject(t *testing.T) {
	w := newWorld(t)
	packs := filepath.Join(w.store, "packs")
	for _, dir := range []string{"/", w.dir, w.home, w.store, packs, filepath.Join(w.dir, "missing")} {
		if p, err := OpenProject(dir, w.local.Limits); fault.CodeOf(err) != CodeNoProject || fault.From(err).Hint == "" {
			t.Errorf("%s: %+v, %v", dir, p, err)
		}
	}
	if _, err := OpenProject(w.write(filepath.Join(w.project, "f"), "", 0o644), w.local.Limits); fault.CodeOf(err) != CodeNoProject {
		t.Error("a file is a project")
	}
}

// A home under version control must not turn every directory of it into one
// big project.
func TestAWorkingDirectoryThatIsGoneIsSaidSo(t *testing.T) {
	_, err := OpenProject("", Limits{})
	if f := fault.From(err); f == nil || f.Code != CodeNoProject || strings.Contains(f.Message, `""`) {
		t.Errorf("%v", err)
	}
}

func TestRepositoryOfTheHomeIsPassedOver(t *testing.T) {
	w := newWorld(t)
	w.repository(filepath.Join(w.home, ".git"))
	p, err := OpenProject(w.project, w.local.Limits)
	if err != nil || p.Root != w.project || p.git != "" || p.gitDirs != nil {
		t.Fatalf("%+v, %v", p, err)
	}
}

func TestLinkedWorktreeOpensItsRepository(t *testing.T) {
	w := newWorld(t)
	main := w.repository(filepath.Join(w.home, "main", ".git"))
	data := filepath.Join(main, "worktrees", "project")
	w.write(filepath.Join(data, "HEAD"), "ref: refs/heads/x\n", 0o644)
	w.write(filepath.Join(data, "commondir"), "../..\n", 0o644)
	w.write(filepath.Join(data, "gitdir"), filepath.Join(w.project, ".git")+"\n", 0o644)
	w.write(filepath.Join(w.project, ".git"), "gitdir: "+data+"\n", 0o644)
	p, err := OpenProject(w.project, w.local.Limits)
	if err != nil || p.Root != w.project || p.git != main || !slices.Equal(p.gitDirs, []string{main}) {
		t.Fatalf("%+v, %v", p, err)
	}
	w.write(filepath.Join(data, "gitdir"), filepath.Join(w.home, "elsewhere", ".git")+"\n", 0o644)
	if p, err := OpenProject(w.project, w.local.Limits); err != nil || p.gitDirs != nil || p.git != "" {
		t.Fatalf("a repository that names another worktree was opened: %+v, %v", p, err)
	}
}

func TestSubmoduleOpensItsRepository(t *testing.T) {
	w := newWorld(t)
	module := w.repository(filepath.Join(w.home, "super", ".git", "modules", "project"))
	sub := filepath.Join(w.home, "super", "project")
	w.write(filepath.Join(sub, ".git"), "gitdir: ../.git/modules/project\n", 0o644)
	w.write(filepath.Join(module, "config"), "[core]\n\tbare = false\n\tworktree = ../../../project\n", 0o644)
	p, err := OpenProject(sub, w.local.Limits)
	if err != nil || p.Root != sub || p.git != module || !slices.Equal(p.gitDirs, []string{module}) {
		t.Fatalf("%+v, %v", p, err)
	}
}

// The .git file is content of the project: it must not open a repository that
// knows nothing of the project.
func TestForeignGitFileOpensNothing(t *testing.T) {
	w := newWorld(t)
	other := w.repository(filepath.Join(w.home, "other", ".git"))
	w.write(filepath.Join(w.project, ".git"), "gitdir: "+other+"\n", 0o644)
	p, err := OpenProject(w.project, w.local.Limits)
	if err != nil || p.gitDirs != nil || p.git != "" {
		t.Fatalf("%+v, %v", p, err)
	}
}

func TestPathsOfAProjectAreJudgedByTheirRealPlace(t *testing.T) {
	w := newWorld(t)
	p := w.open()
	w.write(filepath.Join(w.project, "f"), "", 0o644)
	if err := os.Symlink(w.home, filepath.Join(w.project, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(w.project, filepath.Join(w.dir, "in")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, rel string
		ok        bool
	}{
		{filepath.Join(w.project, "f"), "f", true},
		{filepath.Join(w.project, "missing", "f"), "missing/f", true},
		{w.project, ".", true},
		{filepath.Join(w.dir, "in", "f"), "f", true},
		{filepath.Join(w.project, "out", "x"), "", false},
		{filepath.Join(w.project, "..", "x"), "", false},
		{w.project + "-other", "", false},
		{"f", "", false},
	} {
		if rel, ok := p.relative(c.path); ok != c.ok || rel != c.rel {
			t.Errorf("%s: %q, %v", c.path, rel, ok)
		}
	}
}
