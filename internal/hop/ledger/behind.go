package ledger

import (
	"context"

	"bridle/internal/hop/graph"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// An index can be older than git: a copy of it was put back, or its log was removed
// after a crash. The accepted line tells, since its ref is then ahead. What git has
// beyond the index is taken in from all refs of this machine, oldest first. Nothing
// goes away: a ref that is gone, or that does not go on from what the index knows,
// is left to the doctor.

// followGit takes in what git has and the index does not, where the accepted line
// shows that there is something. The caller holds the lock, and has settled what
// other writers left.
func (l *Ledger) followGit(ctx context.Context) error {
	if same, err := l.atTip(ctx); err != nil || same {
		return err
	}
	all, err := l.beyond(ctx)
	if err != nil {
		return err
	}
	for _, f := range all {
		err := l.take(ctx, f.Transaction, f.ref, string(f.commit))
		if fault.Is(err, graph.CodeIllegal) {
			return fault.Newf(CodeDiverged, "the index is older than the records in git, and cannot follow them").Because(err).
				WithHint("hop doctor --repair brings index and refs together").WithNext("hop doctor --repair")
		}
		if err != nil {
			return err
		}
	}
	if same, err := l.atTip(ctx); err != nil || !same {
		if err == nil {
			err = diverged(projectRef)
		}
		return err
	}
	_, err = l.HealAccepted(ctx)
	return err
}

// followGitIfFree is followGit for those who only look, unless a writer is at work:
// then the difference is that writer's. What hinders it is told to who writes, and
// the index is looked at as it is.
func (l *Ledger) followGitIfFree(ctx context.Context) error {
	err := l.tryToFollow(ctx)
	if isStuck(err) || ctx.Err() != nil {
		return err
	}
	return nil //nolint:nilerr // what is recorded can be looked at
}

func (l *Ledger) tryToFollow(ctx context.Context) error {
	if same, err := l.atTip(ctx); err != nil || same {
		return err
	}
	unlock, free, err := durable.TryLock(l.lockPath(), "hop, following git")
	if err != nil || !free {
		return err
	}
	defer unlock()
	if err := l.settle(ctx); err != nil {
		return err
	}
	return l.followGit(ctx)
}

// atTip reports whether the index knows what the accepted line's ref names. A ref
// that is gone says nothing.
func (l *Ledger) atTip(ctx context.Context) (bool, error) {
	tip, found, err := l.Git.Ref(ctx, projectRef)
	if err != nil || !found {
		return true, err
	}
	known, err := l.indexedRef(ctx, projectRef)
	return string(tip) == known, err
}

// beyond returns the transactions that this machine's refs have beyond what the
// index knows of them, in their order.
func (l *Ledger) beyond(ctx context.Context) ([]found, error) {
	refs, err := l.Git.Refs(ctx, Prefix)
	if err != nil {
		return nil, err
	}
	var all []found
	for _, ref := range refs {
		if _, _, foreign := ParseMachineRef(ref.Name); foreign {
			continue
		}
		known, err := l.indexedRef(ctx, ref.Name)
		if err != nil {
			return nil, err
		}
		more, err := l.chain(ctx, ref, git.OID(known))
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	inOrder(all)
	return all, nil
}

// chain returns the transactions of a ref behind the one that is known, or none
// where the ref does not go on from that.
func (l *Ledger) chain(ctx context.Context, ref git.Ref, known git.OID) ([]found, error) {
	var more []found
	for at := ref.ID; at != known; {
		if at == "" {
			return nil, nil
		}
		t, err := readTransaction(ctx, l.Git, at)
		if err != nil {
			return nil, err
		}
		more = append(more, found{Transaction: t, ref: ref.Name, commit: at})
		at = git.OID(t.Prev)
	}
	return more, nil
}
