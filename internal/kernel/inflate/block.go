package inflate

import (
	"encoding/binary"
	"io"
)

// coded unpacks a block of literals and of repetitions of what came before, until
// its end. fast does most of it; here is everything that is near an end, or wrong.
func (d *decoder) coded(dst []byte, n int) (int, error) {
	for {
		n = d.fast(dst, n)
		d.refill()
		e, ok := d.code(d.literals[:], literalBits)
		if !ok {
			return n, io.ErrUnexpectedEOF
		}
		switch e.kind() {
		case isLiteral:
			if n == len(dst) {
				return n, ErrFull
			}
			dst[n] = byte(e.value())
			n++
		case isBase:
			var err error
			if n, err = d.repeat(dst, n, e); err != nil {
				return n, err
			}
		case isEnd:
			return n, nil
		default:
			return n, ErrCorrupt
		}
	}
}

// repeat copies what stands a distance back; e is the length, of which what is
// added has not been read.
func (d *decoder) repeat(dst []byte, n int, e entry) (int, error) {
	more, ok := d.next(e.extra())
	length := e.value() + more
	d.refill()
	f, found := d.code(d.distances[:], distanceBits)
	if !ok || !found {
		return n, io.ErrUnexpectedEOF
	}
	if f.kind() != isBase {
		return n, ErrCorrupt
	}
	more, ok = d.next(f.extra())
	back := f.value() + more
	switch {
	case !ok:
		return n, io.ErrUnexpectedEOF
	case back > n:
		return n, ErrCorrupt
	case length > len(dst)-n:
		return copyBack(dst, n, back, len(dst)-n), ErrFull
	}
	return copyBack(dst, n, back, length), nil
}

// copyBack appends so many bytes that stand a distance back, where those that it
// appends may be among them: each round then has twice as much to copy from.
func copyBack(dst []byte, n, back, length int) int {
	for end := n + length; n < end; back *= 2 {
		n += copy(dst[n:end], dst[n-back:n])
	}
	return n
}

// fast unpacks as long as nothing can run out and everything is as it should be.
// Where it stops, not even the next code has been taken.
func (d *decoder) fast(dst []byte, n int) int {
	const (
		literalMask, distanceMask = 1<<literalBits - 1, 1<<distanceBits - 1
		input, output             = 16, 3 // what a round may take without looking
	)
	src, at, buffer, have := d.src, d.at, d.buffer, d.have
	for at+input <= len(src) && n+output <= len(dst) {
		buffer |= binary.LittleEndian.Uint64(src[at:]) << (have & 63)
		at += int((63 - have) >> 3)
		have |= refilled
		e := d.literals[buffer&literalMask]
		for left := output; left > 0 && e.kind() == isLiteral; left-- {
			dst[n] = byte(e.value())
			n++
			buffer >>= e.size()
			have -= e.size()
			e = d.literals[buffer&literalMask]
		}
		if e.kind() == isLiteral {
			continue
		}
		// The longest repetition has 48 bits.
		buffer |= binary.LittleEndian.Uint64(src[at:]) << (have & 63)
		at += int((63 - have) >> 3)
		have |= refilled
		if e.kind() == isTable {
			e = d.literals[(e.value()+int(buffer>>literalBits&(1<<e.extra()-1)))%literalRoom]
		}
		if e.kind() == isLiteral {
			if n == len(dst) {
				break
			}
			dst[n] = byte(e.value())
			n++
			buffer >>= e.size()
			have -= e.size()
			continue
		}
		if e.kind() != isBase {
			break
		}
		ahead := buffer >> e.size()
		length := e.value() + int(ahead&(1<<e.extra()-1))
		ahead >>= e.extra()
		f := d.distances[ahead&distanceMask]
		if f.kind() == isTable {
			f = d.distances[(f.value()+int(ahead>>distanceBits&(1<<f.extra()-1)))%distanceRoom]
		}
		ahead >>= f.size()
		back := f.value() + int(ahead&(1<<f.extra()-1))
		if f.kind() != isBase || back > n || length > len(dst)-n {
			break
		}
		buffer = ahead >> f.extra()
		have -= e.size() + e.extra() + f.size() + f.extra()
		if back < 8 || length > len(dst)-n-8 {
			n = copyBack(dst, n, back, length)
			continue
		}
		// Most repetitions are short. What this writes behind one is written again.
		from, to := dst[n-back:], dst[n:n+length+8]
		for i := 0; i < length; i += 8 {
			binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(from[i:]))
		}
		n += length
	}
	d.at, d.buffer, d.have = at, buffer, have
	return n
}
