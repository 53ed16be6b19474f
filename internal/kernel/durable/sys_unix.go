//go:build unix

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const (
	noFollow = unix.O_NOFOLLOW
	nonBlock = unix.O_NONBLOCK // a FIFO must not hang the opener
)

func rename(from, to string) error { return os.Rename(from, to) }

// keep locks a file that this process has just made, and reports whether it is
// still the file of that name.
func keep(f *os.File) bool {
	if flock(f, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false
	}
	var st unix.Stat_t
	return unix.Fstat(int(f.Fd()), &st) == nil && st.Nlink > 0
}

// orphan opens and locks the file of that name if no living process holds it.
// The name and the file are compared after locking: only who holds the lock
// removes or moves the file, so they stay one until f is closed. It is opened
// for reading, since its mode may allow no more.
func orphan(name string) (f *os.File, ok bool) {
	f, err := os.OpenFile(name, os.O_RDONLY|noFollow|nonBlock, 0)
	if err != nil {
		return nil, false
	}
	if flock(f, unix.LOCK_EX|unix.LOCK_NB) == nil && isAt(f, name) {
		return f, true
	}
	_ = f.Close()
	return nil, false
}

// isAt reports whether f is the file that path names, links not followed.
func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

// settle is for systems that move closed files only.
func settle(*os.File) error { return nil }

// release closes a file that settle left open.
func release(f *os.File) error { return f.Close() }

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// flushDir brings a directory's entries to disk. File systems that know no such
// call answer EINVAL or ENOTSUP.
func flushDir(path string) error {
	d, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

// openToFlush opens a file whose content is to be brought to disk.
func openToFlush(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|noFollow|nonBlock, 0)
}

// isUnsupported reports that the file system or kernel lacks the call.
func isUnsupported(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP)
}

func isDiskFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

func isReadOnly(err error) bool { return errors.Is(err, unix.EROFS) }

func isCrossDevice(err error) bool { return errors.Is(err, unix.EXDEV) }
