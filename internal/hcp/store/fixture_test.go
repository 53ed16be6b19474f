package store

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/fault"
)

// at is the time in the tests that set one.
var at = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// movable is a clock that a test moves.
type movable struct{ now time.Time }

func (m *movable) Now() time.Time { return m.now }

// openAt opens a store at home and fails the test if that fails.
func openAt(t *testing.T, home string, opts Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), home, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newStore opens a new store in a folder of the test.
func newStore(t *testing.T) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "home"), Options{})
}

// tree is a folder by its files: path to content. A content that begins with
// "#!" is a program; "-> x" is a link to x; a path that ends in "/" is a
// folder.
type tree map[string]string

func (f tree) write(t *testing.T, dir string) string {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(f)) {
		full := filepath.Join(dir, path)
		parent := filepath.Dir(full)
		if strings.HasSuffix(path, "/") {
			parent = full
		}
		if err := os.MkdirAll(parent, 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "/") {
			continue
		}
		if target, link := strings.CutPrefix(f[path], "-> "); link {
			if err := os.Symlink(target, full); err != nil {
				t.Fatal(err)
			}
			continue
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(f[path], "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(full, []byte(f[path]), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// with returns a copy of the tree in which some files are others; an empty
// content takes the file away.
func (f tree) with(pairs ...string) tree {
	changed := maps.Clone(f)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			delete(changed, pairs[i])
			continue
		}
		changed[pairs[i]] = pairs[i+1]
	}
	return changed
}

// wrapPack is a pack with one read and one confirmed write around an
// executable.
func wrapPack(id, bin string) tree {
	files := tree{
		"surface.json": fmt.Sprintf(`{
  "id": %q, "name": "Demo", "kind": "wrap", "cliBin": "demo",
  "binding": {"mode": "public"},
  "wrap": {"bin": %q},
  "verbs": {
    "show": {"description": "Show one thing.", "cli": ["demo", "show"]},
    "drop": {"description": "Drop one thing.", "cli": ["demo", "drop", "--confirm"]}
  }
}`, id, bin),
		"policy.json": fmt.Sprintf(`{
  "surface_id": %q, "version": 1,
  "verbs": {
    "show": {"operation": "read", "privacy": {"land": "personal"}},
    "drop": {"operation": "write", "privacy": {"land": "personal"}, "confirm": true}
  },
  "stimuli": {}
}`, id),
		"HARNESS.md": "# HCP — Demo\n\nShows and drops things. No login. Run `demo show --json` first.\n\n" +
			"| Command | CLI | Policy |\n|---|---|---|\n| `show` | `demo show` | read |\n| `drop` | `demo drop --confirm` | write + confirm |\n\n" +
			"## Examples\n\n```bash\nhcpx exec " + id + " show --json\n```\n\n## Anti-patterns\n\n- Dropping without asking.\n",
	}
	if strings.HasPrefix(bin, "./") {
		files[strings.TrimPrefix(bin, "./")] = "#!/bin/sh\necho '{}'\n"
	}
	return files
}

// source writes a pack into a new folder.
func source(t *testing.T, files tree) string {
	t.Helper()
	return files.write(t, filepath.Join(t.TempDir(), "source"))
}

func install(t *testing.T, s *Store, dir string) InstallResult {
	t.Helper()
	result, err := s.Install(t.Context(), dir, InstallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func activate(t *testing.T, s *Store, id string) ActivateResult {
	t.Helper()
	result, err := s.Activate(t.Context(), []string{id}, ActivateOptions{Search: Search{Path: "/usr/bin:/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func wantCode(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("error = %v (code %q), want code %q", err, fault.CodeOf(err), code)
	}
	return fault.From(err)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// snapshot lists everything below dir with its modes and contents, but for the
// lock files, which come and go.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if rel == locksDir {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		found[rel] = info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			found[rel] += " " + string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
