package git

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// sizes of working trees that are measured; the largest takes its time to make.
var benchSizes = []int{1000, 10000, 50000}

// benchRepo makes a repository of small text files, twenty to a folder, on a
// file system that does not hide the cost.
func benchRepo(b *testing.B, files int) (*Repository, string) {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	root := filepath.Join(dir, "repo")
	line := "the quick brown fox jumps over the lazy dog %d\n"
	for i := range files {
		path := filepath.Join(root, fmt.Sprintf("d%03d/e%03d/f%d.txt", i/2000, i/20, i))
		if i%20 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		text := ""
		for n := range 4 + i%40 {
			text += fmt.Sprintf(line, i*n)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	benchGit(b, root, "git init -q -b main . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one && git repack -qad")
	p, err := Find(os.Getenv("PATH"))
	if err != nil {
		b.Fatal(err)
	}
	r, err := Open(b.Context(), root, Options{Program: p})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close() })
	return r, dir
}

func benchGit(b *testing.B, dir, line string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "/bin/sh", "-ec", line)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME=" + dir}
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
}

// against reports how many times faster we were than git doing the same.
func against(b *testing.B, ours func(), dir, theirs string) {
	b.Helper()
	var mine, gits time.Duration
	for b.Loop() {
		start := time.Now()
		ours()
		mine += time.Since(start)
		start = time.Now()
		benchGit(b, dir, theirs)
		gits += time.Since(start)
	}
	b.ReportMetric(float64(mine.Microseconds())/1000/float64(b.N), "ms/ours")
	b.ReportMetric(float64(gits.Microseconds())/1000/float64(b.N), "ms/git")
	b.ReportMetric(float64(gits)/float64(mine), "×git")
	b.ReportMetric(0, "ns/op")
}

func benchSnapshot(b *testing.B, r *Repository, index string) Snapshot {
	b.Helper()
	w, err := r.Worktree()
	if err != nil {
		b.Fatal(err)
	}
	s, err := w.Snapshot(b.Context(), SnapshotOptions{Index: index})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// reopened is a repository as a new process has it.
func reopened(b *testing.B, r *Repository) *Repository {
	b.Helper()
	n, err := Open(b.Context(), r.Root(), r.options)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

const gitsSnapshot = "export GIT_INDEX_FILE=../gits; git add -A && t=$(git write-tree) && c=$(git commit-tree -m x $t </dev/null) && git update-ref refs/x $c"

func BenchmarkSnapshotUnchanged(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r, dir := benchRepo(b, n)
			index := filepath.Join(dir, "private")
			benchGit(b, r.Root(), "git config user.name a; git config user.email a@b; cp .git/index ../gits")
			benchSnapshot(b, r, index)
			benchSnapshot(b, r, index)
			against(b, func() {
				n := reopened(b, r)
				if s := benchSnapshot(b, n, index); s.Stats.Hashed > 0 {
					b.Fatalf("%+v", s.Stats)
				}
				_ = n.Close()
			}, r.Root(), gitsSnapshot)
		})
	}
}

func BenchmarkSnapshotThousandChanged(b *testing.B) {
	for _, n := range benchSizes[1:] {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r, dir := benchRepo(b, n)
			index := filepath.Join(dir, "private")
			benchGit(b, r.Root(), "git config user.name a; git config user.email a@b; cp .git/index ../gits")
			benchSnapshot(b, r, index)
			round := 0
			var mine, gits time.Duration
			for b.Loop() {
				round++
				for i := range 1000 {
					at := i * (n / 1000)
					path := filepath.Join(r.Root(), fmt.Sprintf("d%03d/e%03d/f%d.txt", at/2000, at/20, at))
					if err := os.WriteFile(path, fmt.Appendf(nil, "changed %d %d\n", round, i), 0o644); err != nil {
						b.Fatal(err)
					}
				}
				start := time.Now()
				again := reopened(b, r)
				benchSnapshot(b, again, index)
				_ = again.Close()
				mine += time.Since(start)
				benchGit(b, r.Root(), "git prune --expire=now; rm -f .git/objects/pack/tmp*")
				start = time.Now()
				benchGit(b, r.Root(), "git config core.fsync committed; "+gitsSnapshot)
				gits += time.Since(start)
			}
			b.ReportMetric(float64(mine.Microseconds())/1000/float64(b.N), "ms/ours")
			b.ReportMetric(float64(gits.Microseconds())/1000/float64(b.N), "ms/git")
			b.ReportMetric(float64(gits)/float64(mine), "×git")
		})
	}
}

func BenchmarkSnapshotCold(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r, dir := benchRepo(b, n)
			benchGit(b, r.Root(), "git config user.name a; git config user.email a@b; mv .git/index ../kept")
			against(b, func() {
				again := reopened(b, r)
				benchSnapshot(b, again, filepath.Join(dir, "cold"))
				_ = again.Close()
				if err := os.Remove(filepath.Join(dir, "cold")); err != nil {
					b.Fatal(err)
				}
			}, r.Root(), "rm -f ../gits; "+gitsSnapshot)
		})
	}
}

func BenchmarkWorktreeAdd(b *testing.B) {
	for _, n := range benchSizes[:2] {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r, dir := benchRepo(b, n)
			head, err := r.Head(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			var mine, gits time.Duration
			for b.Loop() {
				start := time.Now()
				w, err := r.AddWorktree(b.Context(), filepath.Join(dir, "ours"), head.Commit)
				if err != nil {
					b.Fatal(err)
				}
				mine += time.Since(start)
				if err := w.Remove(b.Context()); err != nil {
					b.Fatal(err)
				}
				start = time.Now()
				benchGit(b, r.Root(), "git -c checkout.workers=0 worktree add --detach -f ../theirs >/dev/null 2>&1")
				gits += time.Since(start)
				benchGit(b, r.Root(), "git worktree remove -f ../theirs")
			}
			b.ReportMetric(float64(mine.Microseconds())/1000/float64(b.N), "ms/ours")
			b.ReportMetric(float64(gits.Microseconds())/1000/float64(b.N), "ms/git")
			b.ReportMetric(float64(gits)/float64(mine), "×git")
		})
	}
}

func BenchmarkPooledCheckout(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r, dir := benchRepo(b, n)
			benchGit(b, r.Root(), "git config user.name a; git config user.email a@b; for i in 0 1 2 3 4 5 6 7 8 9; do echo changed > d000/e00$i/new; done; git add -A; git commit -qm two")
			head, err := r.Head(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			c, err := r.Commit(b.Context(), head.Commit)
			if err != nil {
				b.Fatal(err)
			}
			w, err := r.AddWorktree(b.Context(), filepath.Join(dir, "pool"), head.Commit)
			if err != nil {
				b.Fatal(err)
			}
			benchGit(b, r.Root(), "git worktree add --detach -f ../theirs >/dev/null 2>&1")
			trees := []OID{c.Parents[0], head.Commit}
			round := 0
			against(b, func() {
				if err := w.Checkout(b.Context(), trees[round%2]); err != nil {
					b.Fatal(err)
				}
				round++
			}, filepath.Join(dir, "theirs"), "git checkout -q --detach $(git rev-parse main~$(($(git rev-parse HEAD | grep -c $(git rev-parse main))))); git clean -fdxq")
		})
	}
}

func BenchmarkMergeTrees(b *testing.B) {
	r, _ := benchRepo(b, 10000)
	benchGit(b, r.Root(), `git config user.name a; git config user.email a@b; git tag base
for i in 0 1 2 3 4 5 6 7 8 9; do echo ours > d000/e00$i/ours; done; git add -A; git commit -qm ours; git tag ours; git reset -q --hard base
for i in 0 1 2 3 4 5 6 7 8 9; do echo theirs > d001/e10$i/theirs; done; git add -A; git commit -qm theirs; git tag theirs; git reset -q --hard base`)
	var ids [3]OID
	for i, name := range []string{"base", "ours", "theirs"} {
		id, ok, err := r.Ref(b.Context(), "refs/tags/"+name)
		if err != nil || !ok {
			b.Fatal(err)
		}
		ids[i] = id
	}
	against(b, func() {
		if m, err := r.MergeTrees(b.Context(), ids[0], ids[1], ids[2]); err != nil || !m.Clean {
			b.Fatalf("%+v, %v", m, err)
		}
	}, r.Root(), "git merge-tree --write-tree ours theirs >/dev/null")
}

func BenchmarkRecord(b *testing.B) {
	r, _ := benchRepo(b, 1000)
	n := 0
	var last OID
	against(b, func() {
		n++
		batch := r.NewBatch()
		blob := batch.Blob(fmt.Appendf(nil, "record %d", n))
		tree := batch.Tree([]Entry{{ModeFile, "record", blob}})
		who := Signature{"a", "a@b", time.Unix(int64(n), 0)}
		id := batch.Commit(Commit{Tree: tree, Author: who, Committer: who})
		if err := batch.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := r.UpdateRefs(b.Context(), []RefUpdate{{Name: "refs/hop/x", New: id, Old: last}}); err != nil {
			b.Fatal(err)
		}
		last = id
	}, r.Root(), "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a; t=$(printf '100644 blob %s\\tx' $(date +%N | git hash-object -w --stdin) | git mktree); git update-ref refs/y $(git commit-tree -m x $t)")
}
