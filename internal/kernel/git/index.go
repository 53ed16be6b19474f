package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
)

// index is the content of an index file: versions 2 to 4. Split and sparse
// indexes need other files or trees to be read; the caller lets git read those.
type index struct {
	format  Format
	entries []indexEntry // sorted by path, then stage
	trees   *cachedTree  // nil when the file has none
	note    string       // what a private index remembers besides
	written stat         // the state of the file when it was read
}

// indexEntry is one path of an index. The raw id and the path share the memory
// of the file.
type indexEntry struct {
	path  string
	raw   string
	mode  uint32
	flags uint16
	stat  stat
}

// Flags of an entry: those of the file, and in the low bits what versions 3 and
// 4 keep in a second word.
const (
	flagStage    = 0x3000
	flagExtended = 0x4000
	flagAssumed  = 0x8000
	flagSkip     = 0x0002 // not checked out: a sparse working tree, or the user's wish
	flagIntent   = 0x0001 // "git add -N": a path without content
)

func (e *indexEntry) stage() int    { return int(e.flags&flagStage) >> 12 }
func (e *indexEntry) skipped() bool { return e.flags&flagSkip != 0 }

// noteName is the part of a private index that is ours. Git passes over it.
const noteName = "NOTE"

// flagUntracked marks, in a private index, a path that the working tree's own
// index does not have. Git would take it for "assume unchanged".
const flagUntracked = flagAssumed

// stat is what an index keeps of a file's state: the low 32 bits of each value.
// The zero stat is no file's.
type stat struct {
	ctimeS, ctimeN, mtimeS, mtimeN, dev, ino, uid, gid, size uint32
}

// cachedTree is what an index remembers of the trees it was written as.
type cachedTree struct {
	name  string
	count int    // of files below; negative when something has changed since
	raw   string // the id of the tree, when count is not negative
	subs  []*cachedTree
}

// sub finds the cached tree of a folder.
func (t *cachedTree) sub(name string) *cachedTree {
	if t == nil {
		return nil
	}
	for _, s := range t.subs {
		if s.name == name {
			return s
		}
	}
	return nil
}

// errPartial says that an index does not say everything by itself.
var errPartial = errors.New("the index is split or sparse")

// readIndexFile reads an index; nil when there is none.
func readIndexFile(format Format, path string) (*index, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer func() { _ = f.Close() }()
	if kind, err := f.Stat(); err == nil && !kind.Mode().IsRegular() {
		return nil, unreadable(path, ErrNotPlain)
	}
	info, err := infoOfFile(f)
	if err != nil {
		return nil, unreadable(path, err)
	}
	data := make([]byte, info.size)
	if n, err := f.ReadAt(data, 0); err != nil && n < len(data) {
		return nil, unreadable(path, err)
	}
	x, err := parseIndex(format, data)
	if errors.Is(err, errPartial) {
		return nil, err
	}
	if err != nil {
		return nil, fault.Newf(CodeCorrupt, "the index %q is damaged", path).Because(err)
	}
	x.written = info.stat
	return x, nil
}

func parseIndex(format Format, data []byte) (*index, error) {
	bad := malformed("an index", "is damaged")
	size := format.Size()
	if len(data) < 12+size || string(data[:4]) != "DIRC" {
		return nil, bad
	}
	body, sum := data[:len(data)-size], data[len(data)-size:]
	// A sum of zeros is index.skipHash of newer versions.
	if !isZero(sum) {
		h := format.hash()
		h.Write(body)
		if !bytes.Equal(h.Sum(nil), sum) {
			return nil, bad
		}
	}
	version, count := binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body[8:])
	if version < 2 || version > 4 || uint64(count)*uint64(42+size) > uint64(len(body)) {
		return nil, bad
	}
	x := &index{format: format}
	r := indexReader{data: body, text: string(body), at: 12, version: version, size: size}
	x.entries = make([]indexEntry, count)
	for i := range x.entries {
		if !r.entry(&x.entries[i]) {
			return nil, bad
		}
		if x.entries[i].path == "" { // a split index: the path is in the other file
			return nil, errPartial
		}
		if i > 0 && compareIndex(&x.entries[i-1], &x.entries[i]) >= 0 {
			return nil, bad
		}
	}
	return x, r.extensions(x)
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func compareIndex(a, b *indexEntry) int {
	if c := strings.Compare(a.path, b.path); c != 0 {
		return c
	}
	return a.stage() - b.stage()
}

type indexReader struct {
	data     []byte
	text     string
	at       int
	version  uint32
	size     int
	previous string
}

// entry reads one entry: ten numbers, an id, flags, a path.
func (r *indexReader) entry(e *indexEntry) bool {
	start, head := r.at, 40+r.size+2
	if len(r.data)-start < head+1 {
		return false
	}
	word := func(n int) uint32 { return binary.BigEndian.Uint32(r.data[start+4*n:]) }
	e.stat = stat{
		ctimeS: word(0), ctimeN: word(1), mtimeS: word(2), mtimeN: word(3),
		dev: word(4), ino: word(5), uid: word(7), gid: word(8), size: word(9),
	}
	e.mode = word(6)
	e.raw = r.text[start+40 : start+40+r.size]
	flags := binary.BigEndian.Uint16(r.data[start+40+r.size:])
	e.flags = flags & (flagStage | flagAssumed)
	at := start + head
	if flags&flagExtended != 0 {
		if r.version < 3 || len(r.data) < at+3 {
			return false
		}
		e.flags |= binary.BigEndian.Uint16(r.data[at:]) >> 13 & (flagSkip | flagIntent)
		at += 2
	}
	if r.version == 4 {
		return r.shortPath(e, at)
	}
	end := strings.IndexByte(r.text[at:], 0)
	if end < 0 {
		return false
	}
	e.path = r.text[at : at+end]
	r.at = start + (at+end-start+8)&^7 // between one and eight NUL bytes follow
	return r.at <= len(r.data) && (e.path == "" || safePath(e.path))
}

// shortPath reads a path as version 4 has it: how much of the end of the path
// before to leave out, and what to put there.
func (r *indexReader) shortPath(e *indexEntry, at int) bool {
	cut, at, ok := varint(r.data, at)
	if !ok || cut > len(r.previous) {
		return false
	}
	end := strings.IndexByte(r.text[at:], 0)
	if end < 0 {
		return false
	}
	e.path = r.previous[:len(r.previous)-cut] + r.text[at:at+end]
	r.previous = e.path
	r.at = at + end + 1
	return safePath(e.path)
}

// varint reads git's number of variable length, in which no number has two
// forms.
func varint(data []byte, at int) (value, next int, ok bool) {
	for n := 0; at < len(data) && n < 5; n++ {
		c := data[at]
		at++
		if n > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, at, true
		}
	}
	return 0, 0, false
}

// safePath refuses paths that lead anywhere but below the root. A folder of a
// sparse index ends in a slash.
func safePath(path string) bool {
	if path == "" || path[0] == '/' {
		return false
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(path, "/"), "/") {
		if part == "" || part == "." || part == ".." || isDotGit(part) && strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

// extensions reads what follows the entries. Those whose name begins with a
// capital letter may be passed over.
func (r *indexReader) extensions(x *index) error {
	bad := malformed("an index", "is damaged")
	for r.at < len(r.data) {
		if len(r.data)-r.at < 8 {
			return bad
		}
		name := r.text[r.at : r.at+4]
		size := int64(binary.BigEndian.Uint32(r.data[r.at+4:]))
		r.at += 8
		if int64(len(r.data)-r.at) < size {
			return bad
		}
		body := r.text[r.at : r.at+int(size)]
		r.at += int(size)
		switch {
		case name == "TREE":
			if tree, rest, ok := parseCachedTree(body, r.size, 0); ok && rest == "" {
				x.trees = tree
			}
		case name == noteName:
			x.note = body
		case name == "link" || name == "sdir":
			return errPartial
		case name[0] < 'A' || name[0] > 'Z':
			return fault.Newf(CodeUnsupported, "the index has the unknown part %q", name)
		}
	}
	return nil
}

const maxTreeDepth = 4096

func parseCachedTree(text string, size, depth int) (tree *cachedTree, rest string, ok bool) {
	name, rest, ok := strings.Cut(text, "\x00")
	if !ok || depth > maxTreeDepth {
		return nil, "", false
	}
	counts, rest, ok := strings.Cut(rest, "\n")
	if !ok {
		return nil, "", false
	}
	files, folders, ok := strings.Cut(counts, " ")
	tree = &cachedTree{name: name}
	n, err := parseInt(files)
	subs, err2 := parseInt(folders)
	if !ok || err != nil || err2 != nil || subs < 0 {
		return nil, "", false
	}
	if tree.count = n; n >= 0 {
		if len(rest) < size {
			return nil, "", false
		}
		tree.raw, rest = rest[:size], rest[size:]
	}
	for range subs {
		var sub *cachedTree
		if sub, rest, ok = parseCachedTree(rest, size, depth+1); !ok {
			return nil, "", false
		}
		tree.subs = append(tree.subs, sub)
	}
	return tree, rest, true
}

// encodeIndex returns the bytes of an index, version 2, or 3 where a flag needs
// it.
func encodeIndex(x *index) []byte {
	version := uint32(2)
	if slices.ContainsFunc(x.entries, func(e indexEntry) bool { return e.flags&(flagSkip|flagIntent) != 0 }) {
		version = 3
	}
	size := 0
	for i := range x.entries {
		size += 40 + x.format.Size() + 4 + len(x.entries[i].path) + 8
	}
	out := make([]byte, 0, 12+size+len(x.entries)*4+64<<10)
	out = append(out, "DIRC"...)
	out = binary.BigEndian.AppendUint32(out, version)
	out = binary.BigEndian.AppendUint32(out, uint32(len(x.entries))) //nolint:gosec // bounded by memory
	for i := range x.entries {
		out = appendEntry(out, &x.entries[i])
	}
	if x.trees != nil {
		at := len(out)
		out = append(out, "TREE\x00\x00\x00\x00"...)
		out = appendCachedTree(out, x.trees)
		binary.BigEndian.PutUint32(out[at+4:], uint32(len(out)-at-8)) //nolint:gosec // bounded by memory
	}
	if x.note != "" {
		out = append(out, noteName...)
		out = binary.BigEndian.AppendUint32(out, uint32(len(x.note))) //nolint:gosec // bounded by memory
		out = append(out, x.note...)
	}
	h := x.format.hash()
	h.Write(out)
	return h.Sum(out)
}

func appendEntry(out []byte, e *indexEntry) []byte {
	start := len(out)
	s := &e.stat
	for _, n := range [...]uint32{s.ctimeS, s.ctimeN, s.mtimeS, s.mtimeN, s.dev, s.ino, e.mode, s.uid, s.gid, s.size} {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	out = append(out, e.raw...)
	flags := e.flags&(flagStage|flagAssumed) | uint16(min(len(e.path), 0xfff)) //nolint:gosec // bounded
	extended := e.flags & (flagSkip | flagIntent)
	if extended != 0 {
		flags |= flagExtended
	}
	out = binary.BigEndian.AppendUint16(out, flags)
	if extended != 0 {
		out = binary.BigEndian.AppendUint16(out, extended<<13)
	}
	out = append(out, e.path...)
	const padding = "\x00\x00\x00\x00\x00\x00\x00\x00"
	return append(out, padding[:8-(len(out)-start)%8]...)
}

func appendCachedTree(out []byte, t *cachedTree) []byte {
	out = append(out, t.name...)
	out = append(out, 0)
	out = appendInt(out, t.count)
	out = append(out, ' ')
	out = appendInt(out, len(t.subs))
	out = append(out, '\n')
	if t.count >= 0 {
		out = append(out, t.raw...)
	}
	for _, sub := range t.subs {
		out = appendCachedTree(out, sub)
	}
	return out
}
