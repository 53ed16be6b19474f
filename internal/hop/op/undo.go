package op

import (
	"context"
	"errors"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Undo takes the accepted head back by a new accepted state with the tree before
// it. Nothing is rewritten, so a second undo brings it back.
func (p *Project) Undo(ctx context.Context) (hop.State, error) {
	head, err := p.Accepted(ctx)
	if err != nil {
		return hop.State{}, err
	}
	return p.undoHead(ctx, "undo", head.State)
}

// Redo takes the last undo back.
func (p *Project) Redo(ctx context.Context) (hop.State, error) {
	head, err := p.Accepted(ctx)
	if err != nil {
		return hop.State{}, err
	}
	if _, undo := head.State.Parent(hop.RoleReverts); !undo {
		return hop.State{}, fault.Newf(CodeNothing, "the accepted head %q is no undo, so there is nothing to redo", head.State.ID).WithNext("hop history")
	}
	return p.undoHead(ctx, "redo", head.State)
}

// UndoTo goes back to an earlier accepted state, taking back all since.
func (p *Project) UndoTo(ctx context.Context, id string) (hop.State, error) {
	target, err := p.State(ctx, id)
	if err != nil {
		return hop.State{}, err
	}
	head, err := p.Accepted(ctx)
	if err != nil {
		return hop.State{}, err
	}
	var reverts []string
	for at := head.State; at.ID != id; {
		reverts = append(reverts, at.ID)
		parent, ok := at.Parent(hop.RoleCanonicalParent)
		if !ok {
			return hop.State{}, fault.Newf(CodeWrongKind, "state %q is not on the accepted line", id).WithNext("hop history")
		}
		entry, err := p.State(ctx, parent)
		if err != nil {
			return hop.State{}, err
		}
		at = entry.State
	}
	if len(reverts) == 0 {
		return hop.State{}, fault.Newf(CodeNothing, "state %q is the accepted head", id).WithNext("hop history")
	}
	return p.restoreAccepted(ctx, "undo", head.State, reverts, target.State, git.OID(target.State.SourceTree))
}

// UndoOperation reverses one operation on the accepted line and keeps what was
// accepted since.
func (p *Project) UndoOperation(ctx context.Context, id string) (hop.State, error) {
	operation, err := p.Operation(ctx, id)
	if err != nil {
		return hop.State{}, err
	}
	var accepted hop.State
	for _, s := range operation.States {
		if kind, _ := hop.KindOf(s); kind == hop.KindAccepted {
			entry, err := p.State(ctx, s)
			if err != nil {
				return hop.State{}, err
			}
			accepted = entry.State
		}
	}
	parent, ok := accepted.Parent(hop.RoleCanonicalParent)
	if !ok {
		return hop.State{}, fault.Newf("not_reversible", "operation %q (%s) changed nothing that is accepted", id, operation.Verb).
			WithHint("what it recorded stays; an attempt is brought back with hop resume or hop restore")
	}
	gone, err := p.undone(ctx, accepted.ID)
	if err != nil {
		return hop.State{}, err
	}
	if gone {
		return hop.State{}, fault.Newf(CodeNothing, "operation %q has been taken back already", id).WithNext("hop ops")
	}
	before, err := p.State(ctx, parent)
	if err != nil {
		return hop.State{}, err
	}
	head, err := p.Accepted(ctx)
	if err != nil {
		return hop.State{}, err
	}
	if on, err := p.descends(ctx, git.OID(head.State.GitCommit), git.OID(accepted.GitCommit)); err != nil || !on {
		return hop.State{}, errors.Join(err, fault.Newf("not_reversible", "operation %q accepted what is not on the accepted line of this machine", id).WithNext("hop history"))
	}
	merge, err := p.Repo.MergeTrees(ctx, git.OID(accepted.SourceTree), git.OID(head.State.SourceTree), git.OID(before.State.SourceTree))
	if err != nil {
		return hop.State{}, err
	}
	if !merge.Clean {
		paths := conflictPaths(merge)
		return hop.State{}, fault.Newf(CodeOverlap, "operation %q cannot be taken back alone, since %q was changed again since", id, paths[0]).
			WithExit(hop.ExitOverlap).Because(&Details{Paths: paths}).
			WithHint("go back to before it with hop undo --to %s, or reverse it by hand in an attempt", before.State.ID)
	}
	return p.restoreAccepted(ctx, "undo", head.State, []string{accepted.ID}, before.State, merge.Tree)
}

func (p *Project) undoHead(ctx context.Context, verb string, head hop.State) (hop.State, error) {
	before, ok := head.Parent(hop.RoleCanonicalParent)
	if !ok {
		return hop.State{}, fault.Newf(CodeNothing, "the accepted head %q is the project's first state and cannot be undone", head.ID).WithNext("hop history")
	}
	entry, err := p.State(ctx, before)
	if err != nil {
		return hop.State{}, err
	}
	return p.restoreAccepted(ctx, verb, head, []string{head.ID}, entry.State, git.OID(entry.State.SourceTree))
}

// restoreAccepted records an accepted state that takes others back.
func (p *Project) restoreAccepted(ctx context.Context, verb string, head hop.State, reverts []string, to hop.State, tree git.OID) (hop.State, error) {
	var out hop.State
	err := p.record(ctx, verb, func(t *ledger.Tx) error {
		if err := t.ExpectAccepted(ctx, head.ID); err != nil {
			return err
		}
		undone, err := t.Reader.State(ctx, reverts[0])
		if err != nil {
			return err
		}
		if len(reverts) == 1 {
			t.Undoes(undone.Operation)
		}
		s := hop.State{
			ID: newID(t, hop.PrefixAccepted), Kind: hop.KindAccepted, CanonicalAnchorID: head.ID,
			SourceTree: string(tree), Summary: "Undo " + reverts[0], Agent: "hop",
			Parents: []hop.Parent{{StateID: head.ID, Role: hop.RoleCanonicalParent}},
		}
		if len(reverts) > 1 {
			s.Summary = "Return to " + to.ID
		}
		message := s.Summary + "\n\nHop-State: " + s.ID + "\n"
		for _, id := range reverts {
			s.Parents = append(s.Parents, hop.Parent{StateID: id, Role: hop.RoleReverts})
			message += "Hop-Reverts: " + id + "\n"
		}
		s.Parents = append(s.Parents, hop.Parent{StateID: to.ID, Role: hop.RoleRestores})
		s.GitCommit = string(commitFor(t, tree, git.OID(head.GitCommit), message))
		out = t.State(s, hop.Facts{})
		t.Accept(out)
		return nil
	})
	return out, err
}
