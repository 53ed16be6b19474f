package wrap

import (
	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fileid"
)

// rootDir stats directories below one that is held open, which costs a fraction
// of what it costs from the root of the file system.
type rootDir struct {
	path string
	fd   int
	st   unix.Stat_t
}

func openRootDir(path string) *rootDir {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		fd = -1
	}
	return &rootDir{path: path, fd: fd}
}

// stat returns the identity of what must be a directory and no link.
func (r *rootDir) stat(at string) (fileid.Identity, bool) {
	if r.fd < 0 || unix.Fstatat(r.fd, at, &r.st, unix.AT_SYMLINK_NOFOLLOW) != nil || r.st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return fileid.Identity{}, false
	}
	return fileid.Identity{
		Device: r.st.Dev, Inode: r.st.Ino, Size: r.st.Size, Mode: r.st.Mode,
		Modified: r.st.Mtim.Nano(), Changed: r.st.Ctim.Nano(),
	}, true
}

func (r *rootDir) close() {
	if r.fd >= 0 {
		_ = unix.Close(r.fd)
	}
}
