package op

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
)

// ProposeRequest is work that is to be frozen as a result.
type ProposeRequest struct {
	State   string
	Summary string
	// Incomplete lists the paths that may be missing from it on purpose.
	Incomplete []string
	// AllowSecrets lists the fingerprints of findings that are no credentials.
	AllowSecrets []string
}

// Propose freezes the workspace of the state's attempt as a proposal.
func (p *Project) Propose(ctx context.Context, r ProposeRequest) (hop.Proposed, error) {
	_, attempt, err := p.stateOfAttempt(ctx, r.State)
	if err != nil {
		return hop.Proposed{}, err
	}
	unlock, err := p.lockWorkspace(ctx, attempt.ID, "propose")
	if err != nil {
		return hop.Proposed{}, err
	}
	defer unlock()
	s, err := p.shoot(ctx, attempt)
	if err != nil {
		return hop.Proposed{}, err
	}
	if attempt, err = p.Attempt(ctx, attempt.ID); err != nil {
		return hop.Proposed{}, err
	}
	excluded, err := excuse(problems(s.Snapshot), r.Incomplete)
	if err != nil {
		return hop.Proposed{}, err
	}
	if err := p.refuseSecrets(ctx, attempt, s.Tree, r.AllowSecrets); err != nil {
		return hop.Proposed{}, err
	}
	if head, err := p.State(ctx, attempt.HeadStateID); err != nil {
		return hop.Proposed{}, err
	} else if err := p.refuseMarkers(ctx, head.State, s.Tree); err != nil {
		return hop.Proposed{}, err
	}
	summary, counts := cleaned(r.Summary)
	var out hop.Proposed
	err = p.record(ctx, "propose", func(t *ledger.Tx) error {
		now, head, err := headOf(ctx, t, attempt.ID)
		if err != nil {
			return err
		}
		if err := refuseCancelled(now, head); err != nil {
			return err
		}
		task, err := t.Reader.Task(ctx, now.TaskID)
		if err != nil {
			return err
		}
		if summary == "" {
			summary = task.Title
		}
		t.About(now.ID)
		commit := commitFor(t, s.Tree, s.head, "hop: proposal\n")
		out.Proposal = t.State(hop.State{
			Kind: hop.KindProposal, TaskID: now.TaskID, AttemptID: now.ID, CanonicalAnchorID: head.CanonicalAnchorID,
			SourceTree: string(s.Tree), GitCommit: string(commit), Summary: summary, Agent: now.Agent,
			Parents: []hop.Parent{{StateID: head.ID, Role: hop.RoleRunParent}},
		}, hop.Facts{Excluded: excluded, Redactions: counts})
		now.HeadStateID, now.Status, task.Status = out.Proposal.ID, hop.StatusProposed, hop.StatusProposed
		t.Attempt(now)
		t.Task(task)
		return nil
	})
	if err != nil {
		return out, err
	}
	out.Excluded = excluded
	out.Checks, err = p.ChecksOf(ctx, attempt.ID, out.Proposal.SourceTree)
	return out, err
}

// excuse returns what a proposal leaves out on purpose, and refuses the rest.
func excuse(missing []hop.Problem, allowed []string) (excluded []string, err error) {
	allow := map[string]bool{}
	for _, path := range allowed {
		allow[path] = true
	}
	var left []string
	for _, problem := range missing {
		if allow[problem.Path] {
			excluded = append(excluded, problem.Path)
			continue
		}
		left = append(left, problem.Path+" ("+problem.Reason+")")
	}
	if len(left) == 0 {
		return excluded, nil
	}
	f := fault.Newf(CodeIncomplete, "%d paths of the workspace cannot be part of a proposal, the first is %q", len(left), left[0]).
		WithHint("take them out of the workspace, ignore them, or leave them out on purpose with --exclude PATH")
	return nil, f.Because(&Details{Paths: left})
}
