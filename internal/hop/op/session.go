package op

import (
	"context"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
)

// Submit records an instruction that a client is about to deliver: in the attempt of
// its conversation, else after the state that the environment names, else in a new
// attempt. One that a controller has just recorded in that state is not recorded
// again.
func (p *Project) Submit(ctx context.Context, r PromptRequest) (hop.Started, error) {
	if err := r.check(); err != nil {
		return hop.Started{}, err
	}
	_, found, err := p.Session(ctx, r.Agent, r.Session)
	if err != nil {
		return hop.Started{}, err
	}
	if found {
		return p.begin(ctx, r)
	}
	s, attempt, err := p.stateOfAttempt(ctx, p.Env(hop.EnvState))
	if err != nil {
		// The variable names nothing here: it is from elsewhere, or not set.
		return p.begin(ctx, r)
	}
	text, _ := cleaned(r.Text)
	if s.Kind != hop.KindPrompt || attempt.HeadStateID != s.ID || strings.TrimSpace(s.Prompt) != strings.TrimSpace(text) {
		r.From = s.ID
		return p.begin(ctx, r)
	}
	out := hop.Started{Prompt: s, Attempt: attempt, Warnings: p.Notes}
	if out.Task, err = p.Task(ctx, s.TaskID); err != nil {
		return out, err
	}
	_, err = p.record(ctx, "bind", func(t *ledger.Tx) error {
		t.About(attempt.ID)
		bindSession(t, r, s)
		return nil
	})
	return p.deliver(out), err
}

// OfSession is the newest state of the attempt that a conversation works in, else
// the state that the environment names; empty where there is neither.
func (p *Project) OfSession(ctx context.Context, agent, session string) (string, error) {
	bound, found, err := p.Session(ctx, agent, session)
	if err != nil {
		return "", err
	}
	if !found {
		s, _, err := p.stateOfAttempt(ctx, p.Env(hop.EnvState))
		if err != nil {
			return "", nil //nolint:nilerr // the variable names nothing here
		}
		return s.ID, nil
	}
	attempt, err := p.Attempt(ctx, bound.Attempt)
	return attempt.HeadStateID, err
}

// PromptOfSession is the state of the newest prompt in a conversation.
func (p *Project) PromptOfSession(ctx context.Context, agent, session string) (string, error) {
	bound, found, err := p.Session(ctx, agent, session)
	if err == nil && !found {
		err = fault.Newf("unknown_session", "no prompt of the session %q of %q is recorded in this project", session, agent).
			WithHint("its first prompt makes it known").WithNext("hop begin --session " + Quote(session) + " --heredoc")
	}
	return bound.State, err
}
