package journal

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// long returns the path of a journal of n lines, made in one go.
func long(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "audit.jsonl")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	must(b, err)
	w := bufio.NewWriterSize(f, 1<<20)
	var head Head
	var line []byte
	for i := range n {
		line = appendLine(line[:0], head, []byte(`{"at":"2026-03-01T10:00:00.000Z","command":"ledger.entry.add","n":`+strconv.Itoa(i)+`}`))
		head = Head{head.Seq + 1, hashOf(line)}
		_, err := w.Write(append(line, '\n'))
		must(b, err)
	}
	must(b, w.Flush())
	must(b, f.Close())
	return path
}

func benchmarkAppend(b *testing.B, lines int, how Durability) {
	j := open(b, long(b, lines), Options{})
	e := event{"2026-03-01T10:00:00.000Z", "ledger.entry.add", 7}
	for b.Loop() {
		if _, err := j.Append(b.Context(), e, how); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendTo10(b *testing.B)          { benchmarkAppend(b, 10, NoSync) }
func BenchmarkAppendTo1000000(b *testing.B)     { benchmarkAppend(b, 1_000_000, NoSync) }
func BenchmarkAppendSyncTo10(b *testing.B)      { benchmarkAppend(b, 10, Sync) }
func BenchmarkAppendSyncTo1000000(b *testing.B) { benchmarkAppend(b, 1_000_000, Sync) }

func BenchmarkReadLast20Of1000000(b *testing.B) {
	path := long(b, 1_000_000)
	for b.Loop() {
		if lines, err := Read(path, nil, 20); err != nil || len(lines) != 20 {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify100000(b *testing.B) {
	path := long(b, 100_000)
	for b.Loop() {
		if r, err := Verify(path); err != nil || r.Problem != nil || r.Lines != 100_000 {
			b.Fatal(err)
		}
	}
}
