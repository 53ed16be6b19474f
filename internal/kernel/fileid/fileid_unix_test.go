//go:build linux || darwin

package fileid

import (
	"os"
	"path/filepath"
	"testing"
)

// A program may set the time of modification back, and not the time of change.
func TestTimesThatWereSetBackDoNotBringAnIdentityBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	look := func() (Identity, os.FileInfo) {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return Of(info), info
	}
	if err := os.WriteFile(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	first, info := look()
	for {
		if err := os.WriteFile(path, []byte("two"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		now, _ := look()
		if now.Modified != first.Modified {
			t.Fatalf("the time of modification is %d, not %d", now.Modified, first.Modified)
		}
		if now != first {
			return
		}
	}
}

func TestLinksCountsTheNamesOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want := uint64(1); want < 3; want++ {
		info, err := os.Lstat(path)
		if err != nil || Links(info) != want {
			t.Fatalf("%d names instead of %d, %v", Links(info), want, err)
		}
		if err := os.Link(path, path+"2"); want == 1 && err != nil {
			t.Fatal(err)
		}
	}
}
