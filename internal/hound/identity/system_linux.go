package identity

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func newSystem() (system, error) { return linux{}, nil }

// linux makes the calls of Linux.
type linux struct{}

func (linux) process() int { return os.Getpid() }
func (linux) user() uint32 { return uint32(os.Geteuid()) } //nolint:gosec // the kernel's ids are 32 bits wide

const noFollow = unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NOCTTY | unix.O_NONBLOCK

func (l linux) top() (handle, error) {
	return l.open(unix.AT_FDCWD, "/", unix.O_RDONLY|unix.O_DIRECTORY)
}

func (l linux) openDir(dir handle, name string) (handle, error) {
	return l.open(int(dir), name, unix.O_RDONLY|unix.O_DIRECTORY)
}

func (l linux) openFile(dir handle, name string) (handle, error) {
	return l.open(int(dir), name, unix.O_RDONLY)
}

func (l linux) openUnnamed(dir handle) (handle, error) {
	return l.open(int(dir), ".", unix.O_TMPFILE|unix.O_RDWR)
}

func (linux) open(dir int, name string, flags int) (handle, error) {
	fd, err := again(func() (int, error) { return unix.Openat(dir, name, flags|noFollow, 0o600) })
	return handle(fd), err
}

func (linux) makeDir(dir handle, name string) error { return unix.Mkdirat(int(dir), name, 0o700) }

func (linux) close(h handle) error { return unix.Close(int(h)) }

func (linux) stat(h handle) (status, error) {
	var s unix.Stat_t
	err := unix.Fstat(int(h), &s)
	return statusOf(&s), err
}

func (linux) statAt(dir handle, name string) (status, error) {
	var s unix.Stat_t
	err := unix.Fstatat(int(dir), name, &s, unix.AT_SYMLINK_NOFOLLOW)
	return statusOf(&s), err
}

//nolint:unconvert // the widths differ between processors
func statusOf(s *unix.Stat_t) status {
	out := status{
		dev: uint64(s.Dev), ino: s.Ino, uid: s.Uid, gid: s.Gid,
		mode: s.Mode & 0o7777, links: uint64(s.Nlink), size: s.Size,
	}
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		out.kind = file
	case unix.S_IFDIR:
		out.kind = folder
	}
	return out
}

// fileSystem asks the table of mounts: ext2, ext3 and ext4 share one number in
// what statfs answers.
func (linux) fileSystem(h handle) (string, error) {
	info, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(int(h)))
	if err != nil {
		return "", err
	}
	mount := ""
	for line := range strings.Lines(string(info)) {
		if id, ok := strings.CutPrefix(line, "mnt_id:"); ok {
			mount = strings.TrimSpace(id)
		}
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(table) {
		fields := strings.Fields(string(line))
		for i, field := range fields {
			if field == "-" && i+1 < len(fields) && fields[0] == mount && mount != "" {
				return fields[i+1], nil
			}
		}
	}
	return "", syscall.ENOENT
}

func (linux) list(dir handle, limit int) ([]string, error) {
	// A folder is read from a descriptor of its own, so that each look starts
	// at its beginning.
	fd, err := again(func() (int, error) {
		return unix.Openat(int(dir), ".", unix.O_RDONLY|unix.O_DIRECTORY|noFollow, 0)
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	buf := make([]byte, 8<<10)
	var names []string
	for len(names) <= limit {
		n, err := again(func() (int, error) { return unix.ReadDirent(fd, buf) })
		if err != nil {
			return nil, err
		}
		if n <= 0 {
			break
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
	return names, nil
}

func (linux) read(h handle, limit int) ([]byte, error) {
	buf := make([]byte, limit+1)
	have := 0
	for have < len(buf) {
		n, err := again(func() (int, error) { return unix.Pread(int(h), buf[have:], int64(have)) })
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		have += n
	}
	return buf[:have], nil
}

func (linux) write(h handle, data []byte) error {
	for done := 0; done < len(data); {
		n, err := again(func() (int, error) { return unix.Pwrite(int(h), data[done:], int64(done)) })
		if err != nil {
			return err
		}
		if n == 0 {
			return syscall.EIO
		}
		done += n
	}
	return nil
}

func (linux) chmod(h handle, mode uint32) error { return unix.Fchmod(int(h), mode) }

func (linux) sync(h handle) error { return unix.Fsync(int(h)) }

func (linux) lock(h handle) error {
	_, err := again(func() (int, error) { return 0, unix.Flock(int(h), unix.LOCK_EX|unix.LOCK_NB) })
	return err
}

func (linux) link(source, dir handle, name string) error {
	return unix.Linkat(int(source), "", int(dir), name, unix.AT_EMPTY_PATH)
}

// openProc follows /proc/self, the one link that is followed, and makes sure
// that what answers is procfs.
func (linux) openProc() (handle, error) {
	fd, err := again(func() (int, error) {
		return unix.Openat(unix.AT_FDCWD, "/proc/self/fd", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return -1, err
	}
	var s unix.Statfs_t
	if err := unix.Fstatfs(fd, &s); err != nil || s.Type != unix.PROC_SUPER_MAGIC {
		return -1, errors.Join(syscall.ENOSYS, err, unix.Close(fd))
	}
	return handle(fd), nil
}

func (linux) statProc(proc, source handle) (status, error) {
	var s unix.Stat_t
	err := unix.Fstatat(int(proc), strconv.Itoa(int(source)), &s, 0)
	return statusOf(&s), err
}

func (linux) linkProc(proc, source, dir handle, name string) error {
	return unix.Linkat(int(proc), strconv.Itoa(int(source)), int(dir), name, unix.AT_SYMLINK_FOLLOW)
}

func (linux) exchange(dir handle, a, b string) error {
	return unix.Renameat2(int(dir), a, int(dir), b, unix.RENAME_EXCHANGE)
}

func (linux) move(dir handle, from, to string) error {
	return unix.Renameat2(int(dir), from, int(dir), to, unix.RENAME_NOREPLACE)
}

func (linux) unlink(dir handle, name string) error { return unix.Unlinkat(int(dir), name, 0) }

// again repeats a call that a signal cut off.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
