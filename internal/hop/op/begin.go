package op

import (
	"context"
	"errors"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
)

// PromptRequest is an instruction that is to be recorded.
type PromptRequest struct {
	Text string
	// From is the state to go on from; empty means the accepted head, or what the
	// session was at.
	From string
	// Agent is who will act on it, or empty.
	Agent string
	// Session is the id of the conversation that it belongs to, or empty.
	Session string
}

// check refuses a request that may not be recorded.
func (r PromptRequest) check() error {
	return errors.Join(checkPrompt(r.Text), checkName("name of the agent", r.Agent), checkName("id of the session", r.Session))
}

// Begin records an instruction before anything is done because of it: in the
// attempt that the session is at, else in a new one. It makes the project first
// where there is none.
func Begin(ctx context.Context, s Surroundings, r PromptRequest) (*Project, hop.Begun, error) {
	if err := r.check(); err != nil {
		return nil, hop.Begun{}, err
	}
	p, err := Open(ctx, s)
	var made Initialized
	if fault.Is(err, CodeNoProject) && s.env(hop.EnvRoot) == "" {
		p, made, err = Init(ctx, s, s.Dir)
	}
	if err != nil {
		return nil, hop.Begun{}, err
	}
	started, err := p.begin(ctx, r)
	if err != nil {
		return nil, hop.Begun{}, errors.Join(err, p.Close())
	}
	started.Incomplete = append(made.Incomplete, started.Incomplete...)
	return p, hop.Begun{Started: started, Initialized: made.Created, SessionID: r.Session}, nil
}

func (p *Project) begin(ctx context.Context, r PromptRequest) (hop.Started, error) {
	if r.From != "" || r.Session == "" {
		return p.prompt(ctx, "begin", r)
	}
	bound, found, err := p.Session(ctx, r.Agent, r.Session)
	if err != nil {
		return hop.Started{}, err
	}
	if found {
		attempt, err := p.Attempt(ctx, bound.Attempt)
		if err != nil {
			return hop.Started{}, err
		}
		return p.follow(ctx, "begin", attempt, r)
	}
	return p.prompt(ctx, "begin", r)
}

// Prompt records an instruction: in the attempt of the state it goes on from, or
// in a new attempt when that is an accepted one.
func (p *Project) Prompt(ctx context.Context, verb string, r PromptRequest) (hop.Started, error) {
	if err := r.check(); err != nil {
		return hop.Started{}, err
	}
	return p.prompt(ctx, verb, r)
}

func (p *Project) prompt(ctx context.Context, verb string, r PromptRequest) (hop.Started, error) {
	if r.From == "" {
		return p.start(ctx, verb, "", r)
	}
	from, err := p.State(ctx, r.From)
	if err != nil {
		return hop.Started{}, err
	}
	if from.State.Kind == hop.KindAccepted {
		return p.start(ctx, verb, from.State.ID, r)
	}
	_, attempt, err := p.stateOfAttempt(ctx, r.From)
	if err != nil {
		return hop.Started{}, err
	}
	return p.follow(ctx, verb, attempt, r)
}

// start records a prompt in a new attempt and makes its workspace.
func (p *Project) start(ctx context.Context, verb, from string, r PromptRequest) (hop.Started, error) {
	text, counts := cleaned(r.Text)
	out := hop.Started{Redactions: counts, Warnings: p.Notes}
	if from == "" {
		if err := p.adoptCommits(ctx, &out); err != nil {
			return out, err
		}
	}
	err := p.record(ctx, verb, func(t *ledger.Tx) error {
		anchor, err := anchorOf(ctx, t, from)
		if err != nil {
			return err
		}
		out.Task = hop.Task{ID: newID(t, hop.PrefixTask), Title: title(text), Status: hop.StatusActive, CreatedAt: t.Now()}
		out.Attempt = hop.Attempt{
			ID: newID(t, hop.PrefixAttempt), TaskID: out.Task.ID, Agent: r.Agent,
			BaseStateID: anchor.ID, Status: hop.StatusActive, CreatedAt: t.Now(),
		}
		out.Attempt.Workspace = workspaceOf(out.Attempt.ID)
		t.About(out.Attempt.ID)
		out.Prompt = t.State(hop.State{
			Kind: hop.KindPrompt, TaskID: out.Task.ID, AttemptID: out.Attempt.ID, CanonicalAnchorID: anchor.ID,
			SourceTree: anchor.SourceTree, GitCommit: anchor.GitCommit, Prompt: text, Agent: r.Agent,
			Parents: []hop.Parent{{StateID: anchor.ID, Role: hop.RoleRunParent}, {StateID: anchor.ID, Role: hop.RoleCanonicalAnchor}},
		}, hop.Facts{Redactions: counts})
		out.Attempt.HeadStateID = out.Prompt.ID
		t.Task(out.Task)
		t.Attempt(out.Attempt)
		bindSession(t, r, out.Prompt)
		return nil
	})
	if err != nil {
		return out, err
	}
	if err := p.makeWorkspace(ctx, out.Attempt, out.Prompt); err != nil {
		return out, recordedAnyway(err, out.Prompt.ID)
	}
	return p.deliver(out), nil
}

// recordedAnyway tells where the prompt is although its workspace is not ready.
func recordedAnyway(err error, prompt string) error {
	f := *fault.From(err)
	f.Cause = err
	f.Message = "the prompt is recorded as \"" + prompt + "\", but its workspace is not ready: " + f.Message
	f.Next = append([]string{"hop resume " + prompt}, f.Next...)
	return &f
}

// anchorOf is the accepted state that a new attempt starts from.
func anchorOf(ctx context.Context, t *ledger.Tx, from string) (hop.State, error) {
	if from == "" {
		head, err := t.Accepted(ctx)
		return head.State, err
	}
	entry, err := t.Reader.State(ctx, from)
	return entry.State, err
}

func bindSession(t *ledger.Tx, r PromptRequest, prompt hop.State) {
	if r.Session != "" {
		t.Session(ledger.Session{Agent: r.Agent, ID: r.Session, Attempt: prompt.AttemptID, State: prompt.ID})
	}
}

// follow records the workspace as it is and then a prompt in the same attempt.
func (p *Project) follow(ctx context.Context, verb string, attempt hop.Attempt, r PromptRequest) (hop.Started, error) {
	text, counts := cleaned(r.Text)
	out := hop.Started{Redactions: counts, Warnings: p.Notes}
	unlock, err := p.lockWorkspace(ctx, attempt.ID, verb)
	if err != nil {
		return out, err
	}
	defer unlock()
	shot, err := p.shoot(ctx, attempt)
	if err != nil && !fault.Is(err, CodeNoWorkspace) {
		return out, err
	}
	lost := err != nil
	err = p.record(ctx, verb, func(t *ledger.Tx) error {
		return p.followUp(ctx, t, attempt.ID, shot, text, r, counts, &out)
	})
	if err != nil {
		return out, err
	}
	if lost {
		out.Warnings = append(out.Warnings, "the workspace was not there; it is made anew from the attempt's last state")
		if err := p.fillWorkspace(ctx, out.Attempt, out.Prompt); err != nil {
			return out, recordedAnyway(err, out.Prompt.ID)
		}
	}
	return p.deliver(out), nil
}

// followUp records checkpoint and prompt in one transaction.
func (p *Project) followUp(ctx context.Context, t *ledger.Tx, id string, shot *shot, text string, r PromptRequest, counts []hop.Redaction, out *hop.Started) error {
	attempt, head, err := headOf(ctx, t, id)
	if err != nil {
		return err
	}
	if out.Task, err = t.Reader.Task(ctx, attempt.TaskID); err != nil {
		return err
	}
	accepted, err := t.Accepted(ctx)
	if err != nil {
		return err
	}
	t.About(attempt.ID)
	work, err := p.ownWork(ctx, head)
	if err != nil {
		return err
	}
	if shot != nil && head.Kind != hop.KindCancelled {
		c := p.checkpointIn(t, attempt, head, shot)
		out.Checkpoint, out.Incomplete, head, work = &c, problems(shot.Snapshot), c, c
	}
	if r.Agent == "" {
		r.Agent = attempt.Agent
	}
	out.Prompt = t.State(hop.State{
		Kind: hop.KindPrompt, TaskID: attempt.TaskID, AttemptID: attempt.ID, CanonicalAnchorID: accepted.State.ID,
		SourceTree: work.SourceTree, GitCommit: work.GitCommit, Prompt: text, Agent: r.Agent,
		Parents: []hop.Parent{{StateID: head.ID, Role: hop.RoleRunParent}, {StateID: accepted.State.ID, Role: hop.RoleCanonicalAnchor}},
	}, hop.Facts{Redactions: counts})
	attempt.HeadStateID, attempt.Status = out.Prompt.ID, hop.StatusActive
	out.Task.Status = hop.StatusActive
	out.Attempt = attempt
	t.Task(out.Task)
	t.Attempt(attempt)
	bindSession(t, r, out.Prompt)
	return nil
}

// deliver completes the answer with the environment of the prompt.
func (p *Project) deliver(out hop.Started) hop.Started {
	out.Attempt = p.absolute(out.Attempt)
	out.Workspace = out.Attempt.Workspace
	env := p.environment(out.Prompt, out.Attempt)
	for _, name := range hop.EnvNames() {
		out.Deliver = append(out.Deliver, name+"="+env.Variables[name])
	}
	return out
}
