package packs

import (
	"bytes"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestEmbeddedTreeIsAWellFormedFileSystem(t *testing.T) {
	if err := fstest.TestFS(FS(), "ledger/surface.json", "ledger/bin/ledger", "transit/HARNESS.md"); err != nil {
		t.Fatal(err)
	}
}

func TestEmbeddedTreeEqualsTheDirectories(t *testing.T) {
	onDisk := map[string]fs.FileInfo{}
	for _, id := range IDs() {
		walk(t, os.DirFS("."), id, func(name string, info fs.FileInfo) { onDisk[name] = info })
	}
	seen := 0
	for _, id := range IDs() {
		walk(t, FS(), id, func(name string, info fs.FileInfo) {
			seen++
			want, ok := onDisk[name]
			if !ok {
				t.Errorf("%s is embedded but not on disk", name)
				return
			}
			if info.IsDir() {
				return
			}
			a, _ := fs.ReadFile(FS(), name)
			b, err := os.ReadFile(name)
			if err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s differs from the file on disk (%v)", name, err)
			}
			if runtime.GOOS != "windows" && info.Mode().Perm()&0o111 != want.Mode().Perm()&0o111 {
				t.Errorf("%s: embedded mode %v, on disk %v", name, info.Mode(), want.Mode())
			}
		})
	}
	if seen != len(onDisk) {
		t.Errorf("%d names embedded, %d on disk: a name beginning with a dot or an underscore is dropped", seen, len(onDisk))
	}
}

func TestEveryPackDirectoryIsListed(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" {
			dirs = append(dirs, e.Name())
		}
	}
	if !slices.Equal(dirs, IDs()) {
		t.Fatalf("directories %v, ids %v", dirs, IDs())
	}
	if _, ok := Pack("nothing"); ok {
		t.Error("a pack that does not exist was returned")
	}
}

func TestExactlyTheScriptsAreExecutable(t *testing.T) {
	for _, id := range IDs() {
		walk(t, FS(), id, func(name string, info fs.FileInfo) {
			if info.IsDir() {
				return
			}
			script := strings.Contains(name, "/bin/") || strings.HasSuffix(name, ".sh")
			if got := info.Mode() == 0o755; got != script {
				t.Errorf("%s has mode %v", name, info.Mode())
			}
		})
	}
}

func TestACopyOfAPackRuns(t *testing.T) {
	needs(t, "sh", "od", "awk")
	pack, ok := Pack("transit")
	if !ok {
		t.Fatal("no transit pack")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, pack); err != nil {
		t.Fatal(err)
	}
	got := start(t, command{path: dir + "/bin/transit", args: []string{"find", "Central", "--json"}})
	if got.code != 0 || !strings.Contains(got.stdout, `"central"`) {
		t.Fatalf("%+v", got)
	}
}

func walk(t *testing.T, tree fs.FS, root string, visit func(name string, info fs.FileInfo)) {
	t.Helper()
	err := fs.WalkDir(tree, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		visit(name, info)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
