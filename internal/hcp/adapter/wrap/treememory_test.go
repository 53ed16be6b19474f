package wrap

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bridle/internal/kernel/fileid"
)

// A search from memory finds exactly what one without finds, whatever happened to
// the tree in between.
func TestSearchFromMemoryFindsWhatOneWithoutFinds(t *testing.T) {
	base := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		root := filepath.Join(base, fmt.Sprint(runs))
		dirs := []string{"a", "a/b", "a/b/c", "d", "d/e", "f"}
		for _, dir := range dirs {
			must(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
		}
		first := newTreeMemory()
		first.search(nil, root, ".git", maxWalked)
		first.taken += int64(time.Hour) // all that was seen has settled
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			at := filepath.Join(root, rapid.SampledFrom(dirs).Draw(t, "at"))
			switch rapid.SampledFrom([]string{"repository", "bare", "file", "remove", "move", "link"}).Draw(t, "what") {
			case "repository":
				_ = os.Mkdir(filepath.Join(at, ".git"), 0o755)
			case "bare":
				for _, name := range []string{"HEAD", "objects", "refs"} {
					_ = os.Mkdir(filepath.Join(at, name), 0o755)
				}
			case "file":
				_ = os.WriteFile(filepath.Join(at, ".GIT"), nil, 0o644)
			case "remove":
				_ = os.RemoveAll(at)
			case "move":
				_ = os.Rename(at, filepath.Join(root, "moved"))
			case "link":
				_ = os.RemoveAll(at)
				_ = os.Symlink(root, at)
			}
		}
		// What was seen within a tick of a change is not trusted, so it may not be
		// made older than it is.
		first.taken = min(first.taken, newTreeMemory().taken)
		want, _ := newTreeMemory().search(nil, root, ".git", maxWalked)
		got, _ := newTreeMemory().search(first, root, ".git", maxWalked)
		if !slices.Equal(got, want) {
			t.Fatalf("found %q, want %q", got, want)
		}
	})
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

func TestMemorySurvivesItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tree")
	m := newTreeMemory()
	m.fresh = true
	m.dirs["."] = seenDir{id: fileid.Identity{Device: 1, Inode: 1 << 63, Size: -1, Mode: 1 << 31, Modified: -5, Changed: 7}, entries: 3, git: []string{".git"}, dirs: []string{"a\nb", "c"}}
	m.dirs["a\nb"] = seenDir{repository: true}
	m.save(file)
	back := loadTree(file)
	if back == nil || back.taken != m.taken || !reflect.DeepEqual(back.dirs, m.dirs) {
		t.Fatalf("%+v", back)
	}
}

func FuzzMemoryOfATree(f *testing.F) {
	f.Add([]byte("tree 1\x005\x00.\x001\x002\x003\x004\x005\x006\x007\x000\x000\x001\x00a\x00"))
	f.Add([]byte("tree 1\x005\x00.\x001\x00"))
	f.Add([]byte("tree 2\x00"))
	f.Add([]byte("tree 1\x001\x00.\x001\x002\x003\x004\x005\x006\x007\x000\x0099999999999\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "tree")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		m := loadTree(file)
		if m == nil {
			return
		}
		m.fresh = true
		m.save(file)
		if back := loadTree(file); back == nil || !reflect.DeepEqual(back.dirs, m.dirs) {
			t.Fatalf("%+v became %+v", m.dirs, back)
		}
	})
}
