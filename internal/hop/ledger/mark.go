package ledger

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/git"
)

// MarkSuffix ends the names of marks, which are all in one folder.
const MarkSuffix = ".moving"

// Marked does what takes locks that others than Hop take as well. A mark, a file of
// the caller's, says for how long, so that locks which a killed process of ours left
// are told from those of others: they are no older than a mark that nobody took
// away, and they stay. The caller lets nobody else use the mark meanwhile. Since some
// locks are taken for several purposes, any mark in the folder tells of them.
func Marked(ctx context.Context, mark string, locks func() []string, act func() error) error {
	since, killed, err := leftMark(filepath.Dir(mark))
	if err != nil {
		return err
	}
	if err := durable.MkdirAll(filepath.Dir(mark), 0o700); err != nil {
		return err
	}
	if err := durable.CreateFile(mark, nil, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	err = act()
	if err != nil && killed && len(locks()) > 0 {
		if err := Outlive(ctx, since, locks); err != nil {
			return err
		}
		err = act()
	}
	if errors.Is(err, git.ErrKilled) || leftBehind(mark, locks()) {
		return err // its locks are there, and the mark tells whose they are
	}
	return errors.Join(err, durable.RemoveAll(mark))
}

// leftBehind reports whether there is a lock that was made under the mark: git
// could not remove it.
func leftBehind(mark string, locks []string) bool {
	since, err := os.Lstat(mark)
	return err == nil && slices.ContainsFunc(locks, func(lock string) bool {
		info, err := os.Lstat(lock)
		return err == nil && !info.ModTime().Before(since.ModTime())
	})
}

// MoveMarked changes refs under a mark: the user's branches, and whatever is
// removed, which locks git's file of packed refs.
func MoveMarked(ctx context.Context, repo *git.Repository, mark string, updates []git.RefUpdate) error {
	return Marked(ctx, mark, func() []string { return repo.RefLocks(updates) }, func() error { return repo.UpdateRefs(ctx, updates) })
}

// leftMark looks for marks that nobody took away, and returns when the first was
// made.
func leftMark(dir string) (since time.Time, found bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return since, false, durable.Explain("look into", dir, err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != MarkSuffix {
			continue
		}
		info, err := e.Info()
		if err == nil && (!found || info.ModTime().Before(since)) {
			since, found = info.ModTime(), true
		}
	}
	return since, found, nil
}

// Outlive waits until locks are gone, and removes those that are not and were made
// since a process of ours that was killed began.
func Outlive(ctx context.Context, since time.Time, locks func() []string) error {
	for deadline := time.After(refPatience); len(locks()) > 0; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(refPoll):
			continue
		case <-deadline:
		}
		for _, lock := range locks() {
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
