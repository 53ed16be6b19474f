package op

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

const (
	// lockPatience is how long a lock on a branch may be that of a git at work.
	lockPatience = 2 * time.Second
	lockPoll     = 20 * time.Millisecond
)

// moveRefs moves refs of the user's. A mark says for how long, so that locks
// which a killed process of ours left there are told from those of others: they
// are no older than a mark that nobody took away, and they stay.
func (p *Project) moveRefs(ctx context.Context, updates []git.RefUpdate) error {
	mark := p.Layout.MovingFile()
	killed, err := os.Stat(mark)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return durable.Explain("look for", mark, err)
	}
	if err != nil {
		killed = nil
		if err := durable.WriteFile(mark, nil, 0o600); err != nil {
			return err
		}
	}
	err = p.Repo.UpdateRefs(ctx, updates)
	if fault.Is(err, git.CodeRefLocked) && killed != nil {
		if err := p.outlive(ctx, updates, killed.ModTime()); err != nil {
			return err
		}
		err = p.Repo.UpdateRefs(ctx, updates)
	}
	if err != nil {
		return err
	}
	return durable.RemoveAll(mark)
}

// outlive waits until the locks are gone, and removes those that are not and were
// made since.
func (p *Project) outlive(ctx context.Context, updates []git.RefUpdate, since time.Time) error {
	for deadline := time.After(lockPatience); len(p.Repo.RefLocks(updates)) > 0; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPoll):
			continue
		case <-deadline:
		}
		for _, lock := range p.Repo.RefLocks(updates) {
			if info, err := os.Lstat(lock); err == nil && !info.ModTime().Before(since) {
				if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return durable.Explain("remove", lock, err)
				}
			}
		}
		return nil
	}
	return nil
}
