//go:build !linux

package snapshot

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// worker walks through an os.Root, which follows no link out of it.
type worker struct {
	walk *walk
	root *os.Root
}

func (w *walk) open(count int) ([]*worker, error) {
	info, err := os.Lstat(w.root)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no directory")
	}
	if err != nil {
		return nil, unreadable(w.root, err)
	}
	w.self = entryOf("", info)
	workers := make([]*worker, 0, count)
	for range count {
		root, err := os.OpenRoot(w.root)
		if err != nil {
			for _, opened := range workers {
				opened.close()
			}
			return nil, unreadable(w.root, err)
		}
		workers = append(workers, &worker{w, root})
	}
	return workers, nil
}

func (k *worker) close() { _ = k.root.Close() }

func (k *worker) name(path string) string { return join(filepath.ToSlash(k.walk.root), path) }

func (k *worker) perform(t task) error {
	if t.files != nil {
		return k.hashAll(t.node, t.files)
	}
	return k.listDir(t)
}

func (k *worker) names(path string) ([]string, error) {
	if path == "" {
		path = "."
	}
	before, err := k.root.Lstat(path)
	if err != nil {
		return nil, err
	}
	dir, err := k.root.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	opened, err := dir.Stat()
	if err != nil || !os.SameFile(before, opened) {
		return nil, errors.Join(errMoving, err)
	}
	return dir.Readdirnames(-1)
}

func (k *worker) listDir(t task) error {
	names, err := k.names(t.path)
	if err != nil {
		return unreadable(k.name(t.path), err)
	}
	slices.Sort(names)
	n := &node{path: t.path, entries: make([]entry, 0, len(names))}
	ways := make([]look, 0, len(names))
	var stale []int
	for _, name := range names {
		path := join(t.path, name)
		info, err := k.root.Lstat(path)
		if err != nil {
			return unreadable(k.name(path), err)
		}
		e := entryOf(name, info)
		way := t.how
		if k.walk.judge != nil && way == record {
			way = k.walk.judge(path, e.kind == Directory)
		}
		if way == skip {
			continue
		}
		if way == record && (e.kind == Regular || e.kind == Link) {
			stale = append(stale, len(n.entries))
		}
		n.entries, ways = append(n.entries, e), append(ways, way)
	}
	rest, own := k.walk.follow(n, ways, stale)
	k.walk.listed(n, rest)
	return k.hashAll(n, own)
}

var errMoving = errors.New("it changes while it is read")

func (k *worker) hashAll(n *node, files []int) error {
	for _, i := range files {
		e := &n.entries[i]
		path := join(n.path, e.name)
		var err error
		if e.kind == Link {
			e.link, err = k.root.Readlink(path)
		} else {
			err = k.hashFile(path, e)
		}
		if errors.Is(err, errMoving) {
			return unstable(k.name(path))
		}
		if err != nil {
			return unreadable(k.name(path), err)
		}
	}
	return nil
}

func (k *worker) hashFile(path string, e *entry) error {
	file, err := k.root.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	for range 3 {
		before, err := file.Stat()
		if err != nil {
			return err
		}
		if !before.Mode().IsRegular() {
			return errMoving
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		digest := sha256.New()
		if _, err := io.Copy(digest, file); err != nil {
			return err
		}
		after, err := file.Stat()
		if err != nil {
			return err
		}
		if after.Size() == before.Size() && after.ModTime().Equal(before.ModTime()) {
			*e = entryOf(e.name, after)
			digest.Sum(e.sum[:0])
			return nil
		}
	}
	return errMoving
}

// kernelTime is of no use here: no hash is ever reused.
func kernelTime() (int64, error) { return 0, nil }

func entryOf(name string, info fs.FileInfo) entry {
	mode := info.Mode()
	e := entry{name: name, mode: uint32(mode.Perm()), size: info.Size(), mtime: info.ModTime().UnixNano()}
	for bit, value := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&bit != 0 {
			e.mode |= value
		}
	}
	switch {
	case mode.IsRegular():
		e.kind = Regular
	case mode&fs.ModeSymlink != 0:
		e.kind = Link
	case mode.IsDir():
		e.kind = Directory
	default:
		e.kind, e.link = Special, strings.TrimRight(mode.Type().String(), "-")
	}
	return e
}

// settled is what no change time here can say.
func (w *walk) settled(*entry) bool { return false }
