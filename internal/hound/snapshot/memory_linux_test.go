package snapshot_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/internal/hound/snapshot"
)

// aged makes everything in the repository old enough for its change times to be
// trusted: the clock ticks at least a hundred times a second.
func (r *repo) aged(t *testing.T) {
	t.Helper()
	r.sh(`sleep 0.05`)
}

// memories lists what is remembered.
func memories(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.snapshot"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWhatIsRememberedChangesNoResult(t *testing.T) {
	r := newRepo(t)
	r.aged(t)
	plain := r.take(nil).Digest()
	r.o.CacheDir = filepath.Join(t.TempDir(), "cache")
	for range 3 {
		if got := r.take(nil).Digest(); got != plain {
			t.Fatal("another digest with a memory")
		}
	}
	if files := memories(t, r.o.CacheDir); len(files) != 1 {
		t.Fatalf("%q", files)
	} else if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	r.sh(`touch -r src/one ../ref; printf 'ONE\n' > src/one; touch -r ../ref src/one`)
	if f, ok := r.take(nil).File("src/one"); !ok || f.SHA256 != sum("ONE\n") {
		t.Errorf("%+v", f)
	}
}

// A memory is used only when it is exactly what was kept, in a file that only the
// user can have written.
func TestFalseMemoriesAreForgotten(t *testing.T) {
	r := newRepo(t)
	r.aged(t)
	r.o.CacheDir = filepath.Join(t.TempDir(), "cache")
	good := r.take(nil).Digest()
	file := memories(t, r.o.CacheDir)[0]
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"a bit turned": func() error {
			data := slices.Clone(kept)
			data[len(data)/2] ^= 1
			return os.WriteFile(file, data, 0o600)
		},
		"cut short":         func() error { return os.WriteFile(file, kept[:len(kept)/2], 0o600) },
		"empty":             func() error { return os.WriteFile(file, nil, 0o600) },
		"longer":            func() error { return os.WriteFile(file, append(slices.Clone(kept), 0), 0o600) },
		"writable by all":   func() error { return os.Chmod(file, 0o666) },
		"folder for anyone": func() error { return os.Chmod(r.o.CacheDir, 0o777) },
		"a link": func() error {
			if err := os.Rename(file, file+"x"); err != nil {
				return err
			}
			return os.Symlink(file+"x", file)
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if got := r.take(nil).Digest(); got != good {
			t.Errorf("%s: another digest", name)
		}
		if err := os.RemoveAll(r.o.CacheDir); err != nil {
			t.Fatal(err)
		}
		r.take(nil)
	}
}

// The hash of a file is asked from the memory only: what stands there is believed.
// So a memory of another place must not be taken for this one's.
func TestMemoryOfAnotherPlaceIsNotUsed(t *testing.T) {
	r := newRepo(t)
	r.aged(t)
	r.o.CacheDir = filepath.Join(t.TempDir(), "cache")
	r.take(nil)
	first := memories(t, r.o.CacheDir)[0]
	other := newRepo(t)
	other.o = r.o
	other.aged(t)
	want := other.take(nil).Digest()
	for _, file := range memories(t, r.o.CacheDir) {
		if file == first {
			continue
		}
		data, err := os.ReadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := other.take(nil).Digest(); got != want {
		t.Error("the memory of another place was used")
	}
}

// What was written in the tick of the clock in which it was read may be written
// again without a sign of it; it is hashed again.
func TestFreshFilesAreHashedAgain(t *testing.T) {
	r := newRepo(t)
	r.o.CacheDir = filepath.Join(t.TempDir(), "cache")
	for i := range 300 {
		text := strings.Repeat("x", i+1)
		path := filepath.Join(r.dir, "racy")
		if err := os.WriteFile(path, []byte(strings.Repeat("y", i+1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if i%10 != 0 {
			continue
		}
		before := r.take(nil)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, base := range []*snapshot.Snapshot{before, nil} {
			if f, _ := r.take(base).File("racy"); f.SHA256 != sum(text) {
				t.Fatalf("round %d: an edit in the same tick was not seen", i)
			}
		}
	}
}

func TestBoundFilesAreThoseThatGitDoesNotIgnore(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"nothing":            {`git status >/dev/null`, ""},
		"ignored file":       {`echo x >> trace.log; echo x > cache/new`, ""},
		"left out":           {`mkdir -p runs/1; echo x > runs/1/plan`, ""},
		"tracked file":       {`echo x >> src/one`, "tracked src/one"},
		"tracked, ignored":   {`echo x >> cache/tracked/kept`, "tracked cache/tracked/kept"},
		"tracked mode":       {`chmod 600 src/one`, "tracked src/one"},
		"tracked gone":       {`rm src/one`, "tracked src/one"},
		"directory instead":  {`rm src/one; mkdir src/one; echo x > src/one/x`, "tracked src/one,untracked src/one/x"},
		"untracked file":     {`echo x >> notes`, "untracked notes"},
		"untracked link":     {`ln -s x new`, "untracked new"},
		"nested file":        {`echo x >> nested/inner`, "untracked nested/inner"},
		"taken out again":    {`printf '*.log\n!keep.log\n' > src/.gitignore; echo > src/keep.log; echo > src/x.log`, "untracked src/.gitignore,untracked src/keep.log"},
		"rules taken away":   {`printf 'cache/\n' > .gitignore`, "tracked .gitignore,untracked trace.log"},
		"excluded in git":    {`mkdir deep; echo > deep/x; echo deep > .git/info/exclude`, ""},
		"pipe":               {`mkfifo pipe`, ""},
		"empty directory":    {`mkdir a`, ""},
		"now tracked":        {`git add notes`, "tracked notes,untracked notes"},
		"rules of no effect": {`mkdir a; printf '!cache/\n' > cache/.gitignore`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			before := r.bound(t)
			r.sh(c.script)
			if got := before.differing(r.bound(t)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The lists are git's own, but for what is in nested repositories, which git
// names as a whole.
func TestBoundFilesAreGitsOwnLists(t *testing.T) {
	r := newRepo(t)
	r.sh(`mkdir -p a/b/c; for f in a/x a/x.log a/b/y a/b/c/z a/b/c/t.tmp a/b/keep.tmp; do echo > $f; done
printf '*.tmp\n!/b/keep.tmp\n/x\n' > a/.gitignore; printf 'c/*\n!c/z\n' > a/b/.gitignore; git add a/b/y; rm src/one`)
	b := r.bound(t)
	var tracked, untracked []string
	for path := range b.tracked {
		tracked = append(tracked, path)
	}
	for path := range b.untracked {
		if !strings.HasPrefix(path, "nested/") {
			untracked = append(untracked, path)
		}
	}
	slices.Sort(tracked)
	slices.Sort(untracked)
	if got, want := strings.Join(tracked, "\n"), r.sh(`git ls-files`); got != want {
		t.Errorf("tracked %q, want %q", got, want)
	}
	if got, want := strings.Join(untracked, "\n"), r.sh(`git ls-files -o --exclude-standard | grep -v ^nested/`); got != want {
		t.Errorf("untracked %q, want %q", got, want)
	}
	if b.tracked["src/one"] != snapshot.MissingPath || b.untracked["nested/inner"] == "" {
		t.Errorf("%+v", b)
	}
}

func TestBoundSubmodulesCountWithWhatIsInThem(t *testing.T) {
	r := newRepo(t)
	r.sh(`git -c protocol.file.allow=always submodule add -q ./nested sub && git commit -q -m sub`)
	before := r.bound(t)
	r.sh(`echo x >> sub/inner`)
	if got := before.differing(r.bound(t)); got != "tracked sub/inner" {
		t.Errorf("%q", got)
	}
}

// bound is what a plan is bound to, by path.
type bound struct{ tracked, untracked map[string]string }

func (r *repo) bound(t *testing.T) bound {
	t.Helper()
	lists, err := r.take(nil).Bound("runs")
	if err != nil {
		t.Fatal(err)
	}
	b := bound{map[string]string{}, map[string]string{}}
	for _, p := range lists.Tracked {
		b.tracked[p.Path] = p.Hash
	}
	for _, p := range lists.Untracked {
		b.untracked[p.Path] = p.Hash
	}
	byPath := func(a, b snapshot.PathHash) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(lists.Tracked, byPath) || !slices.IsSortedFunc(lists.Untracked, byPath) {
		t.Error("the lists are not in order")
	}
	return b
}

func (b bound) differing(o bound) string {
	var found []string
	for part, maps := range map[string][2]map[string]string{"tracked": {b.tracked, o.tracked}, "untracked": {b.untracked, o.untracked}} {
		for path := range maps[0] {
			if maps[1][path] != maps[0][path] {
				found = append(found, part+" "+path)
			}
		}
		for path := range maps[1] {
			if maps[0][path] == "" {
				found = append(found, part+" "+path)
			}
		}
	}
	slices.Sort(found)
	return strings.Join(found, ",")
}

// What is kept in the repository would be a change of it, whatever way leads there.
func TestNothingIsKeptInTheRepositoryItself(t *testing.T) {
	r := newRepo(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.dir, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(r.dir, "kept"), filepath.Join(link, "kept"), filepath.Join(link, ".git", "kept", "deep")} {
		r.o.CacheDir = dir
		r.take(nil)
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is there", dir)
		}
	}
}
