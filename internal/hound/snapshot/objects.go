package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/git"
)

// maxAlternates bounds how many stores a store borrows from.
const maxAlternates = 100

// signature tells whether any file of the object store, or of a store that it
// borrows from, has changed: by what the kernel tells of each, and by the content
// where all of it is read. It rests when all change times lie clearly in the past;
// otherwise an equal one says nothing, unless the content is in it.
func (r *repository) signature(ctx context.Context, s *gitState, now int64) (sum string, rests bool, err error) {
	own := s.trees[0]
	if r.linked() {
		own = s.trees[1]
	}
	sig := signer{Hash: sha256.New(), whole: r.whole, rests: true}
	way := stat
	if r.whole {
		way = record
	}
	sig.sign(own, "objects")
	seen := map[string]bool{}
	queue := []string{filepath.Join(r.common, "objects")}
	for len(queue) > 0 {
		store := queue[0]
		queue = queue[1:]
		borrowed, err := alternates(store)
		if err != nil {
			return "", false, err
		}
		for _, dir := range borrowed {
			if seen[dir] {
				continue
			}
			if len(seen) >= maxAlternates {
				return "", false, unsupported("borrows from more than a hundred object stores", "repack it without alternates")
			}
			seen[dir] = true
			queue = append(queue, dir)
			w := walk{root: dir, judge: func(string, bool) look { return way }, now: now}
			t, err := w.run(ctx)
			if err != nil {
				return "", false, err
			}
			sig.Write([]byte(dir + "\x00"))
			sig.sign(t, "")
		}
	}
	return hex.EncodeToString(sig.Sum(nil)), sig.rests, nil
}

// signer gathers what is told of files.
type signer struct {
	hash.Hash
	whole bool // the content counts too
	rests bool // so far
}

// sign adds what is below a folder of a tree, in the order of the names.
func (s *signer) sign(t *tree, below string) {
	paths := make([]string, 0, len(t.nodes))
	for path := range t.nodes {
		if below == "" || path == below || strings.HasPrefix(path, below+"/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	var buf []byte
	for _, path := range paths {
		for i := range t.nodes[path].entries {
			e := &t.nodes[path].entries[i]
			s.rests = s.rests && (e.kind == Directory || t.rests(e))
			buf = stamp(buf[:0], path, e)
			if s.whole {
				buf = append(append(buf, e.link...), e.sum[:]...)
			}
			s.Write(buf)
		}
	}
}

// stamp is what the kernel tells of an entry, as bytes. Directories move with
// what is in them and are left out.
func stamp(buf []byte, dir string, e *entry) []byte {
	if e.kind == Directory {
		return buf
	}
	buf = append(append(append(buf, dir...), '/'), e.name...)
	buf = append(buf, 0, byte(e.kind))
	buf = binary.BigEndian.AppendUint32(buf, e.mode)
	for _, n := range [...]uint64{e.dev, e.ino, uint64(e.size), uint64(e.mtime), uint64(e.ctime)} {
		buf = binary.BigEndian.AppendUint64(buf, n)
	}
	return buf
}

// alternates lists the stores that a store borrows from.
func alternates(store string) ([]string, error) {
	path := filepath.Join(store, "info", "alternates")
	data, err := git.ReadPlain(path, maxRef)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	var dirs []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '"' {
			return nil, unsupported("borrows from a store with a quoted name", "rename that store")
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(store, line)
		}
		dir, err := filepath.EvalSymlinks(line)
		if err != nil {
			return nil, unreadable(line, err)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, unsupported("borrows from \""+line+"\", which is no directory", "correct objects/info/alternates")
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}
