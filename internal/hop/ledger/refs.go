package ledger

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

const (
	// refPatience is how long a lock on one of our refs may be somebody's at work,
	// as when git packs refs.
	refPatience = 2 * time.Second
	refPoll     = 20 * time.Millisecond
)

// moveRefs changes refs of ours. The caller holds the ledger's lock, so a lock of
// git's on one of them that does not go away was left by a writer that ended, and
// is removed.
func (l *Ledger) moveRefs(ctx context.Context, updates []git.RefUpdate) error {
	for deadline := time.After(refPatience); ; {
		err := l.update(ctx, updates)
		if !fault.Is(err, git.CodeRefLocked) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			if err := l.removeLocks(updates); err != nil {
				return err
			}
			return l.update(ctx, updates)
		case <-time.After(refPoll):
		}
	}
}

// update makes one try. What removes a ref takes a lock that the user's git takes,
// too.
func (l *Ledger) update(ctx context.Context, updates []git.RefUpdate) error {
	removes := slices.ContainsFunc(updates, func(u git.RefUpdate) bool { return u.New.IsZero() })
	if !removes {
		return l.Git.UpdateRefs(ctx, updates)
	}
	return MoveMarked(ctx, l.Git, filepath.Join(l.Dir, "cache", "ledger"+MarkSuffix), updates)
}

// removeLocks removes what a writer left that was killed while it moved refs.
func (l *Ledger) removeLocks(updates []git.RefUpdate) error {
	for _, u := range updates {
		if !strings.HasPrefix(u.Name, "refs/hop/") {
			continue
		}
		lock := filepath.Join(l.Git.CommonDir(), filepath.FromSlash(u.Name)+".lock")
		if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return durable.Explain("remove", lock, err)
		}
	}
	return nil
}
