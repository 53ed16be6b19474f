package workspace

import (
	"context"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Create makes a workspace with the files of a commit, detached: of a parked one where
// one fits, else anew.
func Create(ctx context.Context, repo *git.Repository, l Layout, dir string, commit git.OID) error {
	if used, err := reuse(ctx, repo, l, dir, commit); used || err != nil {
		return err
	}
	_, err := repo.AddWorktree(ctx, dir, commit)
	return err
}

func removeCheckout(ctx context.Context, repo *git.Repository, dir string) error {
	w, err := open(ctx, repo, dir)
	if err != nil {
		return durable.RemoveAll(dir)
	}
	return w.Remove(ctx)
}

// Snapshot takes what a workspace holds, and the commit that it stands on.
func Snapshot(ctx context.Context, repo *git.Repository, l Layout, c Config, name, dir string) (git.Snapshot, git.OID, error) {
	w, err := open(ctx, repo, dir)
	if err != nil {
		return git.Snapshot{}, "", err
	}
	shot, err := take(ctx, repo, w, git.SnapshotOptions{Index: l.IndexFile(name), MaxFile: c.FileLimit()})
	if err != nil {
		return git.Snapshot{}, "", err
	}
	head, err := w.Head(ctx)
	return shot, head.Commit, err
}

// SnapshotRoot takes what the project's visible folder holds.
func SnapshotRoot(ctx context.Context, repo *git.Repository, l Layout, c Config) (git.Snapshot, error) {
	w, err := repo.Worktree()
	if err != nil {
		return git.Snapshot{}, err
	}
	return take(ctx, repo, w, git.SnapshotOptions{Index: l.IndexFile("root"), MaxFile: c.FileLimit()})
}

// open opens a working copy, joining it with its repository again where one of
// the two was moved.
func open(ctx context.Context, repo *git.Repository, dir string) (*git.Worktree, error) {
	w, err := repo.OpenWorktree(ctx, dir)
	if err == nil {
		return w, nil
	}
	all, listErr := repo.Worktrees(ctx)
	if listErr != nil {
		return nil, listErr
	}
	for _, candidate := range all {
		if !candidate.Missing {
			continue
		}
		if candidate.Repair(ctx, dir) == nil {
			return repo.OpenWorktree(ctx, dir)
		}
	}
	return nil, fault.From(err).WithHint("the folder is no working copy of this project any more; move it away, and hop resume makes it anew")
}

// Move has the head of a working copy stand on another commit, where movable says
// that it may leave the one it stands on. Files and index stay.
func Move(ctx context.Context, repo *git.Repository, dir string, to git.OID, movable func(head git.OID) (bool, error)) error {
	w, err := open(ctx, repo, dir)
	if err != nil {
		return err
	}
	head, err := w.Head(ctx)
	if err != nil || head.Branch != "" || head.Commit == to {
		return err
	}
	if ok, err := movable(head.Commit); err != nil || !ok {
		return err
	}
	return w.Detach(ctx, head.Commit, to)
}

// Remove removes a working copy with everything in it, and its private index.
func Remove(ctx context.Context, repo *git.Repository, l Layout, name, dir string) error {
	w, err := open(ctx, repo, dir)
	if err != nil {
		return err
	}
	if err := w.Remove(ctx); err != nil {
		return err
	}
	return durable.RemoveAll(l.IndexFile(name))
}

// Clear removes a workspace of which nobody has been told, also one that is no
// working copy yet.
func Clear(ctx context.Context, repo *git.Repository, l Layout, name, dir string) error {
	if err := removeCheckout(ctx, repo, dir); err != nil {
		return err
	}
	return durable.RemoveAll(l.IndexFile(name))
}

// Checkout makes the files of a workspace those of a tree. What is ignored
// stays.
func Checkout(ctx context.Context, repo *git.Repository, dir string, tree git.OID) error {
	w, err := open(ctx, repo, dir)
	if err != nil {
		return err
	}
	return w.Checkout(ctx, tree)
}
