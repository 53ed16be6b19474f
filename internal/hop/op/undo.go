package op

import (
	"context"

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

func (p *Project) undoHead(ctx context.Context, verb string, head hop.State) (hop.State, error) {
	before, ok := head.Parent(hop.RoleCanonicalParent)
	if !ok {
		return hop.State{}, fault.Newf(CodeNothing, "the accepted head %q is the project's first state and cannot be undone", head.ID).WithNext("hop history")
	}
	entry, err := p.State(ctx, before)
	if err != nil {
		return hop.State{}, err
	}
	return p.restoreAccepted(ctx, verb, head, []string{head.ID}, entry.State)
}

// restoreAccepted records an accepted state with an earlier one's tree.
func (p *Project) restoreAccepted(ctx context.Context, verb string, head hop.State, reverts []string, to hop.State) (hop.State, error) {
	var out hop.State
	_, err := p.record(ctx, verb, func(t *ledger.Tx) error {
		if err := t.ExpectAccepted(ctx, head.ID); err != nil {
			return err
		}
		undone, err := t.Reader.State(ctx, head.ID)
		if err != nil {
			return err
		}
		if len(reverts) == 1 {
			t.Undoes(undone.Operation)
		}
		s := hop.State{
			ID: newID(t, hop.PrefixAccepted), Kind: hop.KindAccepted, CanonicalAnchorID: head.ID,
			SourceTree: to.SourceTree, Summary: "Undo " + reverts[0], Agent: "hop",
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
		s.GitCommit = string(commitFor(t, git.OID(to.SourceTree), git.OID(head.GitCommit), message))
		out = t.State(s, hop.Facts{})
		t.Accept(out)
		return nil
	})
	return out, err
}
