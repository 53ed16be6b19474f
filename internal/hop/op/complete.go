package op

import (
	"context"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
)

// CompleteRequest is the final answer to a prompt.
type CompleteRequest struct {
	// State is the prompt, or a later state of its attempt.
	State string
	// Response is the answer in full, Summary what it says in short; the first line
	// of the answer when empty.
	Response, Summary string
}

// Complete records the final answer to a prompt, credentials replaced. The same
// answer again changes nothing; another one takes its place, and the ledger keeps
// both. What the workspace holds is recorded with it.
func (p *Project) Complete(ctx context.Context, r CompleteRequest) (hop.Completed, error) {
	if err := checkText("answer", r.Response); err != nil {
		return hop.Completed{}, err
	}
	prompt, err := p.promptOf(ctx, r.State)
	if err != nil {
		return hop.Completed{}, err
	}
	response, counts := cleaned(r.Response)
	summary, more := cleaned(r.Summary)
	if strings.TrimSpace(summary) == "" {
		summary = title(response)
	}
	out := hop.Completed{Redactions: addCounts(counts, more)}
	out.Completion = hop.Completion{StateID: prompt.ID, Summary: summary, FinalResponse: response}
	before, found, err := p.Completion(ctx, prompt.ID)
	if err != nil {
		return out, err
	}
	if found && before.FinalResponse == response && before.Summary == summary {
		out.Completion = before
		return out, nil
	}
	unlock, err := p.lockWorkspace(ctx, prompt.AttemptID, "complete")
	if err != nil {
		return out, err
	}
	defer unlock()
	attempt, err := p.Attempt(ctx, prompt.AttemptID)
	if err != nil {
		return out, err
	}
	s, err := p.shoot(ctx, attempt)
	if err != nil && !fault.Is(err, CodeNoWorkspace) {
		return out, err
	}
	err = p.record(ctx, "complete", func(t *ledger.Tx) error {
		out.Completion.CompletedAt = t.Now()
		t.About(prompt.AttemptID)
		t.Completion(out.Completion)
		return p.answered(ctx, t, prompt.AttemptID, s)
	})
	return out, err
}

// answered records the work that the answer is about. An attempt in which nothing
// was changed is completed: it was a question, and there is nothing to land. A later
// prompt opens it again.
func (p *Project) answered(ctx context.Context, t *ledger.Tx, id string, s *shot) error {
	attempt, head, err := headOf(ctx, t, id)
	if err != nil {
		return err
	}
	work := head
	if s != nil && head.Kind != hop.KindCancelled {
		if work, err = p.keepIn(ctx, t, &attempt, head, s); err != nil {
			return err
		}
	}
	base, err := t.Reader.State(ctx, attempt.BaseStateID)
	if err != nil || attempt.Status != hop.StatusActive || base.State.SourceTree != work.SourceTree {
		return err
	}
	task, err := t.Reader.Task(ctx, attempt.TaskID)
	if err != nil {
		return err
	}
	attempt.Status = hop.StatusCompleted
	t.Attempt(attempt)
	if task.Status == hop.StatusActive {
		task.Status = hop.StatusCompleted
		t.Task(task)
	}
	return nil
}

// promptOf is the prompt that a state of an attempt answers to.
func (p *Project) promptOf(ctx context.Context, id string) (hop.State, error) {
	s, _, err := p.stateOfAttempt(ctx, id)
	for err == nil && s.Kind != hop.KindPrompt {
		parent, ok := s.Parent(hop.RoleRunParent)
		if !ok {
			return s, fault.Newf(CodeWrongKind, "no prompt led to state %q", id).WithNext("hop log")
		}
		var entry ledger.Entry
		entry, err = p.State(ctx, parent)
		s = entry.State
	}
	return s, err
}
