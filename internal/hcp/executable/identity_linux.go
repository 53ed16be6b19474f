package executable

import (
	"io/fs"
	"syscall"
)

func identityOf(info fs.FileInfo) Identity {
	id := Identity{Size: info.Size(), Mode: uint32(info.Mode()), Written: info.ModTime().UnixNano()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Device, id.Inode, id.Changed = stat.Dev, stat.Ino, stat.Ctim.Nano()
	}
	return id
}
