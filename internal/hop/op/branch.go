package op

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/git"
)

// moveRefs moves refs of the user's, or others that are no part of the ledger; what
// tells them apart from those that may be moved at the same time.
func (p *Project) moveRefs(ctx context.Context, what string, updates []git.RefUpdate) error {
	return ledger.MoveMarked(ctx, p.Repo, p.Layout.MovingFile(what), updates)
}

// moveIndex brings the user's index to another commit, also where a sync that was
// killed left it locked.
func (p *Project) moveIndex(ctx context.Context, w *git.Worktree, from, to git.OID) error {
	return ledger.Marked(ctx, p.Layout.MovingFile("index"), lockOf(w, "index"), func() error { return w.MoveIndex(ctx, from, to) })
}

// freeHead removes a lock on the head of a workspace that the killed command left
// whose file of what it was at is given. The caller holds the workspace's lock.
func (p *Project) freeHead(ctx context.Context, dir, left string) error {
	info, err := os.Stat(left)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return durable.Explain("look at", left, err)
	}
	w, err := p.Repo.OpenWorktree(ctx, dir)
	if err != nil {
		return err
	}
	return ledger.Outlive(ctx, info.ModTime(), lockOf(w, "HEAD"))
}

// lockOf is git's lock on a file of a working copy, while it is there.
func lockOf(w *git.Worktree, file string) func() []string {
	path := filepath.Join(w.GitDir(), file+".lock")
	return func() []string {
		if _, err := os.Lstat(path); err != nil {
			return nil
		}
		return []string{path}
	}
}
