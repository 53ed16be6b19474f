package record

import (
	"os"
	"testing"
)

func BenchmarkVerifyRun(b *testing.B) {
	dir := put(b, files(b))
	for b.Loop() {
		if _, err := VerifyRun(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// The time from before the driver to after it that goes into its record.
func BenchmarkRecord(b *testing.B) {
	run, result := recorded(b), ended(b)
	for b.Loop() {
		root := b.TempDir()
		d, err := Create(root, planID, run)
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Finish(result); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := os.RemoveAll(root); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
