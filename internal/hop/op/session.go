package op

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Submit records an instruction that a client is about to deliver: in the attempt of
// its conversation, else after the state that the environment names, else in a new
// attempt. One that was recorded already and that nothing came of yet is not recorded
// again: a controller did so, or the client delivers it twice.
func (p *Project) Submit(ctx context.Context, r PromptRequest) (hop.Started, error) {
	if err := r.check(); err != nil {
		return hop.Started{}, err
	}
	unlock, err := p.lockSession(ctx, r)
	if err != nil {
		return hop.Started{}, err
	}
	defer unlock()
	bound, found, err := p.Session(ctx, r.Agent, r.Session)
	if err != nil {
		return hop.Started{}, err
	}
	from := bound.State
	if !found {
		from = p.env(hop.EnvState)
	}
	s, attempt, err := p.stateOfAttempt(ctx, from)
	if err != nil {
		// The variable names nothing here: it is from elsewhere, or not set.
		return p.begin(ctx, r)
	}
	waits, err := p.waits(ctx, r, s, attempt)
	if err != nil {
		return hop.Started{}, err
	}
	if waits {
		return p.deliverAgain(ctx, r, s, found)
	}
	if !found {
		r.From = s.ID
	}
	return p.begin(ctx, r)
}

// lockSession has the events of one conversation wait for each other: a client may
// be set up to tell each one twice.
func (p *Project) lockSession(ctx context.Context, r PromptRequest) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, workspaceWait)
	defer cancel()
	sum := sha256.Sum256([]byte(r.Agent + "\x00" + r.Session))
	return durable.Lock(ctx, p.Layout.LockFile("session-"+hex.EncodeToString(sum[:8])), "hop hook")
}

// waits reports whether a state is the instruction of a request, and nothing has come
// of it yet.
func (p *Project) waits(ctx context.Context, r PromptRequest, s hop.State, attempt hop.Attempt) (bool, error) {
	text, _ := cleaned(r.Text)
	if s.Kind != hop.KindPrompt || attempt.HeadStateID != s.ID || strings.TrimSpace(s.Prompt) != strings.TrimSpace(text) {
		return false, nil
	}
	_, answered, err := p.Completion(ctx, s.ID)
	return !answered, err
}

// deliverAgain answers with a prompt that is recorded, and binds the conversation to
// it where that is not done.
func (p *Project) deliverAgain(ctx context.Context, r PromptRequest, s hop.State, bound bool) (hop.Started, error) {
	resumed, err := p.Resume(ctx, s.ID)
	if err != nil {
		return hop.Started{}, recordedAnyway(err, s.ID)
	}
	out := hop.Started{Prompt: s, Attempt: resumed.Attempt, Workspace: resumed.Workspace, Deliver: resumed.Deliver, Warnings: p.Notes}
	if out.Task, err = p.Task(ctx, s.TaskID); err != nil || bound {
		return out, err
	}
	err = p.record(ctx, "bind", func(t *ledger.Tx) error {
		t.About(s.AttemptID)
		bindSession(t, r, s)
		return nil
	})
	return out, err
}

// OfSession is the newest state of the attempt that a conversation works in, else
// the state that the environment names; empty where there is neither.
func (p *Project) OfSession(ctx context.Context, agent, session string) (string, error) {
	bound, found, err := p.Session(ctx, agent, session)
	if err != nil {
		return "", err
	}
	if !found {
		s, _, err := p.stateOfAttempt(ctx, p.env(hop.EnvState))
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
