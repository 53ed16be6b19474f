package wrap

import (
	"crypto/rand"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// Everything here writes through os.Root: programs that are still running may
// exchange a directory for a link at any moment, and a write by path would then
// leave the place it was meant for.

// restore puts an item back and reports whether it is back.
func restore(root, name string, want item) bool {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	local := filepath.FromSlash(name)
	if is, err := readItem(dir, name); err == nil && is.same(want) {
		return true
	}
	switch want.Kind {
	case absent:
		return dir.RemoveAll(local) == nil
	case directory:
		if info, err := dir.Lstat(local); err != nil || !info.IsDir() {
			_ = dir.RemoveAll(local)
			if dir.MkdirAll(local, 0o755) != nil {
				return false
			}
		}
		return dir.Chmod(local, want.Mode) == nil
	case link:
		makeWay(dir, name, want)
		temp := filepath.FromSlash(tempBeside(name))
		if dir.Symlink(string(want.Content), temp) != nil {
			return false
		}
		if dir.Rename(temp, local) != nil {
			_ = dir.Remove(temp)
			return false
		}
		return true
	case file:
		makeWay(dir, name, want)
		return place(dir, name, want.Mode, func(f *os.File) error {
			_, err := f.Write(want.Content)
			return err
		}) == nil
	}
	return false
}

// makeWay clears a directory from where a file or link must be. A repository
// that stands in the place of a .git file may hold someone's work: it is moved
// beside it, and is no repository there.
func makeWay(dir *os.Root, name string, want item) {
	local := filepath.FromSlash(name)
	info, err := dir.Lstat(local)
	if err != nil || !info.IsDir() {
		return // a rename replaces it
	}
	if want.Role == roleGitFile || path.Base(name) == ".git" {
		aside := filepath.FromSlash(name + "-replaced-" + rand.Text()[:8])
		if dir.Rename(local, aside) == nil {
			_ = dir.Rename(filepath.Join(aside, "HEAD"), filepath.Join(aside, "HEAD.was"))
			return
		}
	}
	_ = dir.RemoveAll(local)
}

// tempBeside is a new name in the same directory.
func tempBeside(name string) string {
	return path.Join(path.Dir(name), ".hcp-"+rand.Text()[:12]+".tmp")
}

// place makes a file with what fill writes: complete, or not at all. A mode of
// 0 leaves the mode of a file that is there, and else the user's default.
func place(dir *os.Root, name string, mode fs.FileMode, fill func(*os.File) error) error {
	local := filepath.FromSlash(name)
	if parent := filepath.Dir(local); parent != "." {
		if err := dir.MkdirAll(parent, 0o777); err != nil {
			return err
		}
	}
	if info, err := dir.Lstat(local); err == nil && mode == 0 && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	}
	temp := filepath.FromSlash(tempBeside(name))
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = dir.Rename(temp, local)
	}
	if err != nil {
		_ = dir.Remove(temp)
	}
	return err
}

// openRegular opens a regular file for reading and never waits on a pipe.
func openRegular(dir *os.Root, name string) (*os.File, error) {
	f, err := dir.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// copyFile copies one regular file from one root to another.
func copyFile(to, from *os.Root, name string, budget *int64) error {
	f, err := openRegular(from, name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if there, err := to.Lstat(filepath.FromSlash(name)); err == nil && !there.Mode().IsRegular() {
		// A link, a pipe or a directory of the user's is not ours to replace.
		return &fs.PathError{Op: "replace", Path: name, Err: fs.ErrInvalid}
	}
	return place(to, name, 0, func(out *os.File) error {
		n, err := io.Copy(out, io.LimitReader(f, *budget+1))
		*budget -= n
		if err == nil && *budget < 0 {
			err = errTooLarge
		}
		return err
	})
}
