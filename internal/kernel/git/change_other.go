//go:build !linux

package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

// parts splits a path into its folder and its name.
func parts(p string) (dir, name string) {
	dir, name = path.Split(p)
	return strings.TrimSuffix(dir, "/"), name
}

// removeFile removes what is at a path, and the folders above that are empty
// then. What is not there is removed already.
func (p *place) removeFile(at string) error {
	dir, name := parts(at)
	f, err := p.folder(dir)
	if err != nil {
		if noFile(err) {
			return nil
		}
		return err
	}
	err = f.remove(name)
	f.close()
	for ; err == nil && dir != ""; dir, _ = parts(dir) {
		if p.root.Remove(dir) != nil {
			break
		}
	}
	return err
}

// remove removes a name in the folder, be it a folder with all that is in it.
func (f *folder) remove(name string) error { return f.root.RemoveAll(name) }

// makeFolder makes a folder and those above it. A file or link in its way is
// removed.
func (p *place) makeFolder(at string) error {
	done := ""
	for name := range strings.SplitSeq(at, "/") {
		if name == "" {
			continue
		}
		f, err := p.folder(done)
		if err != nil {
			return err
		}
		err = f.makeSub(name)
		f.close()
		if err != nil {
			return err
		}
		done = path.Join(done, name)
	}
	return nil
}

// makeSub makes a folder in the folder.
func (f *folder) makeSub(name string) error {
	err := f.root.Mkdir(name, 0o777)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := f.root.Lstat(name)
	if err != nil || info.IsDir() {
		return err
	}
	if err := f.root.Remove(name); err != nil {
		return err
	}
	return f.root.Mkdir(name, 0o777)
}

// makeLink makes a symbolic link. What was in its place is removed.
func (f *folder) makeLink(text, name string) error {
	if err := f.remove(name); err != nil {
		return err
	}
	return f.root.Symlink(text, name)
}

// makeFile makes a file. What was in its place is removed, never written to: it
// may be shared by links.
func (f *folder) makeFile(name string, data []byte, executable bool) (fileInfo, error) {
	mode := fs.FileMode(0o666)
	if executable {
		mode = 0o777
	}
	if err := f.remove(name); err != nil {
		return fileInfo{}, err
	}
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fileInfo{}, err
	}
	if _, err = file.Write(data); err != nil {
		return fileInfo{}, errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return fileInfo{}, err
	}
	return f.info(name)
}

func reasonOf(err error) string {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
