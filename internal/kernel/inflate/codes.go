package inflate

import (
	"io"
	"math/bits"
	"sync"
)

// An entry of a table is what the bits that lead to it mean: a code's size in the
// lowest four bits, the number of bits that are added to its value in the next
// four, its kind in eight and the value in sixteen. The zero entry is no code.
type entry uint32

const (
	isLiteral = 1 // the value is a byte
	isBase    = 2 // the value is a length or a distance, to which something is added
	isEnd     = 3 // the end of the block
	isTable   = 4 // the value is where a second table begins, for longer codes
)

func entryOf(kind, value int, extra uint) entry {
	return entry(value<<16 | kind<<8 | int(extra)<<4) //nolint:gosec // all are constants that fit
}

func (e entry) size() uint  { return uint(e & 15) }
func (e entry) extra() uint { return uint(e >> 4 & 15) }
func (e entry) kind() int   { return int(e >> 8 & 255) }
func (e entry) value() int  { return int(e >> 16) }

// Sizes of the format, and of the tables: the first part of a table is found by
// so many bits; the rooms are what the second parts of any complete code take.
const (
	maxBits        = 15
	maxLiterals    = 286
	maxDistances   = 30
	fixedLiterals  = 288
	fixedDistances = 32
	sizes          = 19

	literalBits  = 10
	literalRoom  = 1334
	distanceBits = 8
	distanceRoom = 402
	sizeBits     = 7
)

// literal is what a symbol of the first alphabet means.
func literal(symbol int) entry {
	const first, last = 257, 285
	switch {
	case symbol < 256:
		return entryOf(isLiteral, symbol, 0)
	case symbol == 256:
		return entryOf(isEnd, 0, 0)
	case symbol < first+8:
		return entryOf(isBase, symbol-first+3, 0)
	case symbol < last:
		n := symbol - first
		extra := uint(n/4 - 1) //nolint:gosec // from 1 to 5
		return entryOf(isBase, 3+(4+n%4)<<extra, extra)
	case symbol == last:
		return entryOf(isBase, 258, 0)
	}
	return 0
}

// distance is what a symbol of the second alphabet means.
func distance(symbol int) entry {
	switch {
	case symbol < 4:
		return entryOf(isBase, symbol+1, 0)
	case symbol < maxDistances:
		extra := uint(symbol/2 - 1) //nolint:gosec // from 1 to 13
		return entryOf(isBase, 1+(2+symbol%2)<<extra, extra)
	}
	return 0
}

// size is what a symbol of the alphabet means in which the other two are written.
func size(symbol int) entry { return entryOf(isLiteral, symbol, 0) }

// fill makes the table of a code from the sizes of its symbols. Codes are
// numbered by size and then by symbol, and stand in the stream with their first
// bit lowest.
func fill(table []entry, first uint, lengths []uint8, mean func(symbol int) entry) bool {
	var count [maxBits + 1]int
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	var next [maxBits + 2]int   // where the symbols of a size begin
	left, longest := 1, uint(0) // how many codes of a size there can still be
	for n := uint(1); n <= maxBits; n++ {
		next[n+1] = next[n] + count[n]
		if left = 2*left - count[n]; left < 0 {
			return false
		}
		if count[n] > 0 {
			longest = n
		}
	}
	if left > 0 { // it lacks codes; of none, and of a single one, that is allowed
		if used := next[maxBits+1]; used > 1 || longest > 1 {
			return false
		}
		clear(table[:1<<first])
	}
	var sorted [fixedLiterals]uint16
	at := next
	for symbol, n := range lengths {
		if n > 0 {
			sorted[at[n]] = uint16(symbol) //nolint:gosec // below 288
			at[n]++
		}
	}
	f := filler{table: table, first: first, mean: mean, free: 1 << first}
	for n := uint(1); n <= longest; n++ {
		f.take(n, sorted[next[n]:next[n+1]], count[:])
	}
	f.spread(first)
	return true
}

// filler puts codes into a table, the shortest first. As long as they are shorter
// than what finds a table's first part, that part grows by doubling.
type filler struct {
	table  []entry
	first  uint
	mean   func(symbol int) entry
	code   int  // the next one, its first bit lowest
	filled uint // the first part is right for so many bits
	prefix int  // of the second part that is being filled
	start  int  // where that begins
	free   int  // where the next one can
}

// spread doubles the first part until it is right for n bits.
func (f *filler) spread(n uint) {
	for n = min(n, f.first); f.filled < n; f.filled++ {
		half := 1 << f.filled
		copy(f.table[half:2*half], f.table[:half])
	}
}

// take adds the codes of one size.
func (f *filler) take(n uint, symbols []uint16, count []int) {
	f.spread(n)
	for i, symbol := range symbols {
		e := f.mean(int(symbol))
		if e != 0 {
			e |= entry(n)
		}
		if n <= f.first {
			f.table[f.code] = e
		} else {
			f.second(n, e, len(symbols)-i, count)
		}
		// The next code in order, in bits that are turned around: the last bits that
		// are ones become zeros, and the zero before them a one.
		ones := 1<<n - 1
		if f.code == ones {
			return // that was the last one of all
		}
		top := 1 << (bits.Len(uint(f.code^ones)) - 1) //nolint:gosec // not negative
		f.code = f.code&(top-1) | top
	}
}

// second puts a code that is longer than the first part's into a second part,
// which begins with the first code that has a prefix.
func (f *filler) second(n uint, e entry, same int, count []int) {
	prefix := f.code & (1<<f.first - 1)
	if f.start == 0 || prefix != f.prefix {
		// It is as large as the longest code that shares the prefix.
		width := n - f.first
		for used := same; used < 1<<width && f.first+width < maxBits; {
			width++
			used = 2*used + count[f.first+width]
		}
		f.prefix, f.start = prefix, f.free
		f.free += 1 << width
		f.table[prefix] = entryOf(isTable, f.start, width) | entry(f.first)
	}
	step := 1 << (n - f.first)
	for at := f.start + f.code>>f.first; at < f.free; at += step {
		f.table[at] = e
	}
}

// fixed are the codes that the format fixes, made when they are first needed.
type fixed struct {
	literals  [literalRoom]entry
	distances [distanceRoom]entry
}

var fixedCodes = sync.OnceValue(func() *fixed {
	var lengths [fixedLiterals]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	f := &fixed{}
	fill(f.literals[:], literalBits, lengths[:], literal)
	for i := range fixedDistances {
		lengths[i] = 5
	}
	fill(f.distances[:], distanceBits, lengths[:fixedDistances], distance)
	return f
})

// useFixed takes the codes that the format fixes.
func (d *decoder) useFixed() {
	f := fixedCodes()
	d.literals, d.distances = f.literals, f.distances
}

// readCodes reads the codes of a block that has its own.
func (d *decoder) readCodes() error {
	d.refill()
	head, ok := d.next(14)
	if !ok {
		return io.ErrUnexpectedEOF
	}
	literals, distances, given := head&31+257, head>>5&31+1, head>>10+4
	if literals > maxLiterals || distances > maxDistances {
		return ErrCorrupt
	}
	var table [1 << sizeBits]entry
	var own [sizes]uint8
	for i := range given {
		d.refill()
		n, ok := d.next(3)
		if !ok {
			return io.ErrUnexpectedEOF
		}
		own["\x10\x11\x12\x00\x08\x07\x09\x06\x0a\x05\x0b\x04\x0c\x03\x0d\x02\x0e\x01\x0f"[i]] = uint8(n) //nolint:gosec // below 8
	}
	if !fill(table[:], sizeBits, own[:], size) {
		return ErrCorrupt
	}
	if err := d.readLengths(table[:], d.lengths[:literals+distances]); err != nil {
		return err
	}
	if !fill(d.literals[:], literalBits, d.lengths[:literals], literal) ||
		!fill(d.distances[:], distanceBits, d.lengths[literals:literals+distances], distance) {
		return ErrCorrupt
	}
	return nil
}

// readLengths reads the sizes of the symbols of both alphabets, which stand there
// as a sizes and as repetitions.
func (d *decoder) readLengths(table []entry, lengths []uint8) error {
	for i := 0; i < len(lengths); {
		d.refill()
		e, ok := d.code(table, sizeBits)
		if !ok {
			return io.ErrUnexpectedEOF
		}
		if e == 0 {
			return ErrCorrupt
		}
		symbol := e.value()
		if symbol < 16 {
			lengths[i] = uint8(symbol) //nolint:gosec // below 16
			i++
			continue
		}
		last := uint8(0)
		if symbol == 16 {
			if i == 0 {
				return ErrCorrupt
			}
			last = lengths[i-1]
		}
		more, ok := d.next([]uint{2, 3, 7}[symbol-16])
		if !ok {
			return io.ErrUnexpectedEOF
		}
		more += []int{3, 3, 11}[symbol-16]
		if more > len(lengths)-i {
			return ErrCorrupt
		}
		for range more {
			lengths[i] = last
			i++
		}
	}
	return nil
}
