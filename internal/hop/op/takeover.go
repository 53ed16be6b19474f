package op

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/git"
)

// takeOver goes on from another machine's attempt in a new attempt of this one, of
// the same task: the same instruction, and a checkpoint with the work that was
// shared. The other attempt stays as it is. Work that was taken over already is
// resumed where it went on.
func (p *Project) takeOver(ctx context.Context, theirs hop.Attempt) (hop.Resumed, error) {
	head, err := p.State(ctx, theirs.HeadStateID)
	if err != nil {
		return hop.Resumed{}, err
	}
	if err := refuseCancelled(theirs, head.State); err != nil {
		return hop.Resumed{}, err
	}
	work, err := p.ownWork(ctx, head.State)
	if err != nil {
		return hop.Resumed{}, err
	}
	if mine, found, err := p.takenOver(ctx, work.ID); err != nil || found {
		if err != nil {
			return hop.Resumed{}, err
		}
		out, err := p.resumeOwn(ctx, mine)
		out.TakenFrom = theirs.ID
		return out, err
	}
	attempt, err := p.recordTakeOver(ctx, theirs, work)
	if err != nil {
		return hop.Resumed{}, err
	}
	out, err := p.resumeOwn(ctx, attempt)
	out.TakenFrom = theirs.ID
	if err != nil {
		return out, recordedAnyway(err, attempt.HeadStateID)
	}
	return out, nil
}

// takenOver returns the open attempt that goes on from a state of another machine.
func (p *Project) takenOver(ctx context.Context, state string) (hop.Attempt, bool, error) {
	taken, err := p.TakenFrom(ctx, state)
	if err != nil {
		return hop.Attempt{}, false, err
	}
	for _, e := range taken {
		machine, err := p.MachineOf(ctx, e.State.AttemptID)
		if err != nil {
			return hop.Attempt{}, false, err
		}
		attempt, err := p.Attempt(ctx, e.State.AttemptID)
		if err != nil {
			return hop.Attempt{}, false, err
		}
		if machine == "" && attempt.Status.Open() {
			return attempt, true, nil
		}
	}
	return hop.Attempt{}, false, nil
}

// recordTakeOver records the new attempt with its prompt and its checkpoint.
func (p *Project) recordTakeOver(ctx context.Context, theirs hop.Attempt, work hop.State) (hop.Attempt, error) {
	prompt, err := p.promptOf(ctx, work.ID)
	if err != nil {
		return hop.Attempt{}, err
	}
	base, err := p.State(ctx, theirs.BaseStateID)
	if err != nil {
		return hop.Attempt{}, err
	}
	baseTree, baseState, err := p.landingBase(ctx, work)
	if err != nil {
		return hop.Attempt{}, err
	}
	var out hop.Attempt
	err = p.record(ctx, "take_over", func(t *ledger.Tx) error {
		out = hop.Attempt{
			ID: newID(t, hop.PrefixAttempt), TaskID: theirs.TaskID, Agent: theirs.Agent,
			BaseStateID: theirs.BaseStateID, Status: hop.StatusActive, CreatedAt: t.Now(),
		}
		out.Workspace = workspaceOf(out.ID)
		t.About(out.ID)
		if err := t.Link(ctx, theirs.ID); err != nil {
			return err
		}
		first := t.State(hop.State{
			Kind: hop.KindPrompt, TaskID: out.TaskID, AttemptID: out.ID, CanonicalAnchorID: base.State.ID,
			SourceTree: base.State.SourceTree, GitCommit: base.State.GitCommit, Prompt: prompt.Prompt, Agent: out.Agent,
			Parents: []hop.Parent{{StateID: base.State.ID, Role: hop.RoleRunParent}, {StateID: base.State.ID, Role: hop.RoleCanonicalAnchor}},
		}, hop.Facts{})
		facts := hop.Facts{TakenFrom: work.ID}
		if string(baseTree) != base.State.SourceTree {
			facts.BaseTree, facts.BaseState = string(baseTree), baseState
		}
		checkpoint := t.State(hop.State{
			Kind: hop.KindCheckpoint, TaskID: out.TaskID, AttemptID: out.ID, CanonicalAnchorID: base.State.ID,
			SourceTree: work.SourceTree, Agent: out.Agent,
			GitCommit: string(commitFor(t, git.OID(work.SourceTree), git.OID(base.State.GitCommit), "hop: work of another machine\n")),
			Parents:   []hop.Parent{{StateID: first.ID, Role: hop.RoleRunParent}},
		}, facts)
		out.HeadStateID = checkpoint.ID
		t.Attempt(out)
		return nil
	})
	return out, err
}
