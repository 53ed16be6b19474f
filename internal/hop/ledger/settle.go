package ledger

import (
	"context"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// An intent is left when a writer ended between announcing a transaction and
// taking it into the index.
type intent struct{ id, ref, old, new, accepted string }

func (l *Ledger) intents(ctx context.Context) ([]intent, error) {
	rows, err := l.db.QueryContext(ctx, `SELECT id, ref, old, new, accepted FROM intents ORDER BY id`)
	if err != nil {
		return nil, unreadable(err)
	}
	defer rows.Close()
	var out []intent
	for rows.Next() {
		var i intent
		if err := rows.Scan(&i.id, &i.ref, &i.old, &i.new, &i.accepted); err != nil {
			return nil, unreadable(err)
		}
		out = append(out, i)
	}
	if err := rows.Err(); err != nil {
		return nil, unreadable(err)
	}
	return out, nil
}

// settleIfFree settles what a crash left, unless a writer is at work: then the
// intent is that writer's.
func (l *Ledger) settleIfFree(ctx context.Context) error {
	left, err := l.intents(ctx)
	if err != nil || len(left) == 0 {
		return err
	}
	unlock, free, err := durable.TryLock(l.lockPath(), "hop, after a crash")
	if err != nil || !free {
		return err
	}
	defer unlock()
	return l.settle(ctx)
}

// settle brings the index up to what git has for every ref that an intent names.
// The caller holds the lock, so no intent belongs to anyone alive.
func (l *Ledger) settle(ctx context.Context) error {
	left, err := l.intents(ctx)
	if err != nil {
		return err
	}
	for _, i := range left {
		if err := l.settleOne(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (l *Ledger) settleOne(ctx context.Context, i intent) error {
	if i.ref == machinesPrefix {
		if _, err := l.completePurge(ctx); err != nil {
			return err
		}
		return l.reindex(ctx)
	}
	if err := l.CatchUp(ctx, i.ref); err != nil {
		return err
	}
	if i.accepted != "" {
		if _, err := l.HealAccepted(ctx); err != nil {
			return err
		}
	}
	if _, err := l.db.ExecContext(ctx, `DELETE FROM intents WHERE id = ?`, i.id); err != nil {
		return unreadable(err)
	}
	return nil
}

// CatchUp takes transactions into the index that a ledger ref has and the index
// does not. A ref that went back or elsewhere is ledger_diverged. The caller
// holds the lock, or is alone.
func (l *Ledger) CatchUp(ctx context.Context, ref string) error {
	known, err := l.indexedRef(ctx, ref)
	if err != nil {
		return err
	}
	tip, found, err := l.Git.Ref(ctx, ref)
	if err != nil || !found || string(tip) == known {
		return err
	}
	var missing []*Transaction
	var commits []git.OID
	for at := tip; string(at) != known; {
		if at == "" {
			return diverged(ref)
		}
		t, err := readTransaction(ctx, l.Git, at)
		if err != nil {
			return err
		}
		missing, commits = append(missing, t), append(commits, at)
		at = git.OID(t.Prev)
	}
	for n := len(missing) - 1; n >= 0; n-- {
		if err := l.take(ctx, missing[n], ref, string(commits[n]), ""); err != nil {
			return err
		}
	}
	return nil
}

func diverged(ref string) error {
	return fault.Newf(CodeDiverged, "the ref %q does not continue what the index knows", ref).
		WithHint("somebody moved it; hop doctor --repair brings index and refs together").WithNext("hop doctor --repair")
}

// HealAccepted makes the accepted ref say what the ledger says, and reports
// whether it had said something else.
func (l *Ledger) HealAccepted(ctx context.Context) (healed bool, err error) {
	head, err := l.Accepted(ctx)
	if err != nil {
		return false, err
	}
	now, _, err := l.Git.Ref(ctx, AcceptedRef)
	if err != nil || string(now) == head.State.GitCommit {
		return false, err
	}
	return true, l.moveRefs(ctx, []git.RefUpdate{{Name: AcceptedRef, Old: now, New: git.OID(head.State.GitCommit)}})
}
