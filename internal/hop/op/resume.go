package op

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/ledger"
)

// Resume makes sure that the attempt of a state has its workspace: one that is
// missing or was parked is made anew from the attempt's last own work. An attempt
// of another machine goes on in a new one of this machine.
func (p *Project) Resume(ctx context.Context, id string) (hop.Resumed, error) {
	_, attempt, err := p.stateOfAttempt(ctx, id)
	if err != nil {
		return hop.Resumed{}, err
	}
	machine, err := p.MachineOf(ctx, attempt.ID)
	if err != nil {
		return hop.Resumed{}, err
	}
	if machine != "" {
		return p.takeOver(ctx, attempt)
	}
	return p.resumeOwn(ctx, attempt)
}

func (p *Project) resumeOwn(ctx context.Context, attempt hop.Attempt) (hop.Resumed, error) {
	unlock, err := p.lockWorkspace(ctx, attempt.ID, "resume")
	if err != nil {
		return hop.Resumed{}, err
	}
	defer unlock()
	head, err := p.State(ctx, attempt.HeadStateID)
	if err != nil {
		return hop.Resumed{}, err
	}
	if err := refuseCancelled(attempt, head.State); err != nil {
		return hop.Resumed{}, err
	}
	work, err := p.ownWork(ctx, head.State)
	if err != nil {
		return hop.Resumed{}, err
	}
	out := hop.Resumed{State: head.State}
	if !p.Layout.Ready(attempt.ID, attempt.Workspace) {
		if err := p.fillWorkspace(ctx, attempt, work); err != nil {
			return out, err
		}
		out.Recreated = true
	}
	if attempt.Status == hop.StatusParked {
		if attempt, err = p.unpark(ctx, attempt.ID); err != nil {
			return out, err
		}
	}
	out.Attempt = p.absolute(attempt)
	out.Workspace = out.Attempt.Workspace
	env := p.environment(head.State, out.Attempt)
	for _, name := range hop.EnvNames() {
		out.Deliver = append(out.Deliver, name+"="+env.Variables[name])
	}
	return out, nil
}

// ownWork is the newest state at or before s that holds the attempt's own work:
// a failed landing holds what it was composed with as well.
func (p *Project) ownWork(ctx context.Context, s hop.State) (hop.State, error) {
	for s.Kind == hop.KindFailed || s.Kind == hop.KindCancelled {
		parent, _ := s.Parent(hop.RoleRunParent)
		entry, err := p.State(ctx, parent)
		if err != nil {
			return s, err
		}
		s = entry.State
	}
	return s, nil
}

func (p *Project) unpark(ctx context.Context, id string) (hop.Attempt, error) {
	var out hop.Attempt
	err := p.record(ctx, "resume", func(t *ledger.Tx) error {
		attempt, head, err := headOf(ctx, t, id)
		if err != nil {
			return err
		}
		attempt.Status = hop.StatusActive
		if head.Kind == hop.KindProposal {
			attempt.Status = hop.StatusProposed
		}
		t.About(id)
		t.Attempt(attempt)
		out = attempt
		return nil
	})
	return out, err
}
