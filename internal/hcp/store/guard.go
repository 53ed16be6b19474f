package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"bridle/internal/hcp/command"
	"bridle/internal/kernel/fault"
)

// checkHome verifies that the home folder is a folder of its user that nobody
// else can write, and takes away what others may read. It reports whether the
// folder exists.
func (s *Store) checkHome() (exists bool, err error) {
	info, err := os.Lstat(s.home)
	if errors.Is(err, fs.ErrNotExist) {
		return false, checkParents(s.home)
	}
	if err != nil {
		return false, ioFault("open", s.home, err)
	}
	if err := checkOwn(s.home, info, true); err != nil {
		return false, err
	}
	if err := checkParents(s.home); err != nil {
		return false, err
	}
	if enforceModes && info.Mode().Perm()&0o077 != 0 {
		if err := s.checkAccount(); err != nil {
			return false, err
		}
		if err := os.Chmod(s.home, info.Mode().Perm()&0o700); err != nil {
			return false, ioFault("make private", s.home, err)
		}
		s.makePrivate()
	}
	return true, nil
}

// makePrivate takes away, in all of the store, what others could read while its
// folder was open to them: what was opened by one chmod -R is closed again by the
// next call. What others could have written stays as it is and is refused where it
// is used. What cannot be changed is behind the folder of the store in any case.
func (s *Store) makePrivate() {
	root, err := os.OpenRoot(s.home)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	_ = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return nil //nolint:nilerr // the rest can still be closed
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		info, err := entry.Info()
		if err == nil && ownedByUs(info) && info.Mode().Perm()&0o055 != 0 && info.Mode().Perm()&0o022 == 0 {
			_ = root.Chmod(path, info.Mode().Perm()&0o700)
		}
		if path == jailsDir || path == ephemeralDir {
			return fs.SkipDir // programs set the modes of what they keep there
		}
		return nil
	})
}

// checkParents refuses a folder above the store where anyone may rename what
// lies in it, since the whole store could be exchanged there.
func checkParents(path string) error {
	if !enforceModes {
		return nil
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return fault.Newf(CodeUnsafeStore, "anyone may replace the store %q, since %q is writable by all", path, dir).
				WithHint("take the right away with chmod o-w, or set HCP_HOME to another folder")
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// checkPrivateDir verifies one folder of the store.
func checkPrivateDir(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return ioFault("open", path, err)
	}
	return checkOwn(path, info, true)
}

// checkOwn verifies that a file or folder is what it should be, belongs to the
// user who runs this program, and cannot be written by anyone else.
func checkOwn(path string, info fs.FileInfo, wantDir bool) error {
	what := "file"
	if wantDir {
		what = "folder"
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fault.Newf(CodeUnsafeStore, "%q is a link, and the store takes none", path).
			WithHint("put the real %s in its place, or set HCP_HOME to where it is", what)
	case wantDir && !info.IsDir(), !wantDir && !info.Mode().IsRegular():
		return fault.Newf(CodeUnsafeStore, "%q is not a %s", path, what).
			WithHint("move it away, or set HCP_HOME to another folder")
	case !ownedByUs(info):
		return fault.Newf(CodeUnsafeStore, "%q belongs to another user", path).
			WithHint("run the command as its owner, or set HCP_HOME to a folder of your own")
	case enforceModes && info.Mode().Perm()&0o022 != 0:
		return fault.Newf(CodeUnsafeStore, "%q can be written by other users", path).
			WithHint("others may have changed what is there: look at it, then close it with %s", command.Line([]string{"chmod", "-R", "go=", path}))
	}
	return nil
}

// readPrivate reads a file of the store whole. It follows no link, never waits
// on a pipe, and refuses a file that others could have written or that is
// larger than most bytes.
func readPrivate(path string, most int64) ([]byte, error) {
	file, size, err := openPrivate(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if size > most {
		return nil, fault.Newf(CodeBadRecord, "%q is larger than %d bytes", path, most).
			WithHint("nothing was changed; restore the file from a backup")
	}
	// Files of the store are replaced, never written in place, so an open one
	// keeps its size.
	data := make([]byte, size)
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, ioFault("read", path, err)
	}
	return data, nil
}

// openPrivate opens a file of the store for reading and tells its size. A
// missing file is fs.ErrNotExist itself.
func openPrivate(path string) (file *os.File, size int64, err error) {
	file, err = os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fs.ErrNotExist
	}
	if err != nil {
		if info, statErr := os.Lstat(path); statErr == nil {
			if own := checkOwn(path, info, false); own != nil {
				return nil, 0, own
			}
		}
		return nil, 0, ioFault("open", path, err)
	}
	info, err := file.Stat()
	if err == nil {
		err = checkOwn(path, info, false)
	}
	if err != nil {
		_ = file.Close()
		return nil, 0, ioFault("open", path, err)
	}
	return file, info.Size(), nil
}
