//go:build !windows

package approval

import "io/fs"

func writableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }
