package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// SnapshotOptions say how a snapshot is taken.
type SnapshotOptions struct {
	// Index is the private index of this working tree: a file of ours that
	// remembers what the last snapshot saw. It is made when it is not there.
	Index string
	// Exclude are paths from the root that are left as the index has them, with
	// what is below them.
	Exclude []string
	// MaxFile is the size above which a file is not taken; 0 is no limit.
	MaxFile int64
}

// Snapshot is what a working tree holds, as a tree.
type Snapshot struct {
	// Tree has all files that are not ignored, and the tracked ones that are.
	Tree OID
	// Problems are the paths that could not be taken as they are.
	Problems []Problem
	Stats    SnapshotStats
}

// Problem is a path that a snapshot lacks or has in an older form.
type Problem struct{ Path, Reason string }

// SnapshotStats count what a snapshot cost.
type SnapshotStats struct {
	Files  int // in the tree
	Hashed int // whose content was read
}

// Snapshot stores the files of the working tree, durably.
func (w *Worktree) Snapshot(ctx context.Context, o SnapshotOptions) (Snapshot, error) {
	if err := w.seedIndex(o.Index); err != nil {
		return Snapshot{}, err
	}
	env := []string{"GIT_INDEX_FILE=" + o.Index, "GIT_LITERAL_PATHSPECS=0"}
	args := []string{"add", "--all", "--", ":(top)"}
	for _, path := range o.Exclude {
		args = append(args, ":(top,exclude,literal)"+path)
	}
	if _, _, err := w.git(ctx, job{args: args, env: env}); err != nil {
		return Snapshot{}, err
	}
	out, _, err := w.git(ctx, job{args: []string{"write-tree"}, env: env})
	if err != nil {
		return Snapshot{}, err
	}
	return Snapshot{Tree: OID(strings.TrimSpace(string(out)))}, nil
}

// seedIndex begins a private index with what the working tree's own knows.
func (w *Worktree) seedIndex(path string) error {
	if !filepath.IsAbs(path) {
		return fault.Newf(fault.CodeInternal, "the private index %q is not absolute", path)
	}
	// A lock on a private index is ours; who used it is gone.
	if err := os.Remove(path + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return durable.Explain("unlock", path, err)
	}
	if exists(path) {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(w.gitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(filepath.Join(w.gitDir, "index"), err)
	}
	return durable.WriteFile(path, data, 0o600)
}

// Checkout makes the files of the working tree those of a tree. Files that
// differ are replaced and files that are neither in the tree nor ignored are
// removed, whatever they hold; ignored ones stay.
func (w *Worktree) Checkout(ctx context.Context, tree OID) error {
	tree, err := w.repo.treeOf(ctx, tree)
	if err != nil {
		return err
	}
	parallel := []string{"checkout.workers=0"}
	if _, _, err := w.git(ctx, job{args: []string{"read-tree", "--reset", "-u", string(tree)}, extra: parallel}); err != nil {
		return err
	}
	_, _, err = w.git(ctx, job{args: []string{"clean", "-ffdq"}})
	return err
}

// Verify returns how the working tree differs from a tree, the tree being the
// older side.
func (w *Worktree) Verify(ctx context.Context, tree OID) ([]Change, error) {
	s, err := w.Snapshot(ctx, SnapshotOptions{Index: filepath.Join(w.gitDir, "index.verify")})
	if err != nil {
		return nil, err
	}
	return w.repo.Diff(ctx, tree, s.Tree)
}
