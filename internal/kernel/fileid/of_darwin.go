package fileid

import (
	"io/fs"
	"syscall"
)

func of(info fs.FileInfo) Identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Identity{}
	}
	return Identity{
		Device: uint64(st.Dev), Inode: st.Ino, Size: st.Size, Mode: uint32(st.Mode),
		Modified: st.Mtimespec.Nano(), Changed: st.Ctimespec.Nano(),
	}
}

func links(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Nlink)
}
