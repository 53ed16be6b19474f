package op

import (
	"context"
	"path/filepath"
	"strings"

	"bridle/hop"
	"bridle/internal/kernel/fault"
)

// Current names the state that is meant where none is named: the one in
// HOP_STATE_ID, else the head of the attempt whose workspace the caller stands in.
// It is empty where there is neither.
func (p *Project) Current(ctx context.Context) (string, error) {
	if id := p.env(hop.EnvState); id != "" {
		return id, p.explainVariable(ctx, id)
	}
	id, found := p.attemptHere()
	if !found {
		return "", nil
	}
	attempt, err := p.Attempt(ctx, id)
	return attempt.HeadStateID, err
}

// CurrentHead is the newest state of the attempt that Current leads to.
func (p *Project) CurrentHead(ctx context.Context) (string, error) {
	id, err := p.Current(ctx)
	if id == "" || err != nil {
		return "", err
	}
	entry, err := p.State(ctx, id)
	if err != nil || entry.State.AttemptID == "" || entry.State.Kind == hop.KindAccepted {
		return id, err
	}
	attempt, err := p.Attempt(ctx, entry.State.AttemptID)
	return attempt.HeadStateID, err
}

// CurrentProposal is the newest state of the current attempt, but the proposal
// itself where that has failed to land: it is what may be tried again.
func (p *Project) CurrentProposal(ctx context.Context) (string, error) {
	id, err := p.CurrentHead(ctx)
	if id == "" || err != nil {
		return "", err
	}
	entry, err := p.State(ctx, id)
	if err != nil || entry.State.Kind != hop.KindFailed {
		return id, err
	}
	for _, parent := range entry.State.Parents {
		if parent.Role == hop.RoleRunParent {
			return parent.StateID, nil
		}
	}
	return id, nil
}

// explainVariable says where an unknown state came from: nobody typed it.
func (p *Project) explainVariable(ctx context.Context, id string) error {
	_, err := p.State(ctx, id)
	if err == nil {
		return nil
	}
	f := *fault.From(err)
	f.Cause = err
	f.Hint = hop.EnvState + " names it; unset it, set it by hop env, or name another state"
	return &f
}

// attemptHere is the attempt whose workspace the caller stands in.
func (p *Project) attemptHere() (string, bool) {
	for _, folder := range p.Layout.WorkspaceFolders() {
		inside, err := filepath.Rel(realPath(folder), realPath(p.Dir))
		if err != nil || !filepath.IsLocal(inside) || inside == "." {
			continue
		}
		id, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
		if prefix, _, ok := hop.ParseID(id); ok && prefix == hop.PrefixAttempt {
			return id, true
		}
	}
	return "", false
}
