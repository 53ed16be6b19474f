// Package packs holds the gold packs as data: each directory beside this file
// is one Harness Pack (§2.1), complete with the programs it runs, and is
// embedded so that a binary can install it without a checkout.
//
// Invariants: the embedded tree is byte for byte what the directory holds; no
// name begins with "." or "_", which go:embed would drop; a file is executable
// exactly when it begins with "#!", because embedding loses the mode bits.
package packs

import (
	"embed"
	"io/fs"
)

//go:embed echo git go hcp-cli ledger npm transit
var content embed.FS

// IDs lists the embedded packs; each id is also the name of its directory.
func IDs() []string {
	return []string{"echo", "git", "go", "hcp-cli", "ledger", "npm", "transit"}
}

// FS returns all packs, one directory each. Modes are 0755 for directories and
// scripts and 0644 for everything else, in Stat, in directory entries and in
// what os.CopyFS writes.
func FS() fs.FS { return tree{content} }

// Pack returns the directory of one pack and whether there is one.
func Pack(id string) (fs.FS, bool) {
	for _, known := range IDs() {
		if known == id {
			sub, err := fs.Sub(FS(), id)
			return sub, err == nil
		}
	}
	return nil, false
}

// tree is the embedded file system with the modes put back.
type tree struct{ embed.FS }

func (t tree) Open(name string) (fs.File, error) {
	f, err := t.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if dir, ok := f.(fs.ReadDirFile); ok {
		return directory{dir, t, name}, nil
	}
	return file{f, t, name}, nil
}

func (t tree) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := t.FS.ReadDir(name)
	return t.entries(name, entries), err
}

// Stat spares callers the opening of the file.
func (t tree) Stat(name string) (fs.FileInfo, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

func (t tree) entries(dir string, entries []fs.DirEntry) []fs.DirEntry {
	for i, e := range entries {
		name := e.Name()
		if dir != "." {
			name = dir + "/" + name
		}
		entries[i] = entry{e, t, name}
	}
	return entries
}

// perm tells a script by its first two bytes, as the kernel does.
func (t tree) perm(name string, info fs.FileInfo) fs.FileMode {
	if info.IsDir() {
		return fs.ModeDir | 0o755
	}
	f, err := t.FS.Open(name)
	if err != nil {
		return 0o644
	}
	defer f.Close()
	var start [2]byte
	if n, err := f.Read(start[:]); err == nil && n == 2 && string(start[:]) == "#!" {
		return 0o755
	}
	return 0o644
}

type file struct {
	fs.File
	tree tree
	name string
}

func (f file) Stat() (fs.FileInfo, error) { return withMode(f.File, f.tree, f.name) }

type directory struct {
	fs.ReadDirFile
	tree tree
	name string
}

func (d directory) Stat() (fs.FileInfo, error) { return withMode(d.ReadDirFile, d.tree, d.name) }

func (d directory) ReadDir(n int) ([]fs.DirEntry, error) {
	entries, err := d.ReadDirFile.ReadDir(n)
	return d.tree.entries(d.name, entries), err
}

type entry struct {
	fs.DirEntry
	tree tree
	name string
}

func (e entry) Info() (fs.FileInfo, error) {
	info, err := e.DirEntry.Info()
	if err != nil {
		return nil, err
	}
	return modeInfo{info, e.tree.perm(e.name, info)}, nil
}

type modeInfo struct {
	fs.FileInfo
	mode fs.FileMode
}

func (i modeInfo) Mode() fs.FileMode { return i.mode }

func withMode(f fs.File, t tree, name string) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return modeInfo{info, t.perm(name, info)}, nil
}
