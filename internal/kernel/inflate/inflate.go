// Package inflate unpacks zlib streams (RFC 1950, RFC 1951) that lie in memory as
// a whole into memory whose size is known: the objects of git.
//
// Invariants. No input makes it panic, read outside of its input, write outside of
// its output, or take memory or time that the two do not bound. What it returns
// without an error has the checksum that the stream names. It agrees with
// compress/zlib on every input, which a fuzz target holds it to, and takes less than
// half the time, because nothing has to survive a pause for more input.
package inflate

import (
	"encoding/binary"
	"errors"
	"hash/adler32"
	"io"
	"sync"
)

// ErrFull says that the stream unpacks to more than there is room for.
var ErrFull = errors.New("the stream unpacks to more bytes than expected")

// ErrCorrupt says that the bytes are no such stream. One that is cut short gives
// io.ErrUnexpectedEOF.
var ErrCorrupt = errors.New("the stream is damaged")

// Into unpacks the stream at the beginning of src and returns how many bytes of dst
// that fills. With ErrFull, dst is filled and the stream has more. What follows the
// stream is not looked at.
func Into(dst, src []byte) (int, error) {
	if len(src) < 2 {
		return 0, io.ErrUnexpectedEOF
	}
	head := binary.BigEndian.Uint16(src)
	const (
		method     = 8 << 8 // deflate, with a window of at most 32 KiB
		dictionary = 1 << 5
	)
	if head&0x0f00 != method || head>>12 > 7 || head%31 != 0 || head&dictionary != 0 {
		return 0, ErrCorrupt
	}
	d, _ := decoders.Get().(*decoder)
	if d == nil {
		d = &decoder{}
	}
	d.reader = reader{src: src[2:]}
	n, err := d.blocks(dst)
	if err == nil {
		err = d.sum(dst[:n])
	}
	d.src = nil
	decoders.Put(d)
	return n, err
}

// decoders are reused for their tables.
var decoders sync.Pool

// decoder has the codes of the block at hand.
type decoder struct {
	reader
	literals  [literalRoom]entry
	distances [distanceRoom]entry
	lengths   [fixedLiterals + fixedDistances]uint8 // of the codes that are being read
}

// blocks unpacks all blocks.
func (d *decoder) blocks(dst []byte) (n int, err error) {
	for last := false; !last; {
		d.refill()
		head, ok := d.next(3)
		if !ok {
			return n, io.ErrUnexpectedEOF
		}
		last = head&1 != 0
		switch head >> 1 {
		case 0:
			n, err = d.stored(dst, n)
		case 1:
			d.useFixed()
			n, err = d.coded(dst, n)
		case 2:
			if err = d.readCodes(); err == nil {
				n, err = d.coded(dst, n)
			}
		default:
			err = ErrCorrupt
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// stored copies a block that is not packed.
func (d *decoder) stored(dst []byte, n int) (int, error) {
	var head [4]byte
	if !d.read(head[:]) {
		return n, io.ErrUnexpectedEOF
	}
	size, check := binary.LittleEndian.Uint16(head[:]), binary.LittleEndian.Uint16(head[2:])
	if size != ^check {
		return n, ErrCorrupt
	}
	room := min(int(size), len(dst)-n)
	if !d.read(dst[n : n+room]) {
		return n, io.ErrUnexpectedEOF
	}
	if room < int(size) {
		return n + room, ErrFull
	}
	return n + room, nil
}

// sum compares the checksum behind the blocks.
func (d *decoder) sum(out []byte) error {
	var sum [4]byte
	if !d.read(sum[:]) {
		return io.ErrUnexpectedEOF
	}
	if binary.BigEndian.Uint32(sum[:]) != adler32.Checksum(out) {
		return ErrCorrupt
	}
	return nil
}
