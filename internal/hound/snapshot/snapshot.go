package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"iter"
	"slices"
	"strings"
)

// Root is the root of the working tree, absolute and without links.
func (s *Snapshot) Root() string { return s.repository.root }

// Head is the id of the checked-out commit; "" while there is none.
func (s *Snapshot) Head() string { return s.git.head }

// Branch is the full name of the checked-out branch; "" when HEAD is detached.
func (s *Snapshot) Branch() string { return s.git.branch }

// Integrity is what a full check of the object store found: nil, or a fault that
// says what is damaged.
func (s *Snapshot) Integrity() error { return s.integrity }

// File tells what is at a path of the working tree, relative with slashes, or of
// git's state, beginning with ".git/". What is not there is Missing.
func (s *Snapshot) File(path string) (File, bool) {
	if strings.HasPrefix(path, ".git/") {
		i, ok := slices.BinarySearchFunc(s.git.pieces, path, func(p piece, path string) int { return strings.Compare(p.path, path) })
		if !ok {
			return File{}, false
		}
		return s.git.pieces[i].file, true
	}
	dir, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	n := s.files.nodes[dir]
	if n == nil {
		return File{}, false
	}
	e := n.find(name)
	if e == nil {
		return File{}, false
	}
	return e.file(), true
}

// Files yields everything of the working tree, directory by directory.
func (s *Snapshot) Files() iter.Seq2[string, File] {
	return func(yield func(string, File) bool) {
		for _, path := range s.directories() {
			n := s.files.nodes[path]
			for i := range n.entries {
				if !yield(join(path, n.entries[i].name), n.entries[i].file()) {
					return
				}
			}
		}
	}
}

func (s *Snapshot) directories() []string {
	paths := make([]string, 0, len(s.files.nodes))
	for path := range s.files.nodes {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// Digest is a hash of everything that is recorded.
func (s *Snapshot) Digest() string {
	h := sha256.New()
	writeEntry(h, nil, "", &s.files.self)
	var buf []byte
	for _, path := range s.directories() {
		n := s.files.nodes[path]
		for i := range n.entries {
			buf = writeEntry(h, buf[:0], path, &n.entries[i])
		}
	}
	for p := range parts {
		h.Write([]byte(s.part(p)))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// writeEntry hashes what counts of an entry.
func writeEntry(h hash.Hash, buf []byte, dir string, e *entry) []byte {
	buf = appendText(appendText(buf, dir), e.name)
	buf = append(buf, byte(e.kind))
	for _, n := range [...]uint32{e.mode, e.uid, e.gid} {
		buf = binary.BigEndian.AppendUint32(buf, n)
	}
	buf = appendText(buf, e.link)
	if e.kind == Regular {
		buf = append(buf, e.sum[:]...)
	}
	h.Write(buf)
	return buf
}

func appendText(buf []byte, text string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(text))), text...)
}

// part is a hash of one part of git's state.
func (s *Snapshot) part(p part) string {
	h := sha256.New()
	for i := range s.git.pieces {
		if at := &s.git.pieces[i]; at.part == p {
			h.Write(writePiece(nil, at))
		}
	}
	if p == partObjects && s.integrity != nil {
		h.Write([]byte(s.integrity.Error()))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func writePiece(buf []byte, p *piece) []byte {
	buf = appendText(buf, p.path)
	buf = append(buf, byte(p.file.Kind))
	for _, n := range [...]uint32{p.file.Mode, p.file.UID, p.file.GID} {
		buf = binary.BigEndian.AppendUint32(buf, n)
	}
	return appendText(appendText(buf, p.file.Link), p.file.SHA256)
}
