package durable

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// There are no flags for either: links and special files are refused by looking
// first.
const (
	noFollow = 0
	nonBlock = 0
)

var errNoExchange = errors.ErrUnsupported

// rename replaces the target and returns when the move is on disk.
func rename(from, to string) error {
	return moveFile(from, to, windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH)
}

func renameNoReplace(from, to string) error {
	return moveFile(from, to, windows.MOVEFILE_WRITE_THROUGH)
}

func moveFile(from, to string, flags uint32) error {
	err := func() error {
		f, err := windows.UTF16PtrFromString(from)
		if err != nil {
			return err
		}
		t, err := windows.UTF16PtrFromString(to)
		if err != nil {
			return err
		}
		return windows.MoveFileEx(f, t, flags)
	}()
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

func exchange(a, b string) error { return errNoExchange }

// An open file cannot be removed by others here, which is the lock.
func keep(*os.File) bool { return true }

func orphan(name string) (*os.File, bool) {
	if os.Remove(name) != nil {
		return nil, false
	}
	return nil, false // removed already
}

func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

// settle closes the file: an open one cannot be moved. Until the move, a writer
// of the same target may take it for a leftover; put then tries again.
func settle(f *os.File) error { return f.Close() }

func release(*os.File) error { return nil }

// Windows has no call to flush a directory; moves are written through.
func flushDir(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "sync", Path: path, Err: windows.ERROR_DIRECTORY}
	}
	return err
}

func openToFlush(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }

func isUnsupported(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

func isDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

func isCrossDevice(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }
