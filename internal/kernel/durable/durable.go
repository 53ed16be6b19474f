// Package durable replaces and publishes files and directories so that a crash
// at any moment leaves the old state or the new one, never a mixture, and so
// that what has been reported as done is still there afterwards.
//
// # Files
//
// WriteFile and CreateFile write a temporary file in the target's directory
// (exclusive creation, mode 0600), give it its mode, flush it, move it to its
// name, and flush the directory. The mode is exact whatever the umask. A target
// that is a symbolic link, a directory or a special file is refused: a caller
// that means the file behind a link resolves the link first. Writers of the
// same file do not disturb each other; the last move wins as a whole. Who must
// not lose another's change holds a Lock from reading to writing.
//
// # Directories
//
// PublishDir and Replace move a finished directory into place after flushing
// everything in it. RemoveAll moves a tree out of the way first, so that no one
// sees half of it.
//
// # Leftovers
//
// A process that is killed can leave a temporary file or a tree on its way out.
// Their names are derived from the target's, and the next call for the same
// target removes them. A temporary file is locked by the process that writes
// it, so a living writer's is never taken for a leftover.
//
// # Errors
//
// Every error is a fault with one of this package's codes; errors.Is reaches
// the system's error. A failed call leaves the target as it was, but for two
// cases: when only the last step, flushing the directory, fails, the new state
// is visible and not known to be on disk; when Replace cannot remove the old
// tree, the new one is in place all the same.
//
// # Platforms
//
// Linux gives all of the above. On macOS Sync is a full flush of the drive's
// cache. Where the file system has no exclusive rename or no exchange (NFS and
// some others, Windows), exclusive creation is by hard link, a directory is
// published over an empty one made for it, and Replace takes two renames whose
// gap the next Replace, PublishDir or Recover closes. Windows and a few file
// systems cannot flush a directory: there the move itself is written through,
// or it is as durable as that system makes it.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile makes data the content of path, whether or not it exists.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return system{}.put(path, data, perm, replace)
}

// CreateFile makes path with the content data. If path exists, in whatever
// form, the error satisfies errors.Is(err, fs.ErrExist) and nothing changes.
func CreateFile(path string, data []byte, perm fs.FileMode) error {
	return system{}.put(path, data, perm, createOnly)
}

// MoveFile gives the file from the name to, which must not exist (errors.Is
// fs.ErrExist). Its content is the caller's to flush. Both names must be on one
// file system.
func MoveFile(from, to string) error { return system{}.moveFile(from, to) }

// ReplaceFile moves the file from to to, in the place of a file or link that is
// there, on the same file system (errors with the code CodeCrossDevice else). Its
// content is on disk before.
func ReplaceFile(from, to string) error {
	return Explain("replace", to, system{}.replaceFile(from, to))
}

func (s system) replaceFile(from, to string) error {
	if err := s.step("fsync", from); err != nil {
		return err
	}
	f, err := openToFlush(from)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := s.move(from, to); err != nil {
		return err
	}
	return s.syncParents(to, from)
}

func (s system) moveFile(from, to string) error {
	err := s.moveNew(from, to)
	if err == nil {
		err = s.syncParents(to, from)
	}
	return Explain("move a file to", to, err)
}

type manner int

const (
	replace manner = iota
	createOnly
)

func (s system) put(path string, data []byte, perm fs.FileMode, how manner) error {
	if perm&^fs.ModePerm != 0 {
		return badTarget(path, "mode %q has more than permission bits", perm)
	}
	if perm&0o400 == 0 {
		// Nor could a leftover be opened to see whether its writer lives.
		return badTarget(path, "mode %q would keep its owner from reading it", perm)
	}
	if err := s.checkTarget(path, how); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		err := s.putOnce(path, data, perm, how)
		if errors.Is(err, errSwept) && attempt < slots {
			continue
		}
		return Explain("write", path, err)
	}
}

func (s system) checkTarget(path string, how manner) error {
	info, err := s.lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return Explain("write", path, err)
	case how == createOnly:
		return Explain("create", path, fs.ErrExist)
	case info.Mode()&fs.ModeSymlink != 0:
		return badTarget(path, "it is a symbolic link")
	case !info.Mode().IsRegular():
		return badTarget(path, "it is not a regular file")
	}
	return nil
}

func (s system) putOnce(path string, data []byte, perm fs.FileMode, how manner) error {
	f, temp, err := s.claim(path)
	if err != nil {
		return err
	}
	if err := s.fill(f, temp, data, perm); err != nil {
		s.discard(f, temp)
		return err
	}
	if how == createOnly {
		err = s.moveNew(temp, path)
	} else {
		err = s.move(temp, path)
	}
	if err != nil {
		err = sweptIfGone(err)
		if !errors.Is(err, errSwept) {
			_ = s.remove(temp)
		}
	}
	// The file stays open, and with it the lock on it, until it has its name or
	// none.
	if err := errors.Join(err, release(f)); err != nil {
		return err
	}
	return s.syncDir(filepath.Dir(path))
}

// fill writes the content and brings it and the mode to disk.
func (s system) fill(f *os.File, temp string, data []byte, perm fs.FileMode) error {
	if err := s.step("write", temp); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := s.step("chmod", temp); err != nil {
		return err
	}
	if err := f.Chmod(perm); err != nil {
		return err
	}
	if err := s.step("fsync", temp); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return settle(f)
}

func (s system) discard(f *os.File, temp string) {
	_ = s.remove(temp) // while the lock still keeps others from this name
	_ = f.Close()
}
