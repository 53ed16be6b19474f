package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bridle/packs"
)

// What every call pays, with few and with many packs in the store.
func BenchmarkVerify(b *testing.B) {
	for _, others := range []int{0, 200} {
		b.Run(fmt.Sprintf("beside %d packs", others), func(b *testing.B) {
			t := &testing.T{}
			s, err := Open(b.Context(), filepath.Join(b.TempDir(), "home"), Options{})
			if err != nil {
				b.Fatal(err)
			}
			dir := filepath.Join(b.TempDir(), "ledger")
			tree, _ := packs.Pack("ledger")
			if err := os.CopyFS(dir, tree); err != nil {
				b.Fatal(err)
			}
			for i := range others {
				id := fmt.Sprintf("pack-%d", i)
				if _, err := s.Install(b.Context(), wrapPack(id, "./bin/demo").write(t, filepath.Join(b.TempDir(), id)), InstallOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := s.Install(b.Context(), dir, InstallOptions{}); err != nil {
				b.Fatal(err)
			}
			if _, err := s.Activate(b.Context(), []string{"ledger"}, ActivateOptions{}); err != nil {
				b.Fatal(err)
			}
			time.Sleep(30 * time.Millisecond) // until the file system's clock has moved on
			for range 2 {
				if _, err := s.Verify(b.Context(), "ledger"); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				if _, err := s.Verify(b.Context(), "ledger"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What every process pays before it does anything.
func BenchmarkOpen(b *testing.B) {
	home := filepath.Join(b.TempDir(), "home")
	for b.Loop() {
		if _, err := Open(b.Context(), home, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
