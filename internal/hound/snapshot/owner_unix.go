//go:build unix

package snapshot

import (
	"os"
	"syscall"
)

// ownersAlone says whether a file and its directory are the user's own and
// nobody else may write to them.
func ownersAlone(path string) bool {
	for _, at := range [...]string{path, parent(path)} {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&os.ModeSymlink != 0 || info.Mode().Perm()&0o022 != 0 {
			return false
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
			return false
		}
	}
	return true
}
