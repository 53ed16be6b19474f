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

func TestFingerprintBindsWhatCountsAndNoIgnoredFiles(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"nothing":        {`git status >/dev/null`, ""},
		"ignored file":   {`echo x >> trace.log; echo x > cache/new`, ""},
		"left out":       {`mkdir -p runs/1; echo x > runs/1/plan`, ""},
		"tracked file":   {`echo x >> src/one`, "tracked unstaged"},
		"tracked mode":   {`chmod 600 src/one`, "tracked unstaged"},
		"tracked gone":   {`rm src/one`, "tracked unstaged"},
		"untracked file": {`echo x >> notes`, "untracked"},
		"nested file":    {`echo x >> nested/inner`, "untracked"},
		"staged":         {`echo x >> src/one; git add src/one`, "index staged tracked unstaged"},
		"staged alone":   {`git update-index --chmod=+x src/one`, "index staged unstaged"},
		"commit":         {`git commit -q --allow-empty -m x`, "head refs staged"},
		"tag":            {`git tag x`, "refs"},
		"configuration":  {`git config user.name x`, "sensitive"},
		"hook":           {`echo > .git/hooks/pre-push`, "sensitive"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			before := r.fingerprint(t)
			r.sh(c.script)
			if got := differing(before, r.fingerprint(t)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		r := newRepo(t)
		r.sh(`rm src/one`)
		if f := r.fingerprint(t); f.Tracked["src/one"] != "missing" || len(f.Tracked) != 6 || len(f.Untracked) == 0 {
			t.Errorf("%+v", f)
		}
	})
	t.Run("unborn", func(t *testing.T) {
		r := newRepo(t)
		r.sh(`git init -q -b main fresh; echo x > fresh/x`)
		fresh := &repo{t, filepath.Join(r.dir, "fresh"), r.o}
		if f := fresh.fingerprint(t); f.Head != "unborn refs/heads/main" || f.Untracked["x"] == "" {
			t.Errorf("%+v", f)
		}
	})
}

func (r *repo) fingerprint(t *testing.T) snapshot.Fingerprint {
	t.Helper()
	f, err := r.take(nil).Fingerprint(t.Context(), "runs")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func differing(a, b snapshot.Fingerprint) string {
	var parts []string
	add := func(name string, same bool) {
		if !same {
			parts = append(parts, name)
		}
	}
	add("head", a.Head == b.Head)
	add("index", a.Index == b.Index)
	add("refs", a.Refs == b.Refs)
	add("sensitive", a.Sensitive == b.Sensitive)
	add("integrity", a.Integrity == b.Integrity)
	add("staged", a.Staged == b.Staged)
	add("tracked", equal(a.Tracked, b.Tracked))
	add("unstaged", a.Unstaged == b.Unstaged)
	add("untracked", equal(a.Untracked, b.Untracked))
	return strings.Join(parts, " ")
}
