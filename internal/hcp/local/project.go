package local

import (
	"os"
	"path/filepath"

	"bridle/internal/kernel/git"
)

// enclosingRepository returns the root of the innermost git repository around
// dir that the user owns, without running git, or "". The user's home folder is
// no project, even where a repository keeps its dotfiles: everything that the
// person has would be in scope.
func enclosingRepository(dir, userHome string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	root, err := git.Root(dir)
	if err != nil || userHome != "" && sameFile(root, userHome) {
		return ""
	}
	return root
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
