package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/clock"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// made makes a repository with shell lines and opens it. The lines run in the
// folder above it; the repository is "repo".
func made(t *testing.T, lines string) (*Repository, string) {
	t.Helper()
	dir := real(t, t.TempDir())
	script(t, dir, lines)
	return opened(t, filepath.Join(dir, "repo"), Options{}), dir
}

func opened(t *testing.T, dir string, o Options) *Repository {
	t.Helper()
	o.Program = find(t)
	o.Clock = clock.Fixed(noon)
	r, err := Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func worktree(t *testing.T, r *Repository) *Worktree {
	t.Helper()
	return must(t)(r.Worktree())
}

// must returns a function that unwraps results, failing the test on errors.
func must(t *testing.T) func(w *Worktree, err error) *Worktree {
	t.Helper()
	return func(w *Worktree, err error) *Worktree {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// one returns the single line that a command prints.
func one(t *testing.T, dir, line string) string {
	t.Helper()
	lines := script(t, dir, line)
	return strings.TrimSpace(lines[len(lines)-1])
}

func write(t *testing.T, path, text string) {
	t.Helper()
	ok(t, os.MkdirAll(filepath.Dir(path), 0o755))
	ok(t, os.WriteFile(path, []byte(text), 0o644))
}

// sound fails unless git finds the repository to be in order.
func sound(t *testing.T, dir string) {
	t.Helper()
	script(t, dir, "git fsck --strict --no-dangling 2>&1")
}
