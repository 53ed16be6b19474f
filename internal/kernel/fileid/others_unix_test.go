//go:build !windows

package fileid

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFilesOfAnotherUserAreForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		owner, us int
		want      bool
	}{{7, 7, false}, {0, 7, false}, {8, 7, true}, {8, 0, true}, {0, 0, false}} {
		if got := foreign(c.owner, c.us); got != c.want {
			t.Errorf("a file of %d is foreign to %d: %v", c.owner, c.us, got)
		}
	}
	if OthersMayWrite(info) {
		t.Error("a file of our own is foreign")
	}
}
