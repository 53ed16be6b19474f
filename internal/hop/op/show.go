package op

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
)

// Show tells all that is known of what an id names: a state, a task, an attempt,
// a piece of evidence or an operation.
func (p *Project) Show(ctx context.Context, id string) (hop.Shown, error) {
	prefix, _, ok := hop.ParseID(id)
	if !ok {
		return hop.Shown{}, fault.Newf("unknown_id", "%q is no id", id).
			WithHint("an id is given in full, such as P_06H2QFXVFW9V90E5YAZJJ68").WithNext("hop log")
	}
	switch prefix {
	case hop.PrefixTask:
		return p.showTask(ctx, id)
	case hop.PrefixAttempt:
		return p.showAttempt(ctx, id)
	case hop.PrefixEvidence:
		return p.showCheck(ctx, id)
	case hop.PrefixEvent:
		return p.showOperation(ctx, id)
	default:
		return p.showState(ctx, id)
	}
}

func (p *Project) showState(ctx context.Context, id string) (hop.Shown, error) {
	entry, err := p.State(ctx, id)
	if err != nil {
		return hop.Shown{}, err
	}
	out := hop.Shown{State: &entry.State, Facts: &entry.Facts}
	if out.Checks, err = p.evidenceOf(ctx, entry); err != nil {
		return out, err
	}
	if entry.Operation != "" {
		operation, err := p.Operation(ctx, entry.Operation)
		if err != nil {
			return out, err
		}
		out.Operation = &operation
	}
	if answer, found, err := p.Completion(ctx, id); err != nil || found {
		out.Completion = &answer
		if err != nil {
			return out, err
		}
	}
	if entry.State.Kind == hop.KindProposal {
		out.LandedAs, err = p.landedAs(ctx, id)
	}
	return out, err
}

// evidenceOf is what ran about a state: on it, on its tree in its attempt, or as
// the validation that it rests on.
func (p *Project) evidenceOf(ctx context.Context, e ledger.Entry) ([]hop.Check, error) {
	found, err := p.ChecksAbout(ctx, e.State.ID)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 && e.State.Kind == hop.KindProposal {
		return p.ChecksOf(ctx, e.State.AttemptID, e.State.SourceTree)
	}
	if e.Facts.Check == "" {
		return found, nil
	}
	check, ok, err := p.Ledger.Check(ctx, e.Facts.Check)
	if err != nil || !ok || len(found) > 0 {
		return found, err
	}
	return append(found, check), nil
}

func (p *Project) showTask(ctx context.Context, id string) (hop.Shown, error) {
	task, err := p.Task(ctx, id)
	if err != nil {
		return hop.Shown{}, err
	}
	attempts, err := p.AttemptsOf(ctx, id)
	for i := range attempts {
		attempts[i] = p.absolute(attempts[i])
	}
	return hop.Shown{Task: &task, Attempts: attempts}, err
}

func (p *Project) showAttempt(ctx context.Context, id string) (hop.Shown, error) {
	attempt, err := p.Attempt(ctx, id)
	if err != nil {
		return hop.Shown{}, err
	}
	attempt = p.absolute(attempt)
	out := hop.Shown{Attempt: &attempt}
	task, err := p.Task(ctx, attempt.TaskID)
	if err != nil {
		return out, err
	}
	out.Task = &task
	entries, err := p.OfAttempt(ctx, id)
	for _, e := range entries {
		out.States = append(out.States, e.State)
	}
	return out, err
}

func (p *Project) showCheck(ctx context.Context, id string) (hop.Shown, error) {
	check, found, err := p.Ledger.Check(ctx, id)
	if err == nil && !found {
		err = fault.Newf("unknown_check", "there is no evidence %q in this project", id).WithNext("hop log")
	}
	return hop.Shown{Check: &check}, err
}

func (p *Project) showOperation(ctx context.Context, id string) (hop.Shown, error) {
	operation, err := p.Operation(ctx, id)
	if err != nil {
		return hop.Shown{}, err
	}
	out := hop.Shown{Operation: &operation}
	for _, s := range operation.States {
		entry, err := p.State(ctx, s)
		if err != nil {
			return out, err
		}
		out.States = append(out.States, entry.State)
	}
	out.UndoneBy, err = p.UndoneBy(ctx, id)
	return out, err
}

// Log returns the newest states, newest first.
func (p *Project) Log(ctx context.Context, limit int) ([]hop.Node, error) {
	entries, err := p.Newest(ctx, limit)
	if err != nil {
		return nil, err
	}
	nodes := make([]hop.Node, 0, len(entries))
	for _, e := range entries {
		node, err := p.node(ctx, e)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

// node is a state with what was answered to it and what ran about it.
func (p *Project) node(ctx context.Context, e ledger.Entry) (hop.Node, error) {
	node := hop.Node{State: e.State, Parents: e.State.Parents}
	if e.State.Kind == hop.KindPrompt {
		answer, _, err := p.Completion(ctx, e.State.ID)
		node.Answer = answer.Summary
		return node, err
	}
	checks, err := p.ChecksAbout(ctx, e.State.ID)
	if check, found, checkErr := p.Ledger.Check(ctx, e.Facts.Check); found && len(checks) == 0 {
		checks = append(checks, check)
	} else if err == nil {
		err = checkErr
	}
	for _, k := range checks {
		node.Runs = append(node.Runs, hop.Run{ID: k.ID, Command: k.Command, ExitCode: k.ExitCode})
	}
	return node, err
}

// Titles are the titles of the tasks that attempts belong to, by attempt.
func (p *Project) Titles(ctx context.Context, attempts []hop.Attempt) (map[string]string, error) {
	titles := map[string]string{}
	for _, a := range attempts {
		task, err := p.Task(ctx, a.TaskID)
		if err != nil {
			return nil, err
		}
		titles[a.ID] = task.Title
	}
	return titles, nil
}
