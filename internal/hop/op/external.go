package op

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// maxAncestry bounds the walk that decides whether a commit of the user's
// descends from the accepted one.
const maxAncestry = 10_000

// adoptCommits takes commits that the user made on top of the accepted one into
// the accepted line, so that a new attempt starts from them.
func (p *Project) adoptCommits(ctx context.Context, out *hop.Started) error {
	for range maxRetries {
		err := p.adoptOnce(ctx, out)
		if !fault.Is(err, ledger.CodeHeadChanged) {
			return err
		}
	}
	return p.adoptOnce(ctx, out)
}

func (p *Project) adoptOnce(ctx context.Context, out *hop.Started) error {
	head, err := p.Repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return err
	}
	accepted, err := p.Accepted(ctx)
	if err != nil || string(head.Commit) == accepted.State.GitCommit {
		return err
	}
	descends, err := p.descends(ctx, head.Commit, git.OID(accepted.State.GitCommit))
	if err != nil {
		return err
	}
	if !descends {
		return p.warnDiverged(ctx, head, accepted, out)
	}
	commit, err := p.Repo.Commit(ctx, head.Commit)
	if err != nil {
		return err
	}
	err = p.record(ctx, "external", func(t *ledger.Tx) error {
		if err := t.ExpectAccepted(ctx, accepted.State.ID); err != nil {
			return err
		}
		s := t.State(hop.State{
			Kind: hop.KindAccepted, CanonicalAnchorID: accepted.State.ID, SourceTree: string(commit.Tree), GitCommit: string(head.Commit),
			Summary: redacted(title(commit.Message)), Agent: "hop",
			Parents: []hop.Parent{{StateID: accepted.State.ID, Role: hop.RoleCanonicalParent}},
		}, hop.Facts{Origin: hop.OriginExternal, Head: string(head.Commit)})
		t.Accept(s)
		out.External = &s
		return nil
	})
	return err
}

// warnDiverged tells that the user's branch has commits that the accepted line
// does not have and cannot simply take.
func (p *Project) warnDiverged(ctx context.Context, head git.Head, accepted ledger.Entry, out *hop.Started) error {
	behind, err := p.descends(ctx, git.OID(accepted.State.GitCommit), head.Commit)
	if err != nil || behind {
		return err
	}
	if err := p.recordRewritten(ctx, head, accepted); err != nil {
		return err
	}
	out.Warnings = append(out.Warnings, "the checked-out commit "+string(head.Commit)+" is not part of the accepted line; the attempt starts from "+accepted.State.ID+
		"; git merge "+ledger.AcceptedRef+" brings the two together")
	return nil
}

// recordRewritten notes once that the branch went elsewhere.
func (p *Project) recordRewritten(ctx context.Context, head git.Head, accepted ledger.Entry) error {
	if accepted.Facts.Rewritten == string(head.Commit) {
		return nil
	}
	err := p.record(ctx, "branch_rewritten", func(t *ledger.Tx) error {
		if err := t.ExpectAccepted(ctx, accepted.State.ID); err != nil {
			return err
		}
		facts := accepted.Facts
		facts.Rewritten = string(head.Commit)
		t.Facts(accepted.State.ID, facts)
		return nil
	})
	return err
}

// staleAttempts are the open attempts whose base the user's branch does not have,
// when it neither continues the accepted line nor is part of it.
func (p *Project) staleAttempts(ctx context.Context, attempts []hop.Attempt) ([]string, error) {
	head, err := p.Repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return nil, err
	}
	accepted, err := p.Accepted(ctx)
	if err != nil {
		return nil, err
	}
	for _, pair := range [][2]git.OID{{head.Commit, git.OID(accepted.State.GitCommit)}, {git.OID(accepted.State.GitCommit), head.Commit}} {
		related, err := p.descends(ctx, pair[0], pair[1])
		if err != nil || related {
			return nil, err
		}
	}
	var stale []string
	for _, a := range attempts {
		base, err := p.State(ctx, a.BaseStateID)
		if err != nil {
			return nil, err
		}
		has, err := p.descends(ctx, head.Commit, git.OID(base.State.GitCommit))
		if err != nil {
			return nil, err
		}
		if !has {
			stale = append(stale, a.ID)
		}
	}
	return stale, nil
}

// descends reports whether commit has ancestor among its ancestors. Beyond the
// bound it says no: nothing is adopted that is not known to descend.
func (p *Project) descends(ctx context.Context, commit, ancestor git.OID) (bool, error) {
	queue, seen := []git.OID{commit}, map[git.OID]bool{}
	for len(queue) > 0 && len(seen) < maxAncestry {
		at := queue[0]
		queue = queue[1:]
		if at == ancestor {
			return true, nil
		}
		if seen[at] {
			continue
		}
		seen[at] = true
		missing, err := p.Repo.Exists(ctx, at)
		if err != nil {
			return false, err
		}
		if len(missing) > 0 {
			continue // the end of a shallow clone
		}
		c, err := p.Repo.Commit(ctx, at)
		if err != nil {
			return false, err
		}
		queue = append(queue, c.Parents...)
	}
	return false, nil
}
