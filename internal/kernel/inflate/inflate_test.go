package inflate_test

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"bridle/internal/kernel/inflate"
)

// packed is a stream of the standard library's.
func packed(tb testing.TB, level int, data []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, level)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// expected is what the standard library makes of a stream, up to a bound.
func expected(stream []byte, bound int) (out []byte, ok bool) {
	r, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		return nil, false
	}
	out, err = io.ReadAll(io.LimitReader(r, int64(bound)+1))
	return out, err == nil
}

// contents are kinds of data that make different blocks.
func contents() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 200_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	var text, skewed bytes.Buffer
	for text.Len() < 150_000 {
		fmt.Fprintf(&text, "w%d ", random.IntN(2000))
	}
	for i := range 200_000 { // symbols from very frequent to very rare make long codes
		skewed.WriteByte(byte(random.ExpFloat64() * 12))
		if i%5000 == 0 {
			skewed.Write(noise[i : i+3])
		}
	}
	return map[string][]byte{
		"nothing": nil, "one byte": {7}, "few": []byte("abc"), "runs": make([]byte, 100_000),
		"periods": []byte(strings.Repeat("abcdefg", 9000)), "noise": noise, "text": text.Bytes(), "skewed": skewed.Bytes(),
		"far": append(append(bytes.Clone(noise[:32_768]), noise[:300]...), noise[:32_000]...),
	}
}

func TestWhatWasPackedComesOut(t *testing.T) {
	for name, data := range contents() {
		for level := zlib.HuffmanOnly; level <= zlib.BestCompression; level++ {
			stream := packed(t, level, data)
			out := make([]byte, len(data))
			n, err := inflate.Into(out, append(stream, "what follows"...))
			if err != nil || n != len(data) || !bytes.Equal(out, data) {
				t.Fatalf("%s at level %d: %d of %d bytes, %v", name, level, n, len(data), err)
			}
		}
	}
}

func TestRoomIsNeverLeft(t *testing.T) {
	for name, data := range contents() {
		stream := packed(t, zlib.DefaultCompression, data)
		for _, room := range []int{0, 1, len(data) / 2, len(data) - 300, len(data) - 2, len(data) - 1} {
			if room < 0 || room >= len(data) {
				continue
			}
			out := make([]byte, room, len(data)+1)
			n, err := inflate.Into(out, stream)
			if n != room || !errors.Is(err, inflate.ErrFull) || !bytes.Equal(out, data[:room]) {
				t.Fatalf("%s into %d bytes: %d, %v", name, room, n, err)
			}
			if rest := out[room:cap(out)]; bytes.Count(rest, []byte{0}) != len(rest) {
				t.Fatalf("%s into %d bytes: it wrote behind them", name, room)
			}
		}
		if n, err := inflate.Into(make([]byte, len(data)+10), stream); n != len(data) || err != nil {
			t.Fatalf("%s with room to spare: %d, %v", name, n, err)
		}
	}
}

func TestEveryCutAndEveryFlippedBitIsSeen(t *testing.T) {
	for name, data := range contents() {
		data = data[:min(len(data), 1000)]
		for _, level := range []int{zlib.NoCompression, zlib.BestSpeed, zlib.BestCompression, zlib.HuffmanOnly} {
			stream := packed(t, level, data)
			out := make([]byte, len(data)+1)
			for end := range stream {
				if _, err := inflate.Into(out, stream[:end]); err == nil {
					t.Fatalf("%s at level %d: %d of %d bytes are taken for all", name, level, end, len(stream))
				}
			}
			for bit := range 8 * min(len(stream), 100) {
				agree(t, flipped(stream, bit))
			}
		}
	}
}

func flipped(stream []byte, bit int) []byte {
	out := bytes.Clone(stream)
	out[bit/8] ^= 1 << (bit % 8)
	return out
}

// agree compares with the standard library.
func agree(t *testing.T, stream []byte) {
	t.Helper()
	const bound = 1 << 17
	want, ok := expected(stream, bound)
	out := make([]byte, bound)
	n, err := inflate.Into(out, stream)
	switch {
	case len(want) > bound:
		if err == nil || n != bound || !bytes.Equal(out, want[:bound]) {
			t.Fatalf("%x: %d bytes of more than %d, %v", stream, n, bound, err)
		}
	case ok != (err == nil) || ok && !bytes.Equal(out[:n], want):
		t.Fatalf("%x: %d bytes, %v; the standard library: %d bytes, %v", stream, n, err, len(want), ok)
	}
}

// TestStreamsThatNoPackerMakes are codes that lack something or have too much.
func TestStreamsThatNoPackerMakes(t *testing.T) {
	for name, stream := range map[string]string{
		"empty":                       "",
		"a head alone":                "789c",
		"another method":              "779c0300000001",
		"a dictionary":                "78bb0300000001",
		"a wrong head":                "789d0300000001",
		"a reserved block":            "789c0700000001",
		"an empty fixed block":        "789c030000000001",
		"a wrong checksum":            "789c030000000002",
		"a stored block, badly sized": "789c010100000061",
		"a distance before the start": "789c030200000001",
		"no codes at all":             "789c05c00000000000001000",
		"286 lengths of nothing":      "789cedfd0000000000000000",
	} {
		data, err := hex.DecodeString(stream)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { agree(t, data) })
	}
}

func FuzzAgreesWithTheStandardLibrary(f *testing.F) {
	for _, data := range contents() {
		for _, level := range []int{zlib.NoCompression, zlib.BestSpeed, zlib.BestCompression, zlib.HuffmanOnly} {
			f.Add(packed(f, level, data[:min(len(data), 2000)]))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		agree(t, stream)
		// A damaged checksum hides what is before it.
		agree(t, append([]byte{0x78, 0x9c}, stream...))
	})
}

func BenchmarkInto(b *testing.B) {
	for _, size := range []int{300, 3000, 100_000} {
		data := contents()["text"][:size]
		stream := packed(b, zlib.DefaultCompression, data)
		out := make([]byte, len(data))
		b.Run(fmt.Sprintf("%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := inflate.Into(out, stream); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%d, standard library", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			var r io.ReadCloser
			for b.Loop() {
				var err error
				if r == nil {
					r, err = zlib.NewReader(bytes.NewReader(stream))
				} else {
					err = r.(zlib.Resetter).Reset(bytes.NewReader(stream), nil)
				}
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(r, out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
