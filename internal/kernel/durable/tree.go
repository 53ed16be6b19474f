package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// SyncDir brings the entries of a directory to disk.
func SyncDir(path string) error {
	return Explain("flush", path, system{}.syncDir(path))
}

// MkdirAll makes path and the parents it lacks, all with exactly perm, and each
// is on disk before the next is made. Directories that exist are left alone.
// What others may write to is never asked for: that is MkdirOpen's to decide.
func MkdirAll(path string, perm fs.FileMode) error {
	if perm&^0o755 != 0 {
		return badTarget(path, "a folder of mode %q is refused", perm)
	}
	s := system{}
	return Explain("make the folder", path, s.mkdirAll(filepath.Clean(path), func(path string) error {
		return s.mkdir(path, perm)
	}))
}

// MkdirOpen is MkdirAll for folders beside those of other programs, such as a
// project's or git's: they are as open as the umask has it, and where a group
// shares the folder above, by its mode and the mark that new files get its group, they
// are shared as well.
func MkdirOpen(path string) error {
	s := system{}
	return Explain("make the folder", path, s.mkdirAll(filepath.Clean(path), s.mkdirOpen))
}

func (s system) mkdirAll(path string, make func(path string) error) error {
	info, err := os.Stat(path)
	if err == nil {
		if !info.IsDir() {
			return badTarget(path, "it is not a folder")
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := s.mkdirAll(parent, make); err != nil {
			return err
		}
	}
	err = make(path)
	if errors.Is(err, fs.ErrExist) {
		// Someone else was faster, or the name is a link to nowhere.
		if info, statErr := os.Stat(path); statErr != nil || !info.IsDir() {
			return badTarget(path, "it is not a folder")
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return s.syncDir(parent)
}

// PublishDir moves the finished directory tmp to final, which must not exist
// (errors.Is fs.ErrExist). Everything in tmp is on disk before the move. Both
// must be on one file system.
func PublishDir(tmp, final string) error { return system{}.publishDir(tmp, final) }

func (s system) publishDir(tmp, final string) error {
	if err := s.ready(tmp, final); err != nil {
		return err
	}
	if _, err := s.lstat(final); err == nil {
		return Explain("publish", final, fs.ErrExist)
	}
	return Explain("publish", final, s.moveDir(tmp, final))
}

// MoveDir gives a directory a name that nothing has (errors.Is fs.ErrExist), on
// the same file system.
func MoveDir(from, to string) error {
	return Explain("move", from, system{}.moveDir(from, to))
}

// ready finishes what an earlier call for final left, and flushes tmp.
func (s system) ready(tmp, final string) error {
	if err := s.recover(final); err != nil {
		return Explain("recover", final, err)
	}
	info, err := s.lstat(tmp)
	if err != nil {
		return Explain("publish", tmp, err)
	}
	if !info.IsDir() {
		return badTarget(tmp, "it is not a folder")
	}
	return Explain("flush", tmp, s.flushTree(tmp))
}

// moveDir gives a directory a name that nothing has, and flushes both parents.
func (s system) moveDir(from, to string) error {
	if err := s.step("rename", to); err != nil {
		return err
	}
	err := renameNoReplace(from, to)
	if isUnsupported(err) {
		// Making the name is the exclusive step; a directory may then be moved
		// over an empty one.
		if err := s.mkdir(to, 0o700); err != nil {
			return err
		}
		if err = rename(from, to); err != nil {
			_ = s.remove(to)
		}
	}
	if err != nil {
		return err
	}
	return s.syncParents(to, from)
}

// syncParents flushes the directory that gained an entry before the one that
// lost it: a crash between shows both, never neither.
func (s system) syncParents(gained, lost string) error {
	if err := s.syncDir(filepath.Dir(gained)); err != nil {
		return err
	}
	if filepath.Dir(lost) == filepath.Dir(gained) {
		return nil
	}
	return s.syncDir(filepath.Dir(lost))
}

// flushTree brings every file and directory below root to disk.
func (s system) flushTree(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return s.syncDir(path)
		case !d.Type().IsRegular():
			return nil // a link's text is part of its directory
		}
		if err := s.step("fsync", path); err != nil {
			return err
		}
		f, err := openToFlush(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// Replace makes the finished directory with the content of dir; the old tree is
// removed. If dir does not exist it is PublishDir. After a crash with may hold
// the old tree; it is the caller's to remove, as any unfinished directory is.
func Replace(dir, with string) error { return system{}.replaceDir(dir, with) }

func (s system) replaceDir(dir, with string) error {
	if err := s.ready(with, dir); err != nil {
		return err
	}
	info, err := s.lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Explain("publish", dir, s.moveDir(with, dir))
	}
	if err != nil {
		return Explain("replace", dir, err)
	}
	if !info.IsDir() {
		return badTarget(dir, "it is not a folder")
	}
	if err := s.step("exchange", dir); err != nil {
		return Explain("replace", dir, err)
	}
	err = exchange(with, dir)
	if isUnsupported(err) {
		return Explain("replace", dir, s.replaceInTwo(dir, with))
	}
	if err == nil {
		err = s.syncParents(dir, with)
	}
	if err != nil {
		return Explain("replace", dir, err)
	}
	return s.removeAll(with)
}

func retired(dir string) string { return hidden(dir, "old") }

// replaceInTwo is for file systems without an exchange. Between the renames dir
// is missing; recover puts the old tree back if we die there.
func (s system) replaceInTwo(dir, with string) error {
	if err := s.moveDir(dir, retired(dir)); err != nil {
		return err
	}
	if err := s.moveDir(with, dir); err != nil {
		return errors.Join(err, s.moveDir(retired(dir), dir))
	}
	return s.removeAll(retired(dir))
}

// Recover finishes or takes back a Replace of dir that a crash cut in two. The
// next Replace or PublishDir does so too; readers call it once at start.
func Recover(dir string) error {
	return Explain("recover", dir, system{}.recover(dir))
}

func (s system) recover(dir string) error {
	old := retired(dir)
	if _, err := s.lstat(old); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if _, err := s.lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return s.moveDir(old, dir)
	}
	return s.removeAll(old)
}

// RemoveAll removes path and everything below it. It never follows a link. The
// tree is gone at once and for good; what is slow happens under a hidden name.
// It is no error if path does not exist.
func RemoveAll(path string) error { return system{}.removeAll(path) }

func (s system) removeAll(path string) error {
	if base := filepath.Base(path); base == "." || base == ".." || base == string(filepath.Separator) {
		return badTarget(path, "it has no name of its own")
	}
	path = filepath.Clean(path)
	s.sweepGone(path)
	info, err := s.lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return Explain("remove", path, err)
	}
	if !info.IsDir() {
		if err := s.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Explain("remove", path, err)
		}
		return Explain("remove", path, s.syncDir(filepath.Dir(path)))
	}
	gone, err := s.moveAside(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another remover was faster
	}
	if err != nil {
		return Explain("remove", path, err)
	}
	return Explain("remove", path, s.demolish(gone))
}

func goneName(path string, n int) string { return hidden(path, "gone"+strconv.Itoa(n)) }

func (s system) moveAside(path string) (string, error) {
	for n := range slots {
		err := s.moveDir(path, goneName(path, n))
		if !errors.Is(err, fs.ErrExist) {
			return goneName(path, n), err
		}
	}
	return "", errors.New("too many earlier trees of that name are still being removed")
}

// sweepGone removes trees that an earlier RemoveAll was killed over. Two
// removers of one tree do not disturb each other.
func (s system) sweepGone(path string) {
	for n := range slots {
		if _, err := s.lstat(goneName(path, n)); err == nil {
			_ = s.demolish(goneName(path, n)) // if it stays, the next call finds it
		}
	}
}

// demolish removes a tree that nobody uses. Directories without write
// permission are given it first.
func (s system) demolish(root string) error {
	if err := s.step("demolish", root); err != nil {
		return err
	}
	err := os.RemoveAll(root)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err := openUp(root); err != nil {
		return err
	}
	return os.RemoveAll(root)
}

// openUp gives this user every right on the directories of a tree. The walk is
// bound to the tree: a link that is put there meanwhile leads nowhere else.
func openUp(root string) error {
	if err := os.Chmod(root, 0o700); err != nil { //nolint:gosec // a directory needs x
		return err
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer r.Close()
	return fs.WalkDir(r.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = r.Chmod(path, 0o700)
		}
		return err
	})
}
