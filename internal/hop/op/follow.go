package op

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/git"
)

// follow makes the remote's accepted state ours where that loses nothing, or where
// the request says so.
func (x *exchange) follow(ctx context.Context) error {
	head, err := x.Accepted(ctx)
	if err != nil {
		return err
	}
	x.out.Accepted, x.out.RemoteCommit = head.State, string(x.accepted)
	if x.accepted == "" || x.refused[ledger.AcceptedRef] {
		return nil // send founds it, or it was named
	}
	here := git.OID(head.State.GitCommit)
	if here == x.accepted {
		x.out.AcceptedStatus = hop.AcceptedInStep
		return nil
	}
	ahead, err := x.descends(ctx, here, x.accepted)
	if err != nil {
		return err
	}
	if ahead {
		x.out.AcceptedStatus = hop.AcceptedAhead
		return nil
	}
	state, err := x.AcceptedWith(ctx, "git_commit", string(x.accepted))
	if err != nil {
		return err
	}
	if state == nil {
		x.out.AcceptedStatus = hop.AcceptedUnknown
		x.refuse(ledger.AcceptedRef, "it names the commit "+string(x.accepted)+", of which no accepted state is known here")
		return nil
	}
	behind, err := x.descends(ctx, x.accepted, here)
	if err != nil {
		return err
	}
	// The first state of a project took in what was there; nothing landed yet.
	_, later := head.State.Parent(hop.RoleCanonicalParent)
	if !behind && later && !x.request.Follow {
		x.out.AcceptedStatus = hop.AcceptedDiverged
		x.out.Warnings = append(x.out.Warnings, "the accepted line here and that of the remote went apart; hop share "+x.request.Remote+
			" --follow takes the remote's, and what landed here alone may land again")
		return nil
	}
	if err := x.followTo(ctx, head.State, *state); err != nil {
		return err
	}
	x.out.Accepted, x.out.AcceptedStatus = *state, hop.AcceptedFollowed
	return nil
}

// followTo makes an accepted state of another machine the accepted head. What
// landed on the way there closes its attempts here; what is on our line alone is
// marked as left.
func (p *Project) followTo(ctx context.Context, from, to hop.State) error {
	err := p.record(ctx, "follow", func(t *ledger.Tx) error {
		if err := t.ExpectAccepted(ctx, from.ID); err != nil {
			return err
		}
		ours, err := lineOf(ctx, t.Reader, from)
		if err != nil {
			return err
		}
		theirs, err := lineOf(ctx, t.Reader, to)
		if err != nil {
			return err
		}
		if err := leave(ctx, t, ours, theirs, to.ID); err != nil {
			return err
		}
		on := idsOf(ours)
		for _, s := range theirs {
			if on[s.ID] {
				break
			}
			if err := p.closeLanded(ctx, t, s); err != nil {
				return err
			}
		}
		t.Keep(git.OID(to.GitCommit))
		t.Accept(to)
		return nil
	})
	return err
}

// leave marks the states that are on our line alone, and takes the mark off those
// that are on the line again.
func leave(ctx context.Context, t *ledger.Tx, ours, theirs []hop.State, to string) error {
	stays := idsOf(theirs)
	commits := map[string]bool{}
	for _, s := range theirs {
		commits[s.GitCommit] = true
	}
	for i, list := range [][]hop.State{ours, theirs} {
		mark := ""
		if i == 0 {
			mark = to
		}
		for _, s := range list {
			// Two machines that took in the same commit of the user's agree.
			if i == 0 && (stays[s.ID] || commits[s.GitCommit]) {
				break
			}
			entry, err := t.Reader.State(ctx, s.ID)
			if err != nil {
				return err
			}
			if entry.Facts.LeftFor == mark || i == 1 && entry.Facts.LeftFor == "" {
				continue
			}
			entry.Facts.LeftFor = mark
			t.Facts(s.ID, entry.Facts)
		}
	}
	return nil
}

func idsOf(line []hop.State) map[string]bool {
	ids := map[string]bool{}
	for _, s := range line {
		ids[s.ID] = true
	}
	return ids
}

// lineOf returns an accepted state and what it follows, newest first.
func lineOf(ctx context.Context, r ledger.Reader, s hop.State) ([]hop.State, error) {
	line := []hop.State{s}
	for {
		parent, ok := line[len(line)-1].Parent(hop.RoleCanonicalParent)
		if !ok {
			return line, nil
		}
		entry, err := r.State(ctx, parent)
		if err != nil {
			return nil, err
		}
		line = append(line, entry.State)
	}
}

// closeLanded records that the proposals of an accepted state are accepted.
func (p *Project) closeLanded(ctx context.Context, t *ledger.Tx, s hop.State) error {
	for _, parent := range s.Parents {
		if parent.Role != hop.RoleProposalParent {
			continue
		}
		proposal, err := t.Reader.State(ctx, parent.StateID)
		if err != nil {
			return err
		}
		if err := p.closeAttempt(ctx, t, proposal.State); err != nil {
			return err
		}
	}
	return nil
}
