package durable

import (
	"path/filepath"
	"testing"
)

func BenchmarkWriteFile(b *testing.B) {
	path := filepath.Join(b.TempDir(), "f")
	data := make([]byte, 4096)
	for b.Loop() {
		if err := WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLock(b *testing.B) {
	path := filepath.Join(b.TempDir(), "lock")
	for b.Loop() {
		unlock, err := Lock(b.Context(), path, "benchmark")
		if err != nil {
			b.Fatal(err)
		}
		unlock()
	}
}
