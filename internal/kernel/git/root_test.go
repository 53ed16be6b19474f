package git

import (
	"os"
	"path/filepath"
	"testing"

	"bridle/internal/kernel/fault"
)

func TestRootIsFoundFromAnywhereInside(t *testing.T) {
	dir := real(t, t.TempDir())
	repo := filepath.Join(dir, "repo")
	script(t, dir, `git init -q repo && mkdir -p repo/a/b repo/.git/sub && ln -s repo/a alias && mkdir outside`)
	for from, want := range map[string]string{
		"repo":          repo,
		"repo/a/b":      repo,
		"alias":         repo,
		"alias/b":       repo,
		"repo/.git/sub": repo,
	} {
		if got, err := Root(filepath.Join(dir, from)); err != nil || got != want {
			t.Errorf("%s: %q, %v", from, got, err)
		}
	}
	_, err := Root(filepath.Join(dir, "outside"))
	wantCode(t, err, CodeNoRepository)
	_, err = Root(filepath.Join(dir, "missing"))
	wantCode(t, err, CodeNoRepository)
}

func TestLinkedWorktreesAndSubmodulesHaveTheirOwnRoot(t *testing.T) {
	dir := real(t, t.TempDir())
	script(t, dir, `
git init -q inner && git -C inner commit -q --allow-empty -m one
git init -q repo && git -C repo commit -q --allow-empty -m one
git -C repo worktree add -q ../linked
git -C repo -c protocol.file.allow=always submodule --quiet add ../inner sub
mkdir linked/x repo/sub/y`)
	for from, want := range map[string]Location{
		"linked/x":   {filepath.Join(dir, "linked"), filepath.Join(dir, "repo/.git/worktrees/linked")},
		"repo/sub/y": {filepath.Join(dir, "repo/sub"), filepath.Join(dir, "repo/.git/modules/sub")},
		"repo":       {filepath.Join(dir, "repo"), filepath.Join(dir, "repo/.git")},
	} {
		if got, err := Locate(filepath.Join(dir, from)); err != nil || got != want {
			t.Errorf("%s: %+v, %v", from, got, err)
		}
	}
}

func TestWhatOnlyLooksLikeARepositoryIsNone(t *testing.T) {
	dir := real(t, t.TempDir())
	script(t, dir, `
git init -q repo
mkdir -p repo/empty/.git repo/partial/.git/objects
touch repo/partial/.git/HEAD
mkdir -p repo/lost repo/garbage repo/blank repo/toempty/target
echo 'gitdir: ../nowhere' > repo/lost/.git
echo 'hello' > repo/garbage/.git
: > repo/blank/.git
echo 'gitdir: target' > repo/toempty/.git`)
	for _, from := range []string{"repo/empty", "repo/partial"} {
		if got, err := Root(filepath.Join(dir, from)); err != nil || got != filepath.Join(dir, "repo") {
			t.Errorf("%s: %q, %v", from, got, err)
		}
	}
	// A git file that leads nowhere does not make its folder a part of the
	// repository around it.
	for _, from := range []string{"repo/lost", "repo/garbage", "repo/blank", "repo/toempty"} {
		_, err := Root(filepath.Join(dir, from))
		if !fault.Is(err, CodeNoRepository) {
			t.Errorf("%s: %v", from, err)
		}
	}
}

func TestRepositoryOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		// Nobody but root can make a file of another user. /proc is one's:
		// its folders belong to root.
		if _, err := checked(Location{Root: "/", GitDir: "/"}); err == nil {
			t.Fatal("the root folder passed as ours")
		}
		return
	}
	for _, path := range []string{"repo", "repo/.git", "data"} {
		dir := real(t, t.TempDir())
		script(t, dir, `git init -q --separate-git-dir data repo`)
		if err := os.Lchown(filepath.Join(dir, path), 65534, 65534); err != nil {
			t.Fatal(err)
		}
		_, err := Root(filepath.Join(dir, "repo"))
		if f := wantCode(t, err, CodeForeign); f.Hint == "" {
			t.Error("no hint")
		}
	}
}

func TestGitAgreesAboutTheRoot(t *testing.T) {
	dir := real(t, t.TempDir())
	out := script(t, dir, `
git init -q repo && git -C repo commit -q --allow-empty -m one && git -C repo worktree add -q ../linked
git init -q --separate-git-dir data split
mkdir -p repo/a linked/b split/c repo/nested && git init -q repo/nested
for d in repo/a linked/b split/c repo/nested; do (cd $d && git rev-parse --show-toplevel); done`)
	at := 0
	for _, from := range []string{"repo/a", "linked/b", "split/c", "repo/nested"} {
		got, err := Root(filepath.Join(dir, from))
		if err != nil || got != out[at] {
			t.Errorf("%s: %q, %v, git says %q", from, got, err, out[at])
		}
		at++
	}
}
