package git

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/inflate"
)

// pack is one pack with its index, open for reading.
type pack struct {
	path   string
	format Format
	index  *packIndex
	data   []byte
	close  func()

	freshOnce sync.Once

	mu    sync.Mutex
	bases map[int64]packed // results that deltas build on
	held  int
}

// packed is an object as read from a pack.
type packed struct {
	kind Kind
	data []byte
}

// Limits of what is believed of a pack, and of what is kept of it.
const (
	maxDeltaChain = 4096
	maxBases      = 32 << 20
	maxObject     = 2 << 30
)

// Types of entries in a pack.
const (
	entryCommit = 1
	entryTree   = 2
	entryBlob   = 3
	entryTag    = 4
	entryOffset = 6
	entryRef    = 7
)

func openPack(format Format, path string) (*pack, error) {
	idx, closeIdx, err := openMapped(strings.TrimSuffix(path, ".pack") + ".idx")
	if err != nil {
		return nil, err
	}
	index, err := parsePackIndex(format, idx)
	if err != nil {
		closeIdx()
		return nil, corruptFile(path, err)
	}
	data, closeData, err := openMapped(path)
	if err != nil {
		closeIdx()
		return nil, err
	}
	p := &pack{path: path, format: format, index: index, data: data, bases: map[int64]packed{}}
	p.close = func() { closeIdx(); closeData() }
	if err := p.checkHeader(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func openMapped(path string) ([]byte, func(), error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if size := info.Size(); !info.Mode().IsRegular() || int64(int(size)) != size {
		return nil, nil, fault.Newf(CodeCorrupt, "%q is no file of a repository", path)
	}
	return mapFile(f, int(info.Size()))
}

func (p *pack) checkHeader() error {
	if len(p.data) < 12+p.format.Size() || string(p.data[:4]) != "PACK" {
		return corruptFile(p.path, nil)
	}
	version, count := binary.BigEndian.Uint32(p.data[4:]), binary.BigEndian.Uint32(p.data[8:])
	trailer := p.data[len(p.data)-p.format.Size():]
	inIndex := p.index.data[len(p.index.data)-2*p.format.Size():][:p.format.Size()]
	if version != 2 && version != 3 || int(count) != p.index.count || !bytes.Equal(trailer, inIndex) {
		return corruptFile(p.path, nil)
	}
	return nil
}

func corruptFile(path string, cause error) *fault.Error {
	return fault.Newf(CodeCorrupt, "the file %q of the repository is damaged", filepath.Base(path)).Because(cause).
		WithHint("look at the whole repository with \"git fsck\"")
}

// entry is the head of an object in a pack.
type packEntry struct {
	kind   byte
	size   int64
	body   int64 // where the deflated bytes begin
	base   int64 // of a delta by offset
	baseID []byte
}

func (p *pack) entryAt(at int64) (packEntry, error) {
	bad := func() (packEntry, error) { return packEntry{}, corruptFile(p.path, nil) }
	end := int64(len(p.data) - p.format.Size())
	if at < 12 || at >= end {
		return bad()
	}
	start := at
	c := p.data[at]
	e := packEntry{kind: c >> 4 & 7, size: int64(c & 15)}
	at++
	for shift := 4; c&0x80 != 0; shift += 7 {
		if at >= end || shift > 56 {
			return bad()
		}
		c = p.data[at]
		e.size |= int64(c&0x7f) << shift
		at++
	}
	switch e.kind {
	case entryCommit, entryTree, entryBlob, entryTag:
	case entryOffset:
		back := int64(-1)
		for n := 0; ; n++ {
			if at >= end || n > 8 {
				return bad()
			}
			c = p.data[at]
			at++
			back = (back+1)<<7 | int64(c&0x7f)
			if c&0x80 == 0 {
				break
			}
		}
		if e.base = start - back; back <= 0 || e.base < 12 {
			return bad()
		}
	case entryRef:
		if at+int64(p.format.Size()) > end {
			return bad()
		}
		e.baseID = p.data[at : at+int64(p.format.Size())]
		at += int64(p.format.Size())
	default:
		return bad()
	}
	if e.size > maxObject {
		return packEntry{}, tooLarge()
	}
	e.body = at
	return e, nil
}

func tooLarge() error {
	return fault.Newf(CodeUnsupported, "an object of the repository is larger than %d bytes", int64(maxObject))
}

// read returns the object at an offset.
func (p *pack) read(at int64) (packed, error) {
	object, chain, err := p.descend(at)
	if err != nil {
		return packed{}, err
	}
	for i := len(chain) - 1; i >= 0; i-- {
		delta, err := unpack(p.data[chain[i].body:], chain[i].size)
		if err != nil {
			return packed{}, corruptFile(p.path, err)
		}
		if object.data, err = applyDelta(object.data, delta); err != nil {
			return packed{}, corruptFile(p.path, err)
		}
		if i > 0 {
			p.keep(chain[i-1].base, object)
		}
	}
	return object, nil
}

// descend follows an object's deltas down to a whole object, which it returns
// with the deltas, the last to be applied first.
func (p *pack) descend(at int64) (packed, []packEntry, error) {
	var chain []packEntry
	for {
		if kept, ok := p.base(at); ok {
			if len(chain) == 0 {
				kept.data = slices.Clone(kept.data)
			}
			return kept, chain, nil
		}
		e, err := p.entryAt(at)
		if err != nil {
			return packed{}, nil, err
		}
		if e.kind < entryOffset {
			data, err := unpack(p.data[e.body:], e.size)
			if err != nil {
				return packed{}, nil, corruptFile(p.path, err)
			}
			object := packed{kindOf(e.kind), data}
			if len(chain) > 0 {
				p.keep(at, object)
			}
			return object, chain, nil
		}
		if len(chain) > maxDeltaChain || e.kind == entryRef && !p.locateBase(&e) {
			return packed{}, nil, corruptFile(p.path, nil)
		}
		chain = append(chain, e)
		at = e.base
	}
}

// locateBase finds the base of a delta that names it by its id.
func (p *pack) locateBase(e *packEntry) bool {
	n, ok := p.index.find(e.baseID)
	if ok {
		e.base, ok = p.index.offset(n)
	}
	return ok
}

func (p *pack) base(at int64) (packed, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	object, ok := p.bases[at]
	return object, ok
}

func (p *pack) keep(at int64, object packed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(object.data) > maxBases/4 {
		return
	}
	if p.held += len(object.data); p.held > maxBases {
		p.bases, p.held = map[int64]packed{}, len(object.data)
	}
	p.bases[at] = object
}

func kindOf(entry byte) Kind {
	switch entry {
	case entryCommit:
		return KindCommit
	case entryTree:
		return KindTree
	case entryTag:
		return KindTag
	}
	return KindBlob
}

func entryOf(kind Kind) byte {
	switch kind {
	case KindCommit:
		return entryCommit
	case KindTree:
		return entryTree
	case KindTag:
		return entryTag
	default:
		return entryBlob
	}
}

// unpack returns exactly size bytes, or an error when there are fewer or more.
func unpack(data []byte, size int64) ([]byte, error) {
	// What a damaged header says is not allocated before there are bytes for it:
	// deflate shrinks at most by 1032.
	if size > int64(len(data))*1040 {
		return nil, io.ErrUnexpectedEOF
	}
	out := make([]byte, size)
	n, err := inflate.Into(out, data)
	if err == nil && n < len(out) {
		err = io.ErrUnexpectedEOF
	}
	return out, err
}

// applyDelta rebuilds an object from its base.
func applyDelta(base, delta []byte) ([]byte, error) {
	bad := malformed("a delta", "does not fit its base")
	from, delta, ok := deltaSize(delta)
	if !ok || from != int64(len(base)) {
		return nil, bad
	}
	size, delta, ok := deltaSize(delta)
	if !ok || size > maxObject {
		return nil, bad
	}
	out := make([]byte, 0, min(size, 64<<20))
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			if op == 0 || int(op) > len(delta) {
				return nil, bad
			}
			out = append(out, delta[:op]...)
			delta = delta[op:]
			continue
		}
		var number [7]byte // four of the offset, three of the length
		for i := range number {
			if op&(1<<i) == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil, bad
			}
			number[i], delta = delta[0], delta[1:]
		}
		at := int64(binary.LittleEndian.Uint32(number[:4]))
		n := int64(number[4]) | int64(number[5])<<8 | int64(number[6])<<16
		if n == 0 {
			n = 0x10000
		}
		if at+n > int64(len(base)) || int64(len(out))+n > size {
			return nil, bad
		}
		out = append(out, base[at:at+n]...)
	}
	if int64(len(out)) != size {
		return nil, bad
	}
	return out, nil
}

func deltaSize(delta []byte) (size int64, rest []byte, ok bool) {
	for shift := 0; len(delta) > 0 && shift <= 56; shift += 7 {
		c := delta[0]
		delta = delta[1:]
		size |= int64(c&0x7f) << shift
		if c&0x80 == 0 {
			return size, delta, true
		}
	}
	return 0, nil, false
}
