package op

import (
	"context"
	"time"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// shot is a snapshot of a workspace with the commit that it stands on.
type shot struct {
	git.Snapshot
	head git.OID
}

// workspaceWait bounds how long a command waits for another one on the same
// workspace.
const workspaceWait = 2 * time.Minute

func workspaceOf(attempt string) string { return workspace.RelativeWorkspace(attempt) }

// lockWorkspace keeps other commands from the workspace of an attempt, which must
// be one of this machine.
func (p *Project) lockWorkspace(ctx context.Context, attempt, verb string) (unlock func(), err error) {
	machine, err := p.MachineOf(ctx, attempt)
	if err != nil {
		return nil, err
	}
	if machine != "" {
		return nil, ledger.ForeignAttempt(attempt, machine)
	}
	ctx, cancel := context.WithTimeout(ctx, workspaceWait)
	defer cancel()
	return durable.Lock(ctx, p.Layout.LockFile(attempt), "hop "+verb)
}

// shoot takes a snapshot of an attempt's workspace, after what a killed command
// left unfinished there. The caller holds its lock.
func (p *Project) shoot(ctx context.Context, attempt hop.Attempt) (*shot, error) {
	if p.Layout.Ready(attempt.ID, attempt.Workspace) {
		if err := p.settleRewrite(ctx, attempt); err != nil {
			return nil, err
		}
	}
	return p.shootAsIs(ctx, attempt)
}

// shootAsIs takes a snapshot of what is there.
func (p *Project) shootAsIs(ctx context.Context, attempt hop.Attempt) (*shot, error) {
	dir := p.Layout.Workspace(attempt.Workspace)
	if !p.Layout.Ready(attempt.ID, attempt.Workspace) {
		return nil, fault.Newf(CodeNoWorkspace, "the workspace %q of attempt %q is not there", dir, attempt.ID).
			WithHint("it is made anew from the attempt's last state by hop resume").WithNext("hop resume " + attempt.HeadStateID)
	}
	p.say("recording the workspace")
	snapshot, head, err := workspace.Snapshot(ctx, p.Repo, p.Layout, p.Config, attempt.ID, dir)
	if err != nil {
		return nil, err
	}
	return &shot{Snapshot: snapshot, head: head}, nil
}

// headOf returns an attempt and its head as they are now.
func headOf(ctx context.Context, t *ledger.Tx, id string) (hop.Attempt, hop.State, error) {
	attempt, err := t.Reader.Attempt(ctx, id)
	if err != nil {
		return attempt, hop.State{}, err
	}
	head, err := t.Reader.State(ctx, attempt.HeadStateID)
	return attempt, head.State, err
}

// checkpointIn records a checkpoint in the transaction.
func (p *Project) checkpointIn(t *ledger.Tx, attempt hop.Attempt, head hop.State, s *shot) hop.State {
	commit := commitFor(t, s.Tree, s.head, "hop: workspace checkpoint\n")
	return t.State(hop.State{
		Kind: hop.KindCheckpoint, TaskID: attempt.TaskID, AttemptID: attempt.ID, CanonicalAnchorID: head.CanonicalAnchorID,
		SourceTree: string(s.Tree), GitCommit: string(commit), Agent: attempt.Agent,
		Parents: []hop.Parent{{StateID: head.ID, Role: hop.RoleRunParent}},
	}, hop.Facts{Incomplete: problems(s.Snapshot)})
}

// Checkpoint records the workspace of the state's attempt as it is.
func (p *Project) Checkpoint(ctx context.Context, id string) (hop.Checkpointed, error) {
	_, attempt, err := p.stateOfAttempt(ctx, id)
	if err != nil {
		return hop.Checkpointed{}, err
	}
	unlock, err := p.lockWorkspace(ctx, attempt.ID, "checkpoint")
	if err != nil {
		return hop.Checkpointed{}, err
	}
	defer unlock()
	return p.checkpoint(ctx, attempt)
}

// checkpoint records the workspace; the caller holds its lock.
func (p *Project) checkpoint(ctx context.Context, attempt hop.Attempt) (hop.Checkpointed, error) {
	s, err := p.shoot(ctx, attempt)
	if err != nil {
		return hop.Checkpointed{}, err
	}
	out := hop.Checkpointed{Incomplete: problems(s.Snapshot)}
	err = p.record(ctx, "checkpoint", func(t *ledger.Tx) error {
		now, head, err := headOf(ctx, t, attempt.ID)
		if err != nil {
			return err
		}
		if err := refuseCancelled(now, head); err != nil {
			return err
		}
		t.About(now.ID)
		out.State = p.checkpointIn(t, now, head, s)
		now.HeadStateID, now.Status = out.ID, hop.StatusActive
		t.Attempt(now)
		return nil
	})
	return out, err
}

// Keep records the workspace of the state's attempt unless the attempt's newest
// work is exactly that. It reports whether it recorded anything.
func (p *Project) Keep(ctx context.Context, id string) (hop.Checkpointed, bool, error) {
	_, attempt, err := p.stateOfAttempt(ctx, id)
	if err != nil {
		return hop.Checkpointed{}, false, err
	}
	unlock, err := p.lockWorkspace(ctx, attempt.ID, "checkpoint")
	if err != nil {
		return hop.Checkpointed{}, false, err
	}
	defer unlock()
	s, err := p.shoot(ctx, attempt)
	if err != nil {
		return hop.Checkpointed{}, false, err
	}
	head, err := p.State(ctx, attempt.HeadStateID)
	if err != nil {
		return hop.Checkpointed{}, false, err
	}
	work, err := p.ownWork(ctx, head.State)
	if err != nil {
		return hop.Checkpointed{}, false, err
	}
	if string(s.Tree) == work.SourceTree {
		return hop.Checkpointed{State: work, Incomplete: problems(s.Snapshot)}, false, nil
	}
	out := hop.Checkpointed{Incomplete: problems(s.Snapshot)}
	err = p.record(ctx, "checkpoint", func(t *ledger.Tx) error {
		now, head, err := headOf(ctx, t, attempt.ID)
		if err != nil {
			return err
		}
		if err := refuseCancelled(now, head); err != nil {
			return err
		}
		out.State, err = p.keepIn(ctx, t, &now, head, s)
		return err
	})
	return out, true, err
}

// keepIn records the workspace in the transaction, unless the attempt's newest work
// is exactly that, and returns that work. The attempt moves on with it.
func (p *Project) keepIn(ctx context.Context, t *ledger.Tx, attempt *hop.Attempt, head hop.State, s *shot) (hop.State, error) {
	work, err := p.ownWork(ctx, head)
	if err != nil || string(s.Tree) == work.SourceTree {
		return work, err
	}
	t.About(attempt.ID)
	made := p.checkpointIn(t, *attempt, head, s)
	attempt.HeadStateID, attempt.Status = made.ID, hop.StatusActive
	t.Attempt(*attempt)
	return made, nil
}

func refuseCancelled(attempt hop.Attempt, head hop.State) error {
	if head.Kind != hop.KindCancelled {
		return nil
	}
	return fault.Newf(CodeClosed, "attempt %q was cancelled", attempt.ID).
		WithHint("it goes on only through a new prompt").WithNext("hop prompt --from " + head.ID + " --stdin")
}
