package store

import (
	"io/fs"
	"os"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/ids"
)

// area is a folder that lives as long as the process that uses it: a copy
// being made, the jail of one call. A lock held by that process says that it
// is in use; when the process is gone, however it went, the next one to make an
// area removes it.
type area struct {
	dir   string
	close func()
}

// claim makes an area below the folder kind. Abandoned ones go first.
func (s *Store) claim(kind, prefix string) (area, error) {
	if err := s.privateDir(s.path(kind)); err != nil {
		return area{}, err
	}
	if err := s.privateDir(s.path(locksDir)); err != nil {
		return area{}, err
	}
	s.sweep(kind)
	name := ids.New(prefix, s.opts.Clock.Now())
	lock, dir := s.areaLock(name), s.path(kind, name)
	unlock, ok, err := durable.TryLock(lock, s.opts.Holder)
	if err != nil || !ok {
		return area{}, ioFault("lock", lock, err)
	}
	free := func() {
		makeRemovable(dir)
		_ = os.RemoveAll(dir)
		_ = os.Remove(lock)
		unlock()
	}
	if err := os.Mkdir(dir, dirMode); err != nil {
		free()
		return area{}, ioFault("create", dir, err)
	}
	return area{dir: dir, close: free}, nil
}

func (s *Store) areaLock(name string) string { return s.path(locksDir, name+".lock") }

// sweep removes the areas whose process is gone. What cannot be removed now is
// left for the next time: it is in nobody's way.
func (s *Store) sweep(kind string) {
	entries, err := os.ReadDir(s.path(kind))
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !ids.IsPathElement(entry.Name()) {
			continue
		}
		lock := s.areaLock(entry.Name())
		unlock, ok, err := durable.TryLock(lock, s.opts.Holder)
		if err != nil || !ok {
			continue
		}
		makeRemovable(s.path(kind, entry.Name()))
		_ = os.RemoveAll(s.path(kind, entry.Name()))
		_ = os.Remove(lock)
		unlock()
	}
}

// makeRemovable gives the user back the right to empty folders that a program
// made read-only. It goes through a root, so that a link put there meanwhile
// cannot lead it outside.
func makeRemovable(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	_ = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = root.Chmod(path, dirMode)
		}
		return nil
	})
}
