package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const history = `git init -q -b main repo && cd repo
mkdir -p d/e; echo one > a; echo deep > d/e/f; ln -s a link; echo run > x; chmod +x x; git add -A; git commit -qm one`

func TestWorktreesComeAndGo(t *testing.T) {
	r, dir := made(t, history)
	head, err := r.Head(t.Context())
	ok(t, err)
	at := filepath.Join(dir, "linked trees", "one")
	w, err := r.AddWorktree(t.Context(), at, head.Commit)
	ok(t, err)
	if got := one(t, at, "git status --porcelain; git rev-parse HEAD"); got != string(head.Commit) {
		t.Errorf("git says %q", got)
	}
	if h, err := w.Head(t.Context()); err != nil || !h.Detached || h.Commit != head.Commit {
		t.Errorf("%+v, %v", h, err)
	}
	if content(t, filepath.Join(at, "d/e/f")) != "deep" {
		t.Error("the files are not there")
	}
	second, err := r.AddWorktree(t.Context(), filepath.Join(dir, "two", "one"), head.Commit)
	ok(t, err)
	list, err := r.Worktrees(t.Context())
	ok(t, err)
	if len(list) != 2 || list[0].Root() != at || list[0].Missing || list[1].Root() != second.Root() {
		t.Errorf("worktrees = %+v", list)
	}
	if got := script(t, filepath.Join(dir, "repo"), "git worktree list --porcelain | grep -c ^worktree; git worktree prune -v"); got[0] != "3" || len(got) != 1 {
		t.Errorf("git says %v", got)
	}
	opened, err := r.OpenWorktree(t.Context(), at)
	if err != nil || opened.GitDir() != w.GitDir() {
		t.Errorf("%+v, %v", opened, err)
	}
	ok(t, w.Remove(t.Context()))
	if exists(at) || exists(w.GitDir()) {
		t.Error("something was left")
	}
	sound(t, filepath.Join(dir, "repo"))
}

func TestAMovedWorktreeIsRepaired(t *testing.T) {
	r, dir := made(t, history)
	head, err := r.Head(t.Context())
	ok(t, err)
	w, err := r.AddWorktree(t.Context(), filepath.Join(dir, "old"), head.Commit)
	ok(t, err)
	ok(t, os.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "new")))
	list, err := r.Worktrees(t.Context())
	ok(t, err)
	if len(list) != 1 || !list[0].Missing {
		t.Errorf("worktrees = %+v", list)
	}
	// Removing what has moved away leaves what is there now.
	write(t, filepath.Join(dir, "old", "file"), "mine")
	wantCode(t, w.Repair(t.Context(), filepath.Join(dir, "old")), CodeBadWorktree)
	ok(t, w.Repair(t.Context(), filepath.Join(dir, "new")))
	if got := one(t, filepath.Join(dir, "new"), "git status --porcelain; git worktree list | grep -c new"); got != "1" {
		t.Errorf("git says %q", got)
	}
	list[0].root = filepath.Join(dir, "old")
	ok(t, list[0].Remove(t.Context()))
	if content(t, filepath.Join(dir, "old", "file")) != "mine" {
		t.Error("a foreign folder was removed")
	}
}

func TestParallelWorktreesGetPlacesOfTheirOwn(t *testing.T) {
	r, dir := made(t, history)
	head, err := r.Head(t.Context())
	ok(t, err)
	results := make(chan error, 6)
	for i := range 6 {
		go func() {
			_, err := r.AddWorktree(t.Context(), filepath.Join(dir, "w", string(rune('a'+i)), "same"), head.Commit)
			results <- err
		}()
	}
	for range 6 {
		ok(t, <-results)
	}
	list, err := r.Worktrees(t.Context())
	ok(t, err)
	if len(list) != 6 || slices.ContainsFunc(list, func(w *Worktree) bool { return w.Missing }) {
		t.Errorf("%d worktrees", len(list))
	}
}

func TestAWorktreeNeedsAnEmptyFolder(t *testing.T) {
	r, dir := made(t, history)
	head, err := r.Head(t.Context())
	ok(t, err)
	write(t, filepath.Join(dir, "full", "file"), "mine")
	_, err = r.AddWorktree(t.Context(), filepath.Join(dir, "full"), head.Commit)
	wantCode(t, err, CodeBadWorktree)
	_, err = r.AddWorktree(t.Context(), "relative", head.Commit)
	wantCode(t, err, CodeBadWorktree)
	_, err = r.AddWorktree(t.Context(), filepath.Join(dir, "none"), SHA1.ID(KindBlob, []byte("none")))
	wantCode(t, err, CodeMissingObject)
	_, err = r.OpenWorktree(t.Context(), filepath.Join(dir, "full"))
	wantCode(t, err, CodeNoRepository)
	main, err := r.Worktree()
	ok(t, err)
	wantCode(t, main.Remove(t.Context()), CodeBadWorktree)
}

func TestSnapshotHoldsEverythingThatIsNotIgnored(t *testing.T) {
	r, dir := made(t, history)
	repo := filepath.Join(dir, "repo")
	script(t, repo, `
echo '*.log' > .gitignore; echo x > noise.log; echo new > "$(printf 'new\nline\377')"; rm a; echo changed > d/e/f
touch .git/index.lock; ln -s nowhere dangling; mkdir tracked; echo t > tracked/t.log; cp .git/index ../index.before`)
	w := worktree(t, r)
	s, err := w.Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private")})
	ok(t, err)
	script(t, repo, "rm .git/index.lock; cmp .git/index ../index.before; GIT_INDEX_FILE=../other git add -A")
	if want := one(t, repo, "GIT_INDEX_FILE=../other git write-tree"); string(s.Tree) != want {
		t.Errorf("tree %s, git says %s", s.Tree, want)
	}
	again, err := w.Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private")})
	if err != nil || again.Tree != s.Tree {
		t.Errorf("%+v, %v", again, err)
	}
	sound(t, repo)
}

func TestCheckoutBringsTheExactTree(t *testing.T) {
	r, dir := made(t, history+"\necho ignored > .gitignore; git add .gitignore; git commit -qm two")
	head, err := r.Head(t.Context())
	ok(t, err)
	w, err := r.AddWorktree(t.Context(), filepath.Join(dir, "linked"), head.Commit)
	ok(t, err)
	script(t, w.Root(), "echo changed > a; rm x; rm -r d; echo file > d; mkdir -p new/deep; echo n > new/deep/n; echo keep > ignored; chmod -x link 2>/dev/null || true")
	if diff, err := w.Verify(t.Context(), head.Commit); err != nil || len(diff) == 0 {
		t.Errorf("%v, %v", diff, err)
	}
	ok(t, w.Checkout(t.Context(), head.Commit))
	if diff, err := w.Verify(t.Context(), head.Commit); err != nil || len(diff) != 0 {
		t.Errorf("%v, %v", diff, err)
	}
	if got := script(t, w.Root(), "git status --porcelain --ignored"); !slices.Equal(got, []string{"!! ignored"}) {
		t.Errorf("git says %v", got)
	}
}

func TestDiffIsGits(t *testing.T) {
	bothFormats(t, `
mkdir -p d/e; echo 1 > a; echo 2 > d/e/f; echo 3 > gone; ln -s a l; echo 4 > t; echo 5 > d.x; git add -A; git commit -qm one
echo 11 > a; rm gone l t; echo was link > l; mkdir t; echo in > t/in; chmod +x d.x; echo 6 > d/e/g; git add -A; git commit -qm two`,
		func(t *testing.T, r *Repository, dir string) {
			a, b := OID(one(t, dir, "git rev-parse HEAD~")), OID(one(t, dir, "git rev-parse HEAD"))
			for _, pair := range [][2]OID{{a, b}, {b, a}, {"", b}, {a, ""}, {a, a}} {
				changes, err := r.Diff(t.Context(), pair[0], pair[1])
				ok(t, err)
				var got []string
				for _, c := range changes {
					letter := map[ChangeKind]string{Added: "A", Deleted: "D", Modified: "M", TypeChanged: "T"}[c.Kind]
					got = append(got, letter+"\t"+c.Path)
				}
				x, y := pair[0], pair[1]
				if x == "" {
					x = r.Format().EmptyTree()
				}
				if y == "" {
					y = r.Format().EmptyTree()
				}
				want := script(t, dir, "git diff-tree -r --no-renames --name-status "+string(x)+" "+string(y))
				slices.Sort(got)
				slices.Sort(want)
				if strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("%v\ngit says\n%v", got, want)
				}
			}
			patch, err := r.Patch(t.Context(), a, b, "a")
			if err != nil || !strings.Contains(string(patch), "-1\n+11\n") || strings.Contains(string(patch), "was link") {
				t.Errorf("%s, %v", patch, err)
			}
		})
}

func TestMergeOfTrees(t *testing.T) {
	bothFormats(t, `
seq 1 20 > a; echo b > b; echo gone > gone; printf 'u merge=union\nv merge=evil\n' > .gitattributes; echo 0 > u; echo 0 > v; git add -A; git commit -qm base; git tag base
sed -i s/^1$/one/ a; echo ours > new; echo ours >> u; echo same > same; rm gone; git add -A; git commit -qm ours; git tag ours
git checkout -q base; sed -i s/^20$/twenty/ a; echo theirs >> u; echo same > same; echo t > t; git add -A; git commit -qm theirs; git tag theirs
git checkout -q base; sed -i s/^1$/uno/ a; echo changed > gone; echo x > new; git add -A; git commit -qm bad; git tag bad; git config merge.evil.driver 'touch ran'`,
		func(t *testing.T, r *Repository, dir string) {
			id := func(name string) OID { return OID(one(t, dir, "git rev-parse "+name+"^{commit}")) }
			m, err := r.MergeTrees(t.Context(), id("base"), id("ours"), id("theirs"))
			ok(t, err)
			if !m.Clean || len(m.Conflicts) != 0 {
				t.Errorf("merge = %+v", m)
			}
			if got := one(t, dir, "git show "+string(m.Tree)+":u | tr '\\n' ' '"); got != "0 ours theirs" {
				t.Errorf("u = %q", got)
			}
			if got := one(t, dir, "git show "+string(m.Tree)+":a | head -1; git show "+string(m.Tree)+":a | tail -1"); got != "twenty" {
				t.Errorf("a ends with %q", got)
			}
			m, err = r.MergeTrees(t.Context(), id("base"), id("ours"), id("bad"))
			ok(t, err)
			reasons := map[string]string{}
			for _, c := range m.Conflicts {
				reasons[c.Path] = c.Reason
			}
			if m.Clean || reasons["a"] != "contents" || reasons["gone"] != "modify/delete" || reasons["new"] != "add/add" && reasons["new"] != "contents" {
				t.Errorf("merge = %+v", m)
			}
			if m, err := r.MergeTrees(t.Context(), id("base"), id("ours"), id("base")); err != nil || !m.Clean || m.Tree != treeOf(t, r, id("ours")) {
				t.Errorf("%+v, %v", m, err)
			}
			if exists(filepath.Join(dir, "ran")) {
				t.Error("a merge driver ran")
			}
			if got := script(t, dir, "ls .git/objects | grep tmp || true"); got[0] != "" {
				t.Errorf("left behind: %v", got)
			}
			sound(t, dir)
		})
}

func treeOf(t *testing.T, r *Repository, id OID) OID {
	t.Helper()
	tree, err := r.treeOf(t.Context(), id)
	ok(t, err)
	return tree
}
