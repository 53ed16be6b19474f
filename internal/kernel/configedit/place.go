package configedit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// mostBytes bounds a file that is edited.
const mostBytes = 4 << 20

// spot is a file of the folder: where it really is, and what it holds.
type spot struct {
	path   string // without links
	exists bool
	mode   fs.FileMode
	text   string
}

// look finds a file of the folder. Folders and files may be links, as long as
// they lead to plain ones inside: what a link leads out to is not this folder's.
func look(root, rel string) (spot, error) {
	base, err := filepath.EvalSymlinks(root)
	if err != nil {
		return spot{}, err
	}
	path := filepath.Join(base, filepath.FromSlash(rel))
	// The deepest part that exists decides where the rest will be.
	existing, rest := path, ""
	for {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			path = filepath.Join(real, rest)
			break
		}
		if info, linkErr := os.Lstat(existing); linkErr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return spot{}, errors.New("it is a link that leads nowhere")
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return spot{}, err
		}
		existing, rest = filepath.Dir(existing), filepath.Join(filepath.Base(existing), rest)
	}
	if inside, err := filepath.Rel(base, path); err != nil || !filepath.IsLocal(inside) {
		return spot{}, errors.New("it leads out of the folder")
	}
	s := spot{path: path, mode: 0o644}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return spot{}, err
	case !info.Mode().IsRegular():
		return spot{}, errors.New("it is no plain file")
	case info.Size() > mostBytes:
		return spot{}, errors.New("it is too large")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return spot{}, err
	}
	s.exists, s.mode, s.text = true, info.Mode().Perm(), string(data)
	return s, nil
}

// reason is an error without the path, which the sentence around it names.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
