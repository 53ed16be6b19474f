package local

import (
	"os"
	"path/filepath"
	"slices"

	"bridle/internal/kernel/git"
)

// enclosingRepository returns the root of the innermost git repository around
// dir that the user owns, without running git, or "". The user's home folder is
// no project, even where a repository keeps its dotfiles: everything that the
// person has would be in scope.
func enclosingRepository(dir string, homes func() []string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	root, err := git.Root(dir)
	if err != nil || slices.ContainsFunc(homes(), func(home string) bool { return home != "" && sameFile(root, home) }) {
		return ""
	}
	return root
}

// enclosing is the repository around a folder of this person's.
func (r *Runtime) enclosing(dir string) string { return enclosingRepository(dir, r.homes) }

// homes are what counts as the person's home folder: what the environment says,
// and what the system's user database has. HOME alone is the caller's to set.
func (r *Runtime) homes() []string { return []string{r.o.UserHome, r.accountHome()} }

// accountHome is the home folder of the user database, or empty.
func (r *Runtime) accountHome() string {
	if r.o.AccountHome == nil {
		return ""
	}
	home, err := r.o.AccountHome()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return home
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
