package git

import (
	"path/filepath"
	"testing"
)

// TestWhatWasNeverCheckedOutIsNotRemoved takes snapshots of working trees without an
// index.
func TestWhatWasNeverCheckedOutIsNotRemoved(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"a clone without a checkout":   {"git clone -q --no-checkout m repo", "cd m"},
		"with a file of the user's":    {"git clone -q --no-checkout m repo; echo new > repo/new", "cd m; echo new > new"},
		"with a file in another form":  {"git clone -q --no-checkout m repo; echo 2 > repo/b", "cd m; echo 2 > b"},
		"with a file for a folder":     {"git clone -q --no-checkout m repo; echo 2 > repo/d", "cd m; rm -r d; echo 2 > d"},
		"a linked working tree":        {"git -C m worktree add -q --no-checkout ../repo", "cd m"},
		"ignored and tracked":          {"git clone -q --no-checkout m repo; echo x > repo/x.log", "cd m"},
		"an index that was lost":       {"git clone -q m repo; rm repo/.git/index; echo new > repo/new; rm repo/b", "cd m; echo new > new"},
		"a sparse checkout not begun":  {"git clone -q --no-checkout m repo; git -C repo sparse-checkout init --cone; rm -f repo/.git/index", "cd m"},
		"submodules":                   {"git -C m update-index --add --cacheinfo 160000,$(git -C m rev-parse HEAD),sub; git -C m commit -qm sub; git clone -q --no-checkout m repo", "cd m; mkdir sub"},
		"an unborn branch, no index":   {"git init -q -b main repo; echo new > repo/new", "git init -q n; cd n; echo new > new"},
		"all removed, and said to git": {"git clone -q m repo; cd repo; git rm -qr .", "git init -q n; cd n"},
	} {
		r, dir := made(t, "git init -q -b main m; cd m; mkdir -p d/e; echo 1 > b; echo 1 > d/e/f; echo '*.log' > .gitignore; echo 1 > kept.log; git add -fA; git commit -qm a; cd ..\n"+c.lines)
		s, err := worktree(t, r).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private")})
		ok(t, err)
		if want := one(t, dir, c.want+"; git add -A; git write-tree"); string(s.Tree) != want {
			t.Errorf("%s: %s, want %s", name, s.Tree, want)
		}
		if len(s.Problems) > 0 {
			t.Errorf("%s: %v", name, s.Problems)
		}
		again, err := worktree(t, r).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private")})
		ok(t, err)
		if again.Tree != s.Tree {
			t.Errorf("%s: then %s", name, again.Tree)
		}
		sound(t, r.Root())
	}
}
