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
		_ = dir.RemoveAll(local)
		return dir.MkdirAll(local, 0o755) == nil
	case link:
		_ = dir.RemoveAll(local)
		return dir.Symlink(string(want.Content), local) == nil
	case file:
		if info, err := dir.Lstat(local); err == nil && !info.Mode().IsRegular() {
			_ = dir.RemoveAll(local)
		}
		return place(dir, name, want.Mode, func(f *os.File) error {
			_, err := f.Write(want.Content)
			return err
		}) == nil
	}
	return false
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
	temp := filepath.FromSlash(path.Join(path.Dir(name), ".hcp-"+rand.Text()[:12]+".tmp"))
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
	return place(to, name, 0, func(out *os.File) error {
		n, err := io.Copy(out, io.LimitReader(f, *budget+1))
		*budget -= n
		if err == nil && *budget < 0 {
			err = errTooLarge
		}
		return err
	})
}
