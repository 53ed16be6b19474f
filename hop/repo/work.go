package repo

import (
	"context"
	"time"

	"bridle/hop"
	"bridle/internal/hop/op"
)

// Prompt is an instruction to record.
type Prompt struct {
	Text string
	// From is the state to go on from; empty means the accepted head, or what the
	// session is at.
	From string
	// Agent is who will act on it; Session is the conversation that it belongs to.
	Agent, Session string
}

func (p Prompt) request() op.PromptRequest {
	return op.PromptRequest{Text: p.Text, From: p.From, Agent: p.Agent, Session: p.Session}
}

// Begin records an instruction before anything is done because of it, in the
// attempt that the session is at or in a new one, and makes the project first
// where there is none.
func Begin(ctx context.Context, o Options, prompt Prompt) (*Project, hop.Begun, error) {
	p, begun, err := op.Begin(ctx, o.surroundings(), prompt.request())
	if err != nil {
		return nil, hop.Begun{}, public(err)
	}
	return &Project{p}, begun, nil
}

// Record records an instruction: as a follow-up in the attempt of Prompt.From, or
// in a new attempt. The session is not looked at.
func (p *Project) Record(ctx context.Context, prompt Prompt) (hop.Started, error) {
	return result(p.p.Prompt(ctx, "prompt", prompt.request()))
}

// Checkpoint records the workspace of the state's attempt as it is.
func (p *Project) Checkpoint(ctx context.Context, state string) (hop.Checkpointed, error) {
	return result(p.p.Checkpoint(ctx, state))
}

// Check records the workspace and runs a command in a clean checkout of exactly
// that. A command that fails is an error whose Check is the evidence.
func (p *Project) Check(ctx context.Context, state string, command ...string) (hop.Check, error) {
	return result(p.p.Check(ctx, op.CheckRequest{State: state, Command: command}))
}

// Propose freezes the workspace of the state's attempt as a proposal.
func (p *Project) Propose(ctx context.Context, state, summary string) (hop.Proposed, error) {
	return result(p.p.Propose(ctx, op.ProposeRequest{State: state, Summary: summary}))
}

// Answer is the final answer to a prompt.
type Answer struct {
	// Response is the answer in full, Summary what it says in short; its first line
	// when empty.
	Response, Summary string
}

// Complete records the final answer to the prompt that led to a state, credentials
// replaced, and what the workspace holds with it.
func (p *Project) Complete(ctx context.Context, state string, a Answer) (hop.Completed, error) {
	return result(p.p.Complete(ctx, op.CompleteRequest{State: state, Response: a.Response, Summary: a.Summary}))
}

// Refresh carries the attempt of a state onto the accepted state of now.
func (p *Project) Refresh(ctx context.Context, state string) (hop.Refreshed, error) {
	return result(p.p.Refresh(ctx, state))
}

// Restore gives the workspace of an attempt the files of a state: that of the
// state into, or its own.
func (p *Project) Restore(ctx context.Context, state, into string) (hop.Checkpointed, error) {
	return result(p.p.Restore(ctx, state, into))
}

// Resume makes sure that the attempt of a state has its workspace.
func (p *Project) Resume(ctx context.Context, state string) (hop.Resumed, error) {
	return result(p.p.Resume(ctx, state))
}

// Cancel ends the attempt of a state.
func (p *Project) Cancel(ctx context.Context, state, reason string) (hop.State, error) {
	return result(p.p.Cancel(ctx, state, reason))
}

// Landing is work that is to become accepted.
type Landing struct {
	Proposals []string
	// Command validates the composed tree; without one nothing is run.
	Command []string
	// Sync also writes the result into the visible folder.
	Sync bool
	// Remote also publishes the result on a git remote, all or nothing: where
	// another machine landed first, nothing is accepted here or there.
	Remote string
}

// Land composes proposals with the accepted state, validates the result, and
// makes it the accepted state.
func (p *Project) Land(ctx context.Context, l Landing) (hop.Landed, error) {
	return result(p.p.Land(ctx, op.LandRequest{Verb: "land", Proposals: l.Proposals, Command: l.Command, Sync: l.Sync, Remote: l.Remote}))
}

// Undo takes the accepted head back by a new accepted state.
func (p *Project) Undo(ctx context.Context) (hop.State, error) { return result(p.p.Undo(ctx)) }

// UndoTo goes back to an earlier accepted state.
func (p *Project) UndoTo(ctx context.Context, state string) (hop.State, error) {
	return result(p.p.UndoTo(ctx, state))
}

// UndoOperation reverses one operation and keeps what was accepted since.
func (p *Project) UndoOperation(ctx context.Context, operation string) (hop.State, error) {
	return result(p.p.UndoOperation(ctx, operation))
}

// Redo takes the last undo back.
func (p *Project) Redo(ctx context.Context) (hop.State, error) { return result(p.p.Redo(ctx)) }

// Sync writes the accepted tree into the visible folder where that overwrites
// nothing of the user's. With adopt, the user's edits become accepted first; with
// branch, the checked-out branch follows.
func (p *Project) Sync(ctx context.Context, adopt, branch bool) (hop.Synced, error) {
	return result(p.p.Sync(ctx, op.SyncRequest{Adopt: adopt, Branch: branch}))
}

// Collect parks the attempts in which nothing was recorded for a while and frees
// their room; no state is removed.
func (p *Project) Collect(ctx context.Context, olderThan time.Duration) (hop.Collected, error) {
	return result(p.p.Collect(ctx, op.GCRequest{OlderThan: olderThan}))
}
