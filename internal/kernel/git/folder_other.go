//go:build !linux

package git

import (
	"io/fs"
	"os"
	"path/filepath"
)

// place is the root of a working tree. Folders are reached through it without
// leaving it.
type place struct{ root *os.Root }

func openPlace(root string) (*place, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	return &place{r}, nil
}

func (p *place) close() { _ = p.root.Close() }

// folder is one folder below the root.
type folder struct{ root *os.Root }

// folder opens a folder by its path from the root; "" is the root.
func (p *place) folder(path string) (*folder, error) {
	if path == "" {
		path = "."
	}
	info, err := p.root.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	r, err := p.root.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &folder{r}, nil
}

func (f *folder) close() { _ = f.root.Close() }

// list returns the names in the folder.
func (f *folder) list([]byte) ([]name, error) {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	entries, err := dir.ReadDir(-1)
	names := make([]name, 0, len(entries))
	for _, e := range entries {
		kind := typeOther
		if e.IsDir() {
			kind = typeFolder
		}
		names = append(names, name{e.Name(), kind})
	}
	return names, err
}

// info looks at a name in the folder without following a link.
func (f *folder) info(name string) (fileInfo, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return fileInfo{}, err
	}
	return infoOf(info), nil
}

func infoOf(info fs.FileInfo) fileInfo {
	m := uint32(0)
	switch {
	case info.IsDir():
		m = modeFolder
	case info.Mode().IsRegular():
		m = modeRegular | uint32(info.Mode().Perm())
	case info.Mode()&fs.ModeSymlink != 0:
		m = modeSymlink
	}
	at := info.ModTime()
	//nolint:gosec // an index keeps the low 32 bits
	s := stat{mtimeS: uint32(at.Unix()), mtimeN: uint32(at.Nanosecond()), ctimeS: uint32(at.Unix()), ctimeN: uint32(at.Nanosecond()), size: uint32(info.Size())}
	ownStat(info, &s)
	return fileInfo{mode: m, size: info.Size(), stat: s}
}

// open opens a regular file in the folder.
func (f *folder) open(name string) (*os.File, fileInfo, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, fileInfo{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, fileInfo{}, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fileInfo{}, err
	}
	found, err := infoOfFile(file)
	if err != nil {
		_ = file.Close()
	}
	return file, found, err
}

// infoOfFile looks at an open file.
func infoOfFile(file *os.File) (fileInfo, error) {
	info, err := file.Stat()
	if err != nil {
		return fileInfo{}, err
	}
	return infoOf(info), nil
}

// link reads a symbolic link in the folder.
func (f *folder) link(name string) (string, error) { return f.root.Readlink(name) }
