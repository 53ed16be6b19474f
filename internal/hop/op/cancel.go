package op

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
)

// Cancel ends the attempt of a state. What its workspace holds is recorded
// first; the workspace stays until gc.
func (p *Project) Cancel(ctx context.Context, id, reason string) (hop.State, error) {
	_, attempt, err := p.stateOfAttempt(ctx, id)
	if err != nil {
		return hop.State{}, err
	}
	unlock, err := p.lockWorkspace(ctx, attempt.ID, "cancel")
	if err != nil {
		return hop.State{}, err
	}
	defer unlock()
	s, err := p.shoot(ctx, attempt)
	if err != nil && !fault.Is(err, CodeNoWorkspace) {
		return hop.State{}, err
	}
	summary, counts := cleaned(reason)
	if summary == "" {
		summary = "Cancelled"
	}
	var out hop.State
	err = p.record(ctx, "cancel", func(t *ledger.Tx) error {
		now, head, err := headOf(ctx, t, attempt.ID)
		if err != nil {
			return err
		}
		if head.Kind == hop.KindCancelled {
			return fault.Newf(CodeNothing, "attempt %q is cancelled already", now.ID).WithNext("hop show " + head.ID)
		}
		if now.Status == hop.StatusAccepted {
			return fault.Newf(CodeClosed, "the work of attempt %q is accepted, so there is nothing to cancel", now.ID).
				WithHint("hop undo takes an acceptance back").WithNext("hop undo")
		}
		t.About(now.ID)
		if s != nil && string(s.Tree) != head.SourceTree {
			head = p.checkpointIn(t, now, head, s)
		}
		out = t.State(hop.State{
			Kind: hop.KindCancelled, TaskID: now.TaskID, AttemptID: now.ID, CanonicalAnchorID: head.CanonicalAnchorID,
			SourceTree: head.SourceTree, GitCommit: head.GitCommit, Summary: summary, Agent: now.Agent,
			Parents: []hop.Parent{{StateID: head.ID, Role: hop.RoleRunParent}},
		}, hop.Facts{Redactions: counts})
		now.HeadStateID, now.Status = out.ID, hop.StatusCancelled
		t.Attempt(now)
		return p.settleTask(ctx, t, now)
	})
	return out, err
}

// settleTask gives a task the status of its attempt when no other one is open.
func (p *Project) settleTask(ctx context.Context, t *ledger.Tx, attempt hop.Attempt) error {
	others, err := t.AttemptsOf(ctx, attempt.TaskID)
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.ID != attempt.ID && (other.Status.Open() || other.Status == hop.StatusAccepted) {
			return nil
		}
	}
	task, err := t.Reader.Task(ctx, attempt.TaskID)
	if err != nil {
		return err
	}
	task.Status = attempt.Status
	t.Task(task)
	return nil
}
