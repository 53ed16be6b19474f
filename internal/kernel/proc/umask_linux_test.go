package proc_test

import (
	"io/fs"
	"syscall"
	"testing"

	"bridle/internal/kernel/proc"
)

func TestUmaskIsToldAndStays(t *testing.T) {
	before := syscall.Umask(0o027)
	defer syscall.Umask(before)
	for range 2 {
		if mask, ok := proc.Umask(); !ok || mask != fs.FileMode(0o027) {
			t.Errorf("%v, %v", mask, ok)
		}
	}
}
