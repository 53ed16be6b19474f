//go:build !linux

package wrap

import (
	"os"
	"path/filepath"

	"bridle/internal/kernel/fileid"
)

// rootDir stats directories below one.
type rootDir struct{ path string }

func openRootDir(path string) *rootDir { return &rootDir{path} }

// stat returns the identity of what must be a directory and no link.
func (r *rootDir) stat(at string) (fileid.Identity, bool) {
	info, err := os.Lstat(filepath.Join(r.path, filepath.FromSlash(at)))
	if err != nil || !info.IsDir() {
		return fileid.Identity{}, false
	}
	return fileid.Of(info), true
}

func (r *rootDir) close() {}
