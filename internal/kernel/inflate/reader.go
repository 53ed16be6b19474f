package inflate

import "encoding/binary"

// reader gives out the bits of a stream, from the lowest of each byte up.
type reader struct {
	src []byte
	at  int // how much of src has gone into the buffer
	// buffer has the next bits, of which have count. Those above them are either
	// zero or what src has there: putting them in again changes nothing.
	buffer uint64
	have   uint
}

// refilled is how many bits there are at least after a refill, unless the stream
// ends before.
const refilled = 56

func (b *reader) refill() {
	if b.at+8 <= len(b.src) {
		b.buffer |= binary.LittleEndian.Uint64(b.src[b.at:]) << b.have
		b.at += int((63 - b.have) >> 3)
		b.have |= refilled
		return
	}
	for b.have <= refilled && b.at < len(b.src) {
		b.buffer |= uint64(b.src[b.at]) << b.have
		b.at++
		b.have += 8
	}
}

// next returns the next n bits, if there are so many.
func (b *reader) next(n uint) (value int, ok bool) {
	if b.have < n {
		return 0, false
	}
	value = int(b.buffer & (1<<n - 1))
	b.buffer >>= n
	b.have -= n
	return value, true
}

// code returns what a code says, without what is added to it. The code may lie in
// a second table.
func (b *reader) code(table []entry, first uint) (e entry, ok bool) {
	e = table[b.buffer&(1<<first-1)]
	if e.kind() == isTable {
		e = table[e.value()+int(b.buffer>>first&(1<<e.extra()-1))]
	}
	_, ok = b.next(e.size())
	return e, ok
}

// read fills p with whole bytes; the rest of the byte at hand is dropped.
func (b *reader) read(p []byte) bool {
	b.at -= int(b.have / 8)
	b.buffer, b.have = 0, 0
	n := copy(p, b.src[b.at:])
	b.at += n
	return n == len(p)
}
