//go:build !windows

package fileid

import (
	"io/fs"
	"os"
	"syscall"
)

func othersMayWrite(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || info.Mode().Perm()&0o022 != 0 || foreign(int(stat.Uid), os.Geteuid())
}

// foreign reports whether an owner is another user than us. Root is none: it may
// write everything, whoever owns it.
func foreign(owner, us int) bool { return owner != 0 && owner != us }
