//go:build unix

package main

import "golang.org/x/sys/unix"

// free returns how many bytes an ordinary user may still write below dir.
func free(dir string) uint64 {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0
	}
	return stat.Bavail * uint64(stat.Bsize)
}
