package fileid

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAPlaceSeesWhatAWholePathSees(t *testing.T) {
	dir := t.TempDir()
	for _, step := range []error{
		os.MkdirAll(filepath.Join(dir, "real", "folder"), 0o755),
		os.WriteFile(filepath.Join(dir, "real", "folder", "file"), []byte("text"), 0o640),
		os.Symlink("folder", filepath.Join(dir, "real", "link")),
		os.Symlink("real", filepath.Join(dir, "way")),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	p, err := OpenPlace(filepath.Join(dir, "way"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for path, folder := range map[string]bool{"folder": true, "folder/file": false, "link": false, "link/file": false} {
		info, err := os.Lstat(filepath.Join(dir, "real", path))
		if err != nil {
			t.Fatal(err)
		}
		if id, known := p.File(path); !known || id != Of(info) {
			t.Errorf("%s: %+v, want %+v", path, id, Of(info))
		}
		if id, known := p.Folder(path); known != folder || folder && id != Of(info) {
			t.Errorf("%s is a folder: %v", path, known)
		}
	}
	info, err := os.Stat(dir + "/way")
	if id, known := p.Folder("."); err != nil || !known || id != Of(info) {
		t.Errorf("the place itself is %+v, want %+v", id, Of(info))
	}
	if _, known := p.File("nothing"); known {
		t.Error("what is not there has an identity")
	}
	if _, err := OpenPlace(filepath.Join(dir, "real", "folder", "file")); err == nil {
		t.Error("a file is a place")
	}
}
