package op

import (
	"context"
	"slices"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/git"
)

// validated returns those of the proposals that hold together, in their order,
// and the tree that they make. One validation does when all of them hold. For
// each offender the shortest beginning that does not hold is searched by halving:
// its last proposal is the offender, and the run that it spoiled is the evidence.
func (l *landing) validated(ctx context.Context, fit []hop.State) ([]hop.State, git.OID, error) {
	good := 0 // so many at the front are known to hold together
	for good < len(fit) {
		holds, err := l.holds(ctx, fit)
		if err != nil {
			return nil, "", err
		}
		if holds {
			break
		}
		bad := len(fit)
		for bad-good > 1 {
			middle := good + (bad-good)/2
			if holds, err = l.holds(ctx, fit[:middle]); err != nil {
				return nil, "", err
			}
			if holds {
				good = middle
			} else {
				bad = middle
			}
		}
		if err := l.fail(ctx, fit[:good], fit[good]); err != nil {
			return nil, "", err
		}
		fit = slices.Delete(slices.Clone(fit), good, bad)
	}
	tree, err := l.treeOf(ctx, fit)
	return fit, tree, err
}

// treeOf is what the proposals make on the accepted tree.
func (l *landing) treeOf(ctx context.Context, proposals []hop.State) (git.OID, error) {
	tree := git.OID(l.head.SourceTree)
	for _, s := range proposals {
		base, _, err := l.landingBase(ctx, s)
		if err != nil {
			return "", err
		}
		c, err := l.compose(ctx, base, tree, git.OID(s.SourceTree))
		if err != nil {
			return "", err
		}
		tree = c.tree
	}
	return tree, nil
}

// holds runs the validation on what the proposals make together.
func (l *landing) holds(ctx context.Context, proposals []hop.State) (bool, error) {
	tree, err := l.treeOf(ctx, proposals)
	if err != nil {
		return false, err
	}
	last := proposals[len(proposals)-1]
	subject := hop.State{
		ID: l.id, TaskID: last.TaskID, AttemptID: last.AttemptID, SourceTree: string(tree), GitCommit: l.head.GitCommit,
	}
	env := hop.Environment{Root: l.Layout.Root, State: l.id, Task: last.TaskID, Attempt: last.AttemptID}
	check, err := l.examine(ctx, subject, env, CheckRequest{Command: l.request.Command}, true)
	if err != nil {
		return false, err
	}
	l.checks[tree] = check
	return check.ExitCode == 0, nil
}

// fail records that a proposal did not hold: its evidence, and a failed state
// unless this very failure is the attempt's head already.
func (l *landing) fail(ctx context.Context, before []hop.State, proposal hop.State) error {
	tree, err := l.treeOf(ctx, append(slices.Clone(before), proposal))
	if err != nil {
		return err
	}
	check := l.checks[tree]
	failed := ""
	err = l.record(ctx, "land_failed", func(t *ledger.Tx) error {
		attempt, err := t.Reader.Attempt(ctx, proposal.AttemptID)
		if err != nil {
			return err
		}
		check.AttemptID, check.CreatedAt = attempt.ID, t.Now()
		machine, err := t.MachineOf(ctx, attempt.ID)
		if err != nil {
			return err
		}
		if machine != "" { // its attempt goes on where it belongs; the evidence is ours
			t.Check(check)
			return nil
		}
		t.About(attempt.ID)
		if attempt.HeadStateID == proposal.ID {
			failed = l.failedState(t, attempt, proposal, check, tree)
			check.StateID = failed
			if err := l.reopen(ctx, t, attempt, failed); err != nil {
				return err
			}
		} else if l.failedOn(ctx, attempt.HeadStateID, proposal.ID) {
			failed = attempt.HeadStateID
			check.StateID = failed
		}
		t.Check(check)
		return nil
	})
	l.refusals = append(l.refusals, hop.Refusal{
		Proposal: proposal.ID, Code: CodeValidation, Check: &check, Failed: failed,
		Error: "the validation of proposal \"" + proposal.ID + "\" failed: " + QuoteAll(check.Command) + " " + ending(check),
	})
	return err
}

// failedState records the composed tree that did not hold.
func (l *landing) failedState(t *ledger.Tx, attempt hop.Attempt, proposal hop.State, check hop.Check, tree git.OID) string {
	s := hop.State{
		Kind: hop.KindFailed, TaskID: attempt.TaskID, AttemptID: attempt.ID, CanonicalAnchorID: l.head.ID,
		SourceTree: string(tree), Summary: "Final validation failed: " + QuoteAll(check.Command), Agent: "hop",
		Parents: []hop.Parent{
			{StateID: proposal.ID, Role: hop.RoleRunParent}, {StateID: l.head.ID, Role: hop.RoleIntegrationParent},
		},
	}
	named := s
	named.ID = l.id
	named.Summary = proposal.Summary
	s.GitCommit = string(commitFor(t, tree, git.OID(l.head.GitCommit), acceptedMessage(named, []hop.State{proposal})))
	return t.State(s, hop.Facts{Check: check.ID}).ID
}

// reopen makes the failed state the attempt's head and asks for changes.
func (l *landing) reopen(ctx context.Context, t *ledger.Tx, attempt hop.Attempt, failed string) error {
	task, err := t.Reader.Task(ctx, attempt.TaskID)
	if err != nil {
		return err
	}
	attempt.HeadStateID, attempt.Status, task.Status = failed, hop.StatusChangesRequested, hop.StatusChangesRequested
	t.Attempt(attempt)
	t.Task(task)
	return nil
}
