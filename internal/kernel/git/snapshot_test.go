package git

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gitsTree is what git makes of a working tree: its own index, copied, and
// "add --all".
func gitsTree(t *testing.T, repo string) string {
	t.Helper()
	return one(t, repo, `
if test -f "$(git rev-parse --git-path index)"; then cp -p "$(git rev-parse --git-path index)" ../gits-index; else rm -f ../gits-index; fi
export GIT_INDEX_FILE=$(cd .. && pwd)/gits-index; git -c core.splitIndex=false add --all >/dev/null 2>&1; git write-tree`)
}

// agree compares a snapshot with git's own.
func agree(t *testing.T, r *Repository, dir, what string) Snapshot {
	t.Helper()
	s, err := worktree(t, r).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private")})
	ok(t, err)
	if want := gitsTree(t, r.Root()); string(s.Tree) != want {
		t.Errorf("%s: tree %s, git's %s\n%s", what, s.Tree, want, strings.Join(script(t, r.Root(), "git diff --stat "+string(s.Tree)+" "+want+"; git diff "+string(s.Tree)+" "+want+" | head -30"), "\n"))
	}
	return s
}

// mess changes a working tree at random, as people and agents do.
func mess(t *testing.T, r *rand.Rand, root string) {
	t.Helper()
	names := []string{"a", "b", "c.log", "d.o", "é", "n\nl", "x y", "A", ".hidden", "\xff"}
	for range 12 {
		at := root
		for range r.IntN(3) {
			at = filepath.Join(at, names[r.IntN(len(names))])
		}
		path := filepath.Join(at, names[r.IntN(len(names))])
		if r.IntN(4) == 0 {
			_ = os.RemoveAll(path)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			continue // a file is in the way
		}
		switch r.IntN(8) {
		case 0:
			_ = os.Symlink([]string{"a", "nowhere", "../b", "."}[r.IntN(4)], path)
		case 1:
			if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
				continue
			}
			_ = os.Chmod(path, []os.FileMode{0o644, 0o755, 0o600, 0o700}[r.IntN(4)])
		case 2:
			_ = os.WriteFile(filepath.Join(filepath.Dir(path), ".gitignore"), []byte(randomPattern(r)+"\n*.o\n!a.o\n"), 0o644)
		case 3:
			_ = os.WriteFile(filepath.Join(filepath.Dir(path), ".gitattributes"), []byte("* "+[]string{"text", "-text", "text=auto", "eol=crlf", "ident"}[r.IntN(5)]+"\n"), 0o644)
		default:
			text := fmt.Sprintf("%d\r\nline $Id: x$\n", r.IntN(5))
			_ = os.WriteFile(path, []byte(text), 0o644)
		}
	}
}

func TestSnapshotsAreWhatGitWouldAdd(t *testing.T) {
	for seed := range 9 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		repo, dir := made(t, "git init -q repo; cd repo; git config core.autocrlf "+[]string{"false", "true", "input"}[seed%3])
		root := repo.Root()
		for step := range 6 {
			mess(t, r, root)
			switch r.IntN(5) {
			case 0:
				script(t, root, "git add -A 2>/dev/null; git commit -qm x || true")
			case 1:
				script(t, root, "git add -f . 2>/dev/null || true")
			case 2:
				script(t, root, "git rm -r -q --cached a b 2>/dev/null || true")
			}
			// Git may be built to compare whole seconds only, and then misses changes
			// that we see.
			script(t, root, fmt.Sprintf("find . -path ./.git -prune -o -type f -exec touch -h -d @%d {} +", 1e9+step))
			s := agree(t, repo, dir, fmt.Sprintf("seed %d, step %d", seed, step))
			again := agree(t, repo, dir, fmt.Sprintf("seed %d, step %d, again", seed, step))
			if s.Tree != again.Tree {
				t.Errorf("seed %d, step %d: the tree changed by itself", seed, step)
			}
			cold, err := worktree(t, repo).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, fmt.Sprint("cold", step))})
			if err != nil || s.Tree != cold.Tree {
				t.Errorf("seed %d, step %d: without a private index the tree is %s, %v", seed, step, cold.Tree, err)
			}
		}
		sound(t, root)
		if t.Failed() {
			return
		}
	}
}

func TestAnUnchangedWorkingTreeIsNotRead(t *testing.T) {
	r, dir := made(t, history)
	script(t, r.Root(), "find . -type f -exec touch -d '2 seconds ago' {} +; for i in 1 2 3; do echo $i > new$i; touch -d '2 seconds ago' new$i; done; git status -s >/dev/null")
	agree(t, r, dir, "first")
	waitForTick(t, dir)
	agree(t, r, dir, "second")
	s := agree(t, r, dir, "third")
	if s.Stats.Hashed != 0 || s.Stats.Written != 0 {
		t.Errorf("an unchanged working tree was read: %+v", s.Stats)
	}
	before, err := os.Stat(filepath.Join(dir, "private"))
	ok(t, err)
	agree(t, r, dir, "fourth")
	after, err := os.Stat(filepath.Join(dir, "private"))
	ok(t, err)
	if !os.SameFile(before, after) {
		t.Error("the private index was written again")
	}
}

func TestSnapshotSeesWhatHidesFromGit(t *testing.T) {
	r, dir := made(t, history)
	root := r.Root()
	agree(t, r, dir, "first")
	waitForTick(t, dir)
	agree(t, r, dir, "second")
	// The same size, the time of before.
	info, err := os.Stat(filepath.Join(root, "a"))
	ok(t, err)
	ok(t, os.WriteFile(filepath.Join(root, "a"), []byte("two\n"), 0o644))
	ok(t, os.Chtimes(filepath.Join(root, "a"), info.ModTime(), info.ModTime()))
	// Flags that tell git not to look.
	script(t, root, "git update-index --assume-unchanged d/e/f; git update-index --skip-worktree x; echo seen > d/e/f; echo seen too > x")
	s, err := worktree(t, r).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private")})
	ok(t, err)
	for path, want := range map[string]string{"a": "two", "d/e/f": "seen", "x": "seen too"} {
		if got := one(t, root, "git show "+string(s.Tree)+":"+path); got != want {
			t.Errorf("%s = %q", path, got)
		}
	}
}

func TestWhatCannotBeTakenIsNamed(t *testing.T) {
	r, dir := made(t, history+`
git init -q embedded; git -C embedded commit -q --allow-empty -m x; echo e > embedded/file
git init -q unborn; echo e > unborn/file
echo big > big; git add big; git commit -qm big; head -c 5000 /dev/zero > big; head -c 5000 /dev/zero > alsobig
mkfifo pipe; rm a; mkfifo a; mkdir empty empty2; mkdir empty2/inner
git init -q ignored; echo ignored/ > .gitignore`)
	root := r.Root()
	secret := filepath.Join(root, "secret")
	write(t, secret, "x")
	ok(t, os.Chmod(secret, 0))
	s, err := worktree(t, r).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private"), MaxFile: 4096})
	ok(t, err)
	want := map[string]string{"embedded": ReasonEmbedded, "unborn": ReasonEmbedded, "big": ReasonTooLarge, "alsobig": ReasonTooLarge, "a": ReasonSpecial}
	if os.Geteuid() != 0 {
		want["secret"] = ReasonUnreadable
	}
	got := map[string]string{}
	for _, p := range s.Problems {
		got[p.Path] = p.Reason
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("problems %v, want %v", got, want)
	}
	if text := one(t, root, "git show "+string(s.Tree)+":big"); text != "big" {
		t.Errorf("big = %q", text)
	}
	if !slices.Equal(s.Empty, []string{"empty", "empty2/inner"}) {
		t.Errorf("empty = %q", s.Empty)
	}
	s, err = worktree(t, r).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private"), MaxFile: 4096, Exclude: []string{"embedded", "/unborn/", "big", "a", "alsobig", "secret"}})
	if err != nil || len(s.Problems) != 0 {
		t.Errorf("problems %v, %v", s.Problems, err)
	}
}

func TestSubmodules(t *testing.T) {
	r, dir := made(t, `git init -q -b main inner && cd inner && echo i > i && git add i && git commit -qm i && cd ..
git init -q -b main repo && cd repo && git -c protocol.file.allow=always submodule --quiet add ../inner sub && git -c protocol.file.allow=always submodule --quiet add ../inner other && git commit -qm s`)
	root := r.Root()
	if s := agree(t, r, dir, "clean"); len(s.Problems) != 0 {
		t.Errorf("problems %v", s.Problems)
	}
	script(t, root, "cd sub; git commit -q --allow-empty -m moved")
	if s := agree(t, r, dir, "moved"); len(s.Problems) != 0 {
		t.Errorf("problems %v", s.Problems)
	}
	script(t, root, "echo changed > sub/i; echo new > other/new")
	if s := agree(t, r, dir, "dirty"); !slices.Equal(s.Problems, []Problem{{"other", ReasonSubmodule}, {"sub", ReasonSubmodule}}) {
		t.Errorf("problems %v", s.Problems)
	}
	script(t, root, "rm -rf sub other; mkdir sub other; echo lost > other/file")
	s, err := worktree(t, r).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private")})
	ok(t, err)
	if !slices.Equal(s.Problems, []Problem{{"other", ReasonNoModule}}) {
		t.Errorf("problems %v", s.Problems)
	}
}

func TestSparseAndSplitIndexes(t *testing.T) {
	for name, lines := range map[string]string{
		"sparse":       "git sparse-checkout set --no-cone /d",
		"cone":         "git sparse-checkout set d",
		"sparse index": "git sparse-checkout set --cone --sparse-index d",
		"split":        "git update-index --split-index; echo 1 > s; git add s",
		"version 4":    "git update-index --index-version 4",
		"version 3":    "git rm -q --cached a; git add -N a",
		"unmerged":     "git checkout -q -b o; echo o > a; git commit -qam o; git checkout -q main; echo m > a; git commit -qam m; git merge -q o || true",
	} {
		t.Log(name)
		r, dir := made(t, history+"\nmkdir -p out/side; echo o > out/side/o; echo o > out/p; git add -A; git commit -qm out\n"+lines)
		agree(t, r, dir, name)
		script(t, r.Root(), "echo changed > d/e/f; echo new > d/new")
		agree(t, r, dir, name+", changed")
		sound(t, r.Root())
	}
}

func TestSnapshotInOddPlaces(t *testing.T) {
	for name, lines := range map[string]string{
		"unborn":            "git init -q repo; cd repo; echo a > a",
		"empty":             "git init -q repo",
		"detached":          history + "\ngit checkout -q --detach; echo new > new",
		"linked":            "git init -q -b main m; cd m; echo a > a; git add a; git commit -qm a; git worktree add -q ../repo; echo b > ../repo/b",
		"shallow":           "git init -q -b main m; cd m; for i in 1 2 3; do echo $i > a; git add a; git commit -qm $i; done; cd ..; git clone -q --depth 1 file://$PWD/m repo; echo b > repo/b",
		"sha256":            "git init -q --object-format=sha256 repo; cd repo; echo a > a; git add a; git commit -qm a; echo b > b",
		"case":              "git init -q repo; cd repo; echo a > File; git add File; git commit -qm a; git mv File file; echo b > FILE",
		"signing and locks": history + "\ngit config commit.gpgsign true; git config user.useConfigOnly true; touch .git/index.lock; echo n > n; rm .git/index.lock",
		"excludes":          history + "\necho '*.x' > .git/info/exclude; echo 1 > 1.x; echo 2 > 2.y; mkdir s; echo '!3.x' > s/.gitignore; echo 3 > s/3.x",
		"tracked, ignored":  history + "\nmkdir t; echo 1 > t/in; git add t; git commit -qm t; echo t/ > .gitignore; echo 2 > t/in; echo 3 > t/new",
	} {
		r, dir := made(t, lines)
		agree(t, r, dir, name)
		sound(t, r.Root())
	}
}

func TestTheUsersIgnoreAndAttributesCount(t *testing.T) {
	r, dir := made(t, "git init -q repo; mkdir -p home/.config/git; printf '*.mine\\n' > home/.config/git/ignore; printf '* text=auto\\n' > home/.config/git/attributes; printf '[core]\\n\\tautocrlf = input\\n[user]\\n\\tname = Ä\\n\\temail = a@b\\n' > home/.gitconfig; cd repo; echo x > x.mine; printf 'a\\r\\n' > a")
	home := filepath.Join(dir, "home")
	r = opened(t, r.Root(), Options{Home: home, ConfigHome: filepath.Join(home, ".config")})
	s, err := worktree(t, r).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private")})
	ok(t, err)
	if got := script(t, r.Root(), "git ls-tree --name-only "+string(s.Tree)+"; git cat-file -s "+string(s.Tree)+":a"); !slices.Equal(got, []string{"a", "2"}) {
		t.Errorf("git lists %q", got)
	}
	if name, email, err := r.Identity(); name != "Ä" || email != "a@b" || err != nil {
		t.Errorf("%q, %q, %v", name, email, err)
	}
}

func TestChangedAttributesChangeWhatIsStored(t *testing.T) {
	r, dir := made(t, "git init -q repo; cd repo; printf 'a\\r\\n' > a")
	agree(t, r, dir, "as it is")
	waitForTick(t, dir)
	agree(t, r, dir, "remembered")
	script(t, r.Root(), "echo '* text' > .gitattributes")
	s, err := worktree(t, r).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private")})
	ok(t, err)
	if got := one(t, r.Root(), "git cat-file -s "+string(s.Tree)+":a"); got != "2" {
		t.Errorf("a has %s bytes", got)
	}
}

func TestALostObjectIsStoredAgain(t *testing.T) {
	r, dir := made(t, "git init -q repo; cd repo; mkdir d; echo once > d/a; touch -d yesterday d/a; git add .; git commit -qm x")
	s := agree(t, r, dir, "first")
	id := one(t, r.Root(), "git rev-parse "+string(s.Tree)+":d/a")
	ok(t, os.Remove(loosePath(filepath.Join(r.Root(), ".git/objects"), OID(id))))
	write(t, filepath.Join(r.Root(), "d/b"), "beside")
	agree(t, r, dir, "second")
	sound(t, r.Root())
}

func TestADamagedPrivateIndexIsBegunAnew(t *testing.T) {
	r, dir := made(t, history)
	s := agree(t, r, dir, "first")
	path := filepath.Join(dir, "private")
	good := content0(t, path)
	for _, bad := range []string{"", "x", good[:len(good)/2], good[:40] + "x" + good[41:], strings.Repeat("\x00", len(good))} {
		ok(t, os.WriteFile(path, []byte(bad), 0o600))
		if again := agree(t, r, dir, "damaged"); again.Tree != s.Tree {
			t.Errorf("tree %s became %s", s.Tree, again.Tree)
		}
	}
	// Another working tree's index says nothing about this one.
	script(t, dir, "cp -r repo twin; echo other > twin/a")
	twin := opened(t, filepath.Join(dir, "twin"), Options{})
	agree(t, twin, dir, "twin")
}

// waitForTick waits until the clock of the file system has moved on.
func waitForTick(t *testing.T, dir string) {
	t.Helper()
	stamp := func() stat {
		path := filepath.Join(dir, "tick")
		ok(t, os.WriteFile(path, nil, 0o644))
		f, err := os.Open(path)
		ok(t, err)
		defer func() { _ = f.Close() }()
		info, err := infoOfFile(f)
		ok(t, err)
		return info.stat
	}
	start := stamp()
	for s := stamp(); s.mtimeS == start.mtimeS && s.mtimeN == start.mtimeN; s = stamp() {
	}
}

func TestComparingWritesNothing(t *testing.T) {
	r, dir := made(t, history+"\necho changed > a; echo new > new")
	head, err := r.Head(t.Context())
	ok(t, err)
	list := func() []string {
		return script(t, dir, "find repo -printf '%p %T@ %C@\\n' | sort")
	}
	before := list()
	changes, err := worktree(t, r).Compare(t.Context(), head.Commit, SnapshotOptions{}, false)
	if err != nil || len(changes) != 2 {
		t.Errorf("%v, %v", changes, err)
	}
	if after := list(); !slices.Equal(before, after) {
		t.Errorf("%q became %q", before, after)
	}
}
