package git

import (
	"io/fs"
	"syscall"
)

// ownStat adds what only this system tells of a file.
func ownStat(info fs.FileInfo, s *stat) {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		//nolint:gosec // an index keeps the low 32 bits
		s.ctimeS, s.ctimeN, s.dev, s.ino = uint32(sys.Ctimespec.Sec), uint32(sys.Ctimespec.Nsec), uint32(sys.Dev), uint32(sys.Ino)
		s.uid, s.gid = sys.Uid, sys.Gid
	}
}
