package redact

import (
	"bytes"
	"testing"
)

func benchmarkClean(b *testing.B, size int, secret bool) {
	row := []byte(`{"id":"inv-4711","note":"two nights, berth \"14\"","amount":2.80,"url":"https:\/\/example.test\/a%20b"},` + "\n")
	text := bytes.Repeat(row, size/len(row))
	if secret {
		copy(text[size/2:], "tok-5f0c2b7e9a4d11")
	}
	c := NewCleaner(NewSecret("tok-5f0c2b7e9a4d11"), NewSecret("p@ss word/with \"quotes\""))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, n := c.Clean(text); (n > 0) != secret {
			b.Fatal(n)
		}
	}
}

func BenchmarkClean4KiB(b *testing.B)           { benchmarkClean(b, 4<<10, false) }
func BenchmarkClean1MiB(b *testing.B)           { benchmarkClean(b, 1<<20, false) }
func BenchmarkCleanWithSecret1MiB(b *testing.B) { benchmarkClean(b, 1<<20, true) }

func BenchmarkVisible(b *testing.B) {
	for b.Loop() {
		Visible("pay 2.80 to \"harbour fees\" for berth 14")
	}
}
