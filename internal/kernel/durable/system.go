package durable

import (
	"io/fs"
	"os"
	"path/filepath"
)

// system is the file system. Its methods are the only steps that change
// anything; before runs ahead of each, so that a test can see their order, make
// one fail, or kill the process there.
type system struct {
	before func(op, path string) error
}

func (s system) step(op, path string) error {
	if s.before == nil {
		return nil
	}
	return s.before(op, path)
}

func (s system) lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// create makes a file that nobody else has.
func (s system) create(path string) (*os.File, error) {
	if err := s.step("create", path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
}

// move renames over whatever file is there.
func (s system) move(from, to string) error {
	if err := s.step("rename", to); err != nil {
		return err
	}
	return rename(from, to)
}

// moveNew gives a file its name if nothing has it.
func (s system) moveNew(from, to string) error {
	if err := s.step("rename", to); err != nil {
		return err
	}
	err := renameNoReplace(from, to)
	if !isUnsupported(err) {
		return err
	}
	if err := os.Link(from, to); err != nil {
		return err
	}
	return s.remove(from)
}

func (s system) remove(path string) error {
	if err := s.step("remove", path); err != nil {
		return err
	}
	return os.Remove(path)
}

func (s system) mkdir(path string, perm fs.FileMode) error {
	if err := s.step("mkdir", path); err != nil {
		return err
	}
	if err := os.Mkdir(path, perm); err != nil {
		return err
	}
	return os.Chmod(path, perm) // the umask has no say
}

func (s system) mkdirOpen(path string) error {
	if err := s.step("mkdir", path); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o777); err != nil { //nolint:gosec // the umask decides
		return err
	}
	own, err := os.Stat(path)
	if err != nil {
		return err
	}
	above, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	mode := own.Mode() | 0o700 // a folder that we cannot use helps nobody
	if shared := fs.ModeSetgid | 0o070; above.Mode()&shared == shared {
		mode = above.Mode() | 0o700
	}
	if mode == own.Mode() {
		return nil
	}
	return os.Chmod(path, mode&(fs.ModeSetgid|0o777))
}

func (s system) syncDir(path string) error {
	if err := s.step("fsyncdir", path); err != nil {
		return err
	}
	return flushDir(path)
}
