package snapshot_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/hound/snapshot"
)

// mapping is a file's first page as a process has it that may write: its second
// store into a page moves no time of the file's.
type mapping struct{ page []byte }

func (r *repo) mapped(t *testing.T, path string) mapping {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(r.dir, path), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	page, err := unix.Mmap(int(file.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(page) })
	m := mapping{page}
	m.store() // the first store moves them
	m.store()
	return m
}

// store changes the first byte, or puts it back.
func (m mapping) store() { m.page[0] ^= 1 }

func TestParanoidLooksReadWhatSeemsUnmoved(t *testing.T) {
	r := newRepo(t)
	r.sh(`echo ten > mapped; git add mapped; git commit -qm mapped`)
	file := r.mapped(t, "mapped")
	r.aged(t)
	r.o.Paranoid = true
	before := r.take(nil)
	if changes := snapshot.Compare(before, r.take(before)); len(changes) != 0 {
		t.Fatalf("%v without a change", changes)
	}
	file.store()
	changes := snapshot.Compare(before, r.take(before))
	if !slices.ContainsFunc(changes, func(c snapshot.Change) bool { return c.Path == "mapped" }) {
		t.Errorf("the change of a mapped file is not among %v", changes)
	}
}

func TestParanoidLooksCheckObjectsThatSeemUnmoved(t *testing.T) {
	r := newRepo(t)
	id := strings.TrimSpace(r.sh(`echo ten > mapped; git add mapped; git commit -qm mapped; chmod -R u+w .git/objects; git rev-parse HEAD:mapped`))
	object := r.mapped(t, filepath.Join(".git", "objects", id[:2], id[2:]))
	r.aged(t)
	r.o.Paranoid = true
	before := r.take(nil)
	if before.Integrity() != nil {
		t.Fatal(before.Integrity())
	}
	if again := r.take(before); again.Integrity() != nil || len(snapshot.Compare(before, again)) != 0 {
		t.Fatalf("%v without a change", again.Integrity())
	}
	object.store()
	after := r.take(before)
	if after.Integrity() == nil || len(snapshot.Compare(before, after)) == 0 {
		t.Error("a damaged object is not seen")
	}
	object.store()
	if again := r.take(after); again.Integrity() != nil {
		t.Errorf("a mended store is damaged: %v", again.Integrity())
	}
}
