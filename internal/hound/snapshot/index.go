package snapshot

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's own check of its index
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"strconv"
)

// indexEntry is what the index says of a path, without what it remembers of the
// file in the working tree: that may be rewritten at any time.
type indexEntry struct {
	path  string
	mode  uint32
	stage uint8
	flags uint16 // assume-unchanged, skip-worktree, intent-to-add
	id    string // raw bytes
}

// Flags of an index entry.
const (
	flagAssumed = 1 << iota
	flagSkipped
	flagIntended
)

// index is a repository's index as it counts.
type index struct {
	entries []indexEntry
	extra   [][]byte // extensions that carry state of their own
	sum     string   // of all that counts
}

var (
	errIndex = errors.New("its contents make no sense")
	errSplit = errors.New("it is split")
)

// parseIndex reads an index of version 2, 3 or 4 with ids of a length.
func parseIndex(data []byte, idSize int) (*index, error) {
	if len(data) < 12+idSize || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	if !intact(data, idSize) {
		return nil, errors.New("its checksum is wrong")
	}
	p := indexParser{rest: data[12 : len(data)-idSize], idSize: idSize, version: binary.BigEndian.Uint32(data[4:])}
	if p.version < 2 || p.version > 4 {
		return nil, errors.New("its version " + strconv.FormatUint(uint64(p.version), 10) + " is unknown")
	}
	count := binary.BigEndian.Uint32(data[8:])
	if uint64(count)*uint64(idSize+42) > uint64(len(data)) {
		return nil, errIndex
	}
	x := &index{entries: make([]indexEntry, 0, count)}
	for range count {
		e, err := p.entry()
		if err != nil {
			return nil, err
		}
		x.entries = append(x.entries, e)
	}
	err := p.extensions(x)
	x.sum = x.digest()
	return x, err
}

// intact compares the checksum at the end; one of zeros was not made
// (index.skipHash).
func intact(data []byte, idSize int) bool {
	body, sum := data[:len(data)-idSize], data[len(data)-idSize:]
	if bytes.Equal(sum, make([]byte, idSize)) {
		return true
	}
	var h hash.Hash
	if idSize == sha256.Size {
		h = sha256.New()
	} else {
		h = sha1.New() //nolint:gosec // git's own
	}
	h.Write(body)
	return bytes.Equal(h.Sum(nil), sum)
}

type indexParser struct {
	rest    []byte
	idSize  int
	version uint32
	last    string // the path before, which version 4 shortens by
}

func (p *indexParser) entry() (indexEntry, error) {
	fixed := 40 + p.idSize + 2
	if len(p.rest) < fixed {
		return indexEntry{}, errIndex
	}
	e := indexEntry{mode: binary.BigEndian.Uint32(p.rest[24:]), id: string(p.rest[40 : 40+p.idSize])}
	flags := binary.BigEndian.Uint16(p.rest[40+p.idSize:])
	e.stage = uint8(flags >> 12 & 3)
	if flags&0x8000 != 0 {
		e.flags |= flagAssumed
	}
	if flags&0x4000 != 0 {
		if p.version < 3 || len(p.rest) < fixed+2 {
			return indexEntry{}, errIndex
		}
		more := binary.BigEndian.Uint16(p.rest[fixed:])
		if more&0x4000 != 0 {
			e.flags |= flagSkipped
		}
		if more&0x2000 != 0 {
			e.flags |= flagIntended
		}
		fixed += 2
	}
	var err error
	e.path, err = p.path(fixed)
	return e, err
}

// path takes the entry's path and moves on to the next entry.
func (p *indexParser) path(fixed int) (string, error) {
	text := p.rest[fixed:]
	kept := ""
	if p.version == 4 {
		cut, size, ok := offset(text)
		if !ok || cut > uint64(len(p.last)) {
			return "", errIndex
		}
		kept, text = p.last[:len(p.last)-int(cut)], text[size:]
	}
	end := bytes.IndexByte(text, 0)
	if end < 0 {
		return "", errIndex
	}
	path := kept + string(text[:end])
	p.last = path
	if p.version == 4 {
		p.rest = text[end+1:]
		return path, nil
	}
	whole := (fixed + end + 8) &^ 7 // one to eight NUL bytes fill up
	if whole > len(p.rest) {
		return "", errIndex
	}
	p.rest = p.rest[whole:]
	return path, nil
}

// offset reads the number of bytes that version 4 cuts off, in git's own
// encoding.
func offset(text []byte) (value uint64, size int, ok bool) {
	for size < len(text) && size < 9 {
		b := text[size]
		size++
		value |= uint64(b & 0x7f)
		if b&0x80 == 0 {
			return value, size, true
		}
		value = (value + 1) << 7
	}
	return 0, 0, false
}

// extensions refuses what takes entries from elsewhere and passes over what only
// remembers.
func (p *indexParser) extensions(x *index) error {
	for len(p.rest) >= 8 {
		name, size := string(p.rest[:4]), uint64(binary.BigEndian.Uint32(p.rest[4:]))
		if size > uint64(len(p.rest)-8) {
			return errIndex
		}
		body := p.rest[8 : 8+size]
		p.rest = p.rest[8+size:]
		switch {
		case name == "link":
			return errSplit
		case name == "REUC", name == "sdir":
			x.extra = append(x.extra, append([]byte(name), body...))
		case name[0] < 'A' || name[0] > 'Z':
			return errors.New("its extension " + strconv.Quote(name) + " is unknown")
		}
	}
	if len(p.rest) != 0 {
		return errIndex
	}
	return nil
}

// digest is a hash of everything that counts.
func (x *index) digest() string {
	h := sha256.New()
	var buf []byte
	for i := range x.entries {
		e := &x.entries[i]
		buf = binary.BigEndian.AppendUint32(buf[:0], e.mode)
		buf = append(buf, e.stage, byte(e.flags))
		buf = append(buf, e.id...)
		buf = append(append(buf, e.path...), 0)
		h.Write(buf)
	}
	for _, extra := range x.extra {
		h.Write(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(extra))))
		h.Write(extra)
	}
	return hex.EncodeToString(h.Sum(nil))
}
