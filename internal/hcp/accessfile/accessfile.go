// Package accessfile reads and changes access.json, the user's in the store and
// the project's in its folder (RFC 0006).
//
// Invariants:
//
//   - A file that is missing says nothing. A file that is there and cannot be
//     used is an error that names it and the place in it, never an empty one:
//     what it says may forbid something.
//   - A link, a special file, a file of more than a mebibyte and, in the store,
//     a file that others could have written cannot be used.
//   - Changes are made one at a time, whichever processes make them, and what
//     they leave is valid; readers see a whole file at any moment.
package accessfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/fileid"
)

// Name is the file's name, Folder the project's folder for it.
const (
	Name   = "access.json"
	Folder = ".hcp"
)

// lockWait bounds the wait for other processes.
const lockWait = 15 * time.Second

// Kind says whose file it is.
type Kind int

// The two kinds.
const (
	User Kind = iota
	Project
)

// UserPath is where the settings of a store are, ProjectPath where those of a
// project.
func UserPath(home string) string { return filepath.Join(home, Name) }

// ProjectPath is where the settings of a project are.
func ProjectPath(root string) string { return filepath.Join(root, Folder, Name) }

// Read reads the settings.
func Read(path string, kind Kind) (hcp.AccessConfig, error) {
	data, err := read(path, kind)
	if err != nil || data == nil {
		return hcp.AccessConfig{}, err
	}
	c, err := access.ParseConfig(data)
	if err != nil {
		return hcp.AccessConfig{}, unusable(path, err.Error(), err)
	}
	return c, nil
}

// ReadFor reads what the settings say about one command; see
// access.ParseConfigFor.
func ReadFor(path string, kind Kind, packID, key string) (c hcp.AccessConfig, at []int, err error) {
	data, err := read(path, kind)
	if err != nil || data == nil {
		return hcp.AccessConfig{}, nil, err
	}
	if c, at, err = access.ParseConfigFor(data, packID, key); err != nil {
		return hcp.AccessConfig{}, nil, unusable(path, err.Error(), err)
	}
	return c, at, nil
}

// read returns the file's bytes, nil when it does not exist.
func read(path string, kind Kind) ([]byte, error) {
	if kind == Project {
		if info, err := os.Lstat(filepath.Dir(path)); err == nil && !info.IsDir() {
			return nil, unusable(path, "its folder is a link or no folder", nil)
		}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			return nil, unusable(path, "it is not a regular file", nil)
		}
		return nil, nil
	}
	if err != nil {
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			return nil, unusable(path, "it is not a regular file", err)
		}
		return nil, unusable(path, "it cannot be opened", err)
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, unusable(path, "it cannot be read", err)
	case !info.Mode().IsRegular():
		return nil, unusable(path, "it is not a regular file", nil)
	case kind == User && fileid.OthersMayWrite(info):
		return nil, unusable(path, "other users could have written it", nil)
	}
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), access.MaxConfigBytes)+bytes.MinRead))
	_, err = data.ReadFrom(io.LimitReader(f, access.MaxConfigBytes+1))
	switch {
	case err != nil:
		return nil, unusable(path, "it cannot be read", err)
	case data.Len() > access.MaxConfigBytes:
		return nil, unusable(path, "it is too large", nil)
	}
	return data.Bytes(), nil
}

func unusable(path, why string, cause error) error {
	return fault.Newf(access.CodeBadSettings, "cannot use the settings %q: %s", path, why).
		WithHint("correct the file; nothing runs as long as its rules are unknown").Because(cause)
}

// Update changes the settings: fn gets what the file says at that moment, and
// what it leaves is on disk when Update returns nil. Lock is the file that
// stands for the lock, which for a project is not in its folder.
func Update(ctx context.Context, path, lock, holder string, kind Kind, fn func(*hcp.AccessConfig) error) error {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	unlock, err := durable.Lock(ctx, lock, holder)
	if err != nil {
		return err
	}
	defer unlock()
	c, err := Read(path, kind)
	if err != nil {
		return err
	}
	if err := fn(&c); err != nil {
		return err
	}
	if err := access.CheckConfig(&c); err != nil {
		return unusable(path, "the change would break it: "+err.Error(), err)
	}
	data, err := canon.MarshalIndent(c)
	if err != nil {
		return err
	}
	if len(data) > access.MaxConfigBytes {
		return unusable(path, "it would become too large", nil)
	}
	mode := fs.FileMode(0o600)
	if kind == Project {
		mode = 0o644
		if err := durable.MkdirOpen(filepath.Dir(path)); err != nil {
			return err
		}
	}
	return durable.WriteFile(path, append(data, '\n'), mode)
}
