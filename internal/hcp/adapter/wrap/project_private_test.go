package wrap

import (
	"os"
	"path/filepath"
	"testing"

	"bridle/internal/kernel/fault"
)

func TestFoldersOfTheSystemAndOfLoginsAreNoProjects(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".ssh", ".aws/sso", ".config/gh", "work", ".cursor/worktrees/app/.git", ".dot/.git", ".git-less/deep"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	store := filepath.Join(home, ".hcp")
	// Whatever HOME says, the home of the account is one.
	for _, limits := range []Limits{{Home: home, Store: store}, {Account: home, Store: store}, {Home: t.TempDir(), Account: home, Store: store}} {
		refusePrivate(t, home, limits)
	}
}

func refusePrivate(t *testing.T, home string, limits Limits) {
	t.Helper()
	for dir, want := range map[string]bool{
		filepath.Join(home, ".ssh"):           false,
		filepath.Join(home, ".aws/sso"):       false,
		filepath.Join(home, ".config/gh"):     false,
		filepath.Join(home, ".git-less/deep"): false,
		home:                                  false,
		filepath.Join(home, "work"):           true,
		"/etc":                                false,
		"/usr/share":                          false,
		"/dev":                                false,
		"/":                                   false,
	} {
		_, err := OpenProject(dir, limits)
		if (err == nil) != want {
			t.Errorf("OpenProject(%q) = %v, want opened = %v", dir, err, want)
		}
		if err != nil && !fault.Is(err, CodeNoProject) {
			t.Errorf("OpenProject(%q): code %q", dir, fault.CodeOf(err))
		}
	}
}
