package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAllWorkingTreesOfARepositoryAreFoundFromEach(t *testing.T) {
	at, err := filepath.EvalSymlinks(t.TempDir())
	ok(t, err)
	script(t, at, `git init -q repo; cd repo; git commit -q --allow-empty -m one; git worktree add -q ../one; git worktree add -q ../two`)
	root, first, second := filepath.Join(at, "repo"), filepath.Join(at, "one"), filepath.Join(at, "two")
	want := []string{root, first, second}
	for _, from := range want {
		here, all, err := Trees(from)
		if err != nil || here.Root != from || here.Linked() != (from != root) || !slices.Equal(rootsOf(all), want) {
			t.Fatalf("from %s: %+v, %v, %v", from, here, all, err)
		}
	}

	// One that is gone, and one that another repository stands in the place of, are
	// none of them.
	ok(t, os.RemoveAll(first))
	ok(t, os.RemoveAll(second))
	script(t, at, `git init -q two`)
	for _, from := range []string{root, second} {
		if _, all, err := Trees(from); err != nil || !slices.Equal(rootsOf(all), []string{from}) {
			t.Errorf("from %s: %v, %v", from, all, err)
		}
	}
}

func TestAWorkingTreeWhoseDataIsElsewhereIsFoundFromALinkedOne(t *testing.T) {
	at, err := filepath.EvalSymlinks(t.TempDir())
	ok(t, err)
	script(t, at, `git init -q --separate-git-dir data repo; cd repo; git commit -q --allow-empty -m one; git config core.worktree ../repo; git worktree add -q ../linked`)
	want := []string{filepath.Join(at, "repo"), filepath.Join(at, "linked")}
	if _, all, err := Trees(want[1]); err != nil || !slices.Equal(rootsOf(all), want) {
		t.Fatalf("%v, %v", all, err)
	}
}

func rootsOf(all []Location) []string {
	var out []string
	for _, l := range all {
		out = append(out, l.Root)
	}
	return out
}
