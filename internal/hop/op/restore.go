package op

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/git"
)

// Restore makes the workspace of an attempt hold what a state has: the attempt of
// the state into, or of the state itself. What the workspace held is recorded
// first, so nothing is lost. Files that git ignores stay.
func (p *Project) Restore(ctx context.Context, id, into string) (hop.Checkpointed, error) {
	entry, err := p.State(ctx, id)
	if err != nil {
		return hop.Checkpointed{}, err
	}
	if into == "" {
		into = id
	}
	_, attempt, err := p.stateOfAttempt(ctx, into)
	if err != nil {
		return hop.Checkpointed{}, err
	}
	unlock, err := p.lockWorkspace(ctx, attempt.ID, "restore")
	if err != nil {
		return hop.Checkpointed{}, err
	}
	defer unlock()
	if _, err := p.checkpoint(ctx, attempt); err != nil {
		return hop.Checkpointed{}, err
	}
	facts, err := p.derivation(ctx, entry)
	if err != nil {
		return hop.Checkpointed{}, err
	}
	return p.rewriteWorkspace(ctx, "restore", attempt, git.OID(entry.State.SourceTree), facts)
}

// derivation says from which accepted work a state's tree derives, for a state
// that takes the tree over.
func (p *Project) derivation(ctx context.Context, e ledger.Entry) (hop.Facts, error) {
	if e.State.Kind == hop.KindAccepted {
		return hop.Facts{BaseTree: e.State.SourceTree, BaseState: e.State.ID}, nil
	}
	work, err := p.ownWork(ctx, e.State)
	if err != nil {
		return hop.Facts{}, err
	}
	if work.ID != e.State.ID {
		// A composed tree derives from what it was composed with.
		accepted, err := p.State(ctx, e.State.CanonicalAnchorID)
		return hop.Facts{BaseTree: accepted.State.SourceTree, BaseState: accepted.State.ID}, err
	}
	tree, state, err := p.landingBase(ctx, e.State)
	return hop.Facts{BaseTree: string(tree), BaseState: state}, err
}

// moveHead has a workspace stand on the accepted state that its files derive from
// now, so that git tells the attempt's own work apart there. Where somebody has
// committed in the workspace, the head is theirs and stays.
func (p *Project) moveHead(ctx context.Context, dir, base string) error {
	if base == "" {
		return nil
	}
	to, err := p.State(ctx, base)
	if err != nil {
		return err
	}
	return workspace.Move(ctx, p.Repo, dir, git.OID(to.State.GitCommit), func(head git.OID) (bool, error) {
		from, err := p.AcceptedWith(ctx, "git_commit", string(head))
		return from != nil, err
	})
}
