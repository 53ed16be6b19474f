package git

import (
	"bytes"
	"encoding/binary"
	"math"
	"sort"
)

// packIndex finds objects in a pack: versions 1 and 2 of git's .idx files. It
// trusts no number in the file further than the file's own bounds.
type packIndex struct {
	data    []byte
	version int
	size    int // of an id
	count   int
}

// Places in an index of version 2.
const (
	indexMagic  = "\xfftOc"
	fanoutSize  = 256 * 4
	indexHeader = 8
)

func parsePackIndex(format Format, data []byte) (*packIndex, error) {
	x := &packIndex{data: data, version: 1, size: format.Size()}
	start := 0
	if bytes.HasPrefix(data, []byte(indexMagic)) {
		if len(data) < indexHeader || binary.BigEndian.Uint32(data[4:]) != 2 {
			return nil, malformed("the index of a pack", "has an unknown version")
		}
		x.version, start = 2, indexHeader
	}
	if len(data) < start+fanoutSize+2*x.size {
		return nil, malformed("the index of a pack", "is cut short")
	}
	count, last := uint32(0), uint32(0)
	for i := range 256 {
		count = binary.BigEndian.Uint32(data[start+4*i:])
		if count < last {
			return nil, malformed("the index of a pack", "counts backwards")
		}
		last = count
	}
	per := x.size + 4 // an id and an offset
	if x.version == 2 {
		per += 4 // and a checksum
	}
	if uint64(count)*uint64(per) > uint64(len(data)-start-fanoutSize-2*x.size) {
		return nil, malformed("the index of a pack", "is cut short")
	}
	x.count = int(count)
	return x, nil
}

// id is the n-th id.
func (x *packIndex) id(n int) []byte {
	if x.version == 1 {
		at := fanoutSize + n*(4+x.size) + 4
		return x.data[at : at+x.size]
	}
	at := indexHeader + fanoutSize + n*x.size
	return x.data[at : at+x.size]
}

// offset is where the n-th object begins in the pack.
func (x *packIndex) offset(n int) (int64, bool) {
	if x.version == 1 {
		return int64(binary.BigEndian.Uint32(x.data[fanoutSize+n*(4+x.size):])), true
	}
	small := indexHeader + fanoutSize + x.count*(x.size+4)
	at := binary.BigEndian.Uint32(x.data[small+4*n:])
	if at&0x80000000 == 0 {
		return int64(at), true
	}
	large := small + 4*x.count + 8*int(at&0x7fffffff)
	if large+8 > len(x.data)-2*x.size {
		return 0, false
	}
	wide := binary.BigEndian.Uint64(x.data[large:])
	return int64(wide), wide <= math.MaxInt64
}

// find returns the place of an id in the index.
func (x *packIndex) find(id []byte) (n int, ok bool) {
	low, high := x.bucket(id[0])
	n = low + sort.Search(high-low, func(i int) bool { return bytes.Compare(x.id(low+i), id) >= 0 })
	return n, n < high && bytes.Equal(x.id(n), id)
}

func (x *packIndex) bucket(first byte) (low, high int) {
	start := 0
	if x.version == 2 {
		start = indexHeader
	}
	if first > 0 {
		low = int(binary.BigEndian.Uint32(x.data[start+4*int(first-1):]))
	}
	return low, int(binary.BigEndian.Uint32(x.data[start+4*int(first):]))
}
