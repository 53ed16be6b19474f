package op

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"bridle/internal/kernel/git"
)

// maxOverhead is what a checkpoint may add to the objects that changed.
const maxOverhead = 1 << 10

// objects are the files of objects of a repository, with their sizes.
func objects(t *testing.T, root string) map[string]int64 {
	t.Helper()
	sizes := map[string]int64{}
	err := filepath.WalkDir(filepath.Join(root, ".git", "objects"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sizes[path] = info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

// TestACheckpointCostsWhatChangedAndLittleMore compares the bytes of new objects
// with those of the files and folders that changed.
func TestACheckpointCostsWhatChangedAndLittleMore(t *testing.T) {
	files := map[string]string{}
	for n := range 400 {
		files[fmt.Sprintf("d%d/s%d/f%d.txt", n/100, n/10, n)] = fmt.Sprintf("file %d\n", n)
	}
	p, root := demo(t, files)
	ctx := context.Background()
	started, err := p.Prompt(ctx, "start", PromptRequest{Text: "work"})
	if err != nil {
		t.Fatal(err)
	}
	for _, changed := range []int{0, 1, 0, 2} {
		for n := range changed {
			put(t, started.Workspace, fmt.Sprintf("d%d/s%d/f%d.txt", n, n*10, n*100), fmt.Sprintf("changed %d of %d\n", n, changed))
		}
		before := objects(t, root)
		made, err := p.Checkpoint(ctx, started.Prompt.ID)
		if err != nil {
			t.Fatal(err)
		}
		ours := map[string]bool{} // files and folders
		reach(t, p, git.OID(made.SourceTree), root, ours)
		rest := int64(0)
		for path, size := range objects(t, root) {
			if _, old := before[path]; !old && !ours[path] {
				rest += size
			}
		}
		t.Logf("%d changed: %d bytes of objects beside them", changed, rest)
		if rest > maxOverhead {
			t.Errorf("%d changed files: %d bytes of objects beside those that changed, more than %d", changed, rest, maxOverhead)
		}
	}
}

// reach collects where the objects of a tree would lie.
func reach(t *testing.T, p *Project, tree git.OID, root string, into map[string]bool) {
	t.Helper()
	at := func(id git.OID) string { return filepath.Join(root, ".git", "objects", string(id[:2]), string(id[2:])) }
	into[at(tree)] = true
	entries, err := p.Repo.Tree(context.Background(), tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsTree() {
			reach(t, p, e.ID, root, into)
		}
		into[at(e.ID)] = true
	}
}
