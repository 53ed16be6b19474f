package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Transfer moves one file or link of a checkout into another folder, replacing
// what is there as a whole.
func Transfer(from, to, path string) error {
	source, target := filepath.Join(from, filepath.FromSlash(path)), filepath.Join(to, filepath.FromSlash(path))
	info, err := os.Lstat(source)
	if err != nil {
		return durable.Explain("read", source, err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil { //nolint:gosec // as open as git makes folders
		return durable.Explain("make", filepath.Dir(target), err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		text, err := os.Readlink(source)
		if err != nil {
			return durable.Explain("read", source, err)
		}
		if err := removeFile(target); err != nil {
			return err
		}
		return durable.Explain("link", target, makeLink(text, target))
	}
	if old, err := os.Lstat(target); err == nil && old.IsDir() {
		if err := removeFile(target); err != nil {
			return err
		}
	}
	// The file itself goes there: the folder never holds a half of it, nor one
	// under another name. The checkout gets its own again when it is next used.
	err = durable.ReplaceFile(source, target)
	if !fault.Is(err, durable.CodeCrossDevice) {
		return err
	}
	data, err := os.ReadFile(source)
	if err != nil {
		return durable.Explain("read", source, err)
	}
	return durable.WriteFile(target, data, info.Mode().Perm())
}

// removeFile removes a file, a link or an empty folder.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return durable.Explain("remove", path, err)
	}
	return nil
}

// removeEmpty removes a folder if nothing is in it.
func removeEmpty(dir string) bool { return os.Remove(dir) == nil }

// Discard removes a file, and the folders above it that are empty then.
func Discard(root, path string) error {
	if err := removeFile(filepath.Join(root, filepath.FromSlash(path))); err != nil {
		return err
	}
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		if !removeEmpty(filepath.Join(root, dir)) {
			break
		}
	}
	return nil
}
