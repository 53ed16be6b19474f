package ledger

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Purging returns the purge whose objects are still to be erased, and whether
// there is one.
func (l *Ledger) Purging(ctx context.Context) (Purged, bool, error) {
	if !l.PurgeLeft() {
		return Purged{}, false, nil
	}
	unlock, err := l.lock(ctx, "purge")
	if err != nil {
		return Purged{}, false, err
	}
	defer unlock()
	moved, err := l.completePurge(ctx)
	if err == nil && moved {
		err = l.reindex(ctx)
	}
	if err != nil {
		return Purged{}, false, err
	}
	_, purged, err := l.markedPurge(ctx)
	if err != nil || purged == nil {
		return Purged{}, false, err
	}
	return *purged, true, nil
}

// markedPurge is the purge that purgingRef names, if there is one.
func (l *Ledger) markedPurge(ctx context.Context) (git.OID, *Purged, error) {
	at, open, err := l.Git.Ref(ctx, purgingRef)
	if err != nil || !open {
		return "", nil, err
	}
	t, err := readTransaction(ctx, l.Git, at)
	if err != nil {
		return "", nil, err
	}
	for _, r := range t.Records {
		if r.Purged != nil {
			return at, r.Purged, nil
		}
	}
	return "", nil, fault.Newf(CodeBadRecord, "the ref %q does not name a purge", purgingRef)
}

// completePurge moves the refs that a purge which was cut short did not come to,
// and reports whether there were any. The caller holds the lock.
func (l *Ledger) completePurge(ctx context.Context) (moved bool, err error) {
	tip, purged, err := l.markedPurge(ctx)
	if err != nil || purged == nil {
		return false, err
	}
	t, err := readTransaction(ctx, l.Git, tip)
	if err != nil {
		return false, err
	}
	now := map[git.OID]git.OID{}
	for _, r := range purged.Objects {
		if r.Kind == git.KindCommit {
			now[git.OID(r.Old)] = git.OID(r.New)
		}
	}
	refs, err := l.Git.Refs(ctx, Prefix)
	if err != nil {
		return false, err
	}
	var updates []git.RefUpdate
	for _, ref := range refs {
		to := cmp.Or(now[ref.ID], ref.ID)
		if ref.Name == projectRef && string(to) == t.Prev {
			to = tip
		}
		if _, _, foreign := ParseMachineRef(ref.Name); !foreign && to != ref.ID {
			updates = append(updates, git.RefUpdate{Name: ref.Name, Old: ref.ID, New: to})
		}
	}
	return len(updates) > 0, l.moveRefs(ctx, updates)
}

// PurgeLeft reports at next to no cost whether there is one.
func (l *Ledger) PurgeLeft() bool {
	_, err := os.Lstat(filepath.Join(l.Git.CommonDir(), filepath.FromSlash(purgingRef)))
	return err == nil
}

// EndPurge says that the purge's objects are erased.
func (l *Ledger) EndPurge(ctx context.Context) error {
	unlock, err := l.lock(ctx, "purge")
	if err != nil {
		return err
	}
	defer unlock()
	at, open, err := l.Git.Ref(ctx, purgingRef)
	if err != nil || !open {
		return err
	}
	return l.moveRefs(ctx, []git.RefUpdate{{Name: purgingRef, Old: at}})
}
