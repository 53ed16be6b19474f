package op

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/git"
)

// maxHistory bounds what history answers.
const maxHistory = 1000

// Status tells where the project stands.
func (p *Project) Status(ctx context.Context) (hop.Overview, error) {
	head, err := p.Accepted(ctx)
	if err != nil {
		return hop.Overview{}, err
	}
	all, err := p.OpenAttempts(ctx)
	if err != nil {
		return hop.Overview{}, err
	}
	attempts, shared, err := p.byMachine(ctx, all)
	if err != nil {
		return hop.Overview{}, err
	}
	for i := range attempts {
		attempts[i] = p.absolute(attempts[i])
	}
	return hop.Overview{Root: p.Layout.Root, AcceptedHead: head.State, Attempts: attempts, Shared: shared, Warnings: p.Notes}, nil
}

// byMachine tells the attempts of this machine from those of others.
func (p *Project) byMachine(ctx context.Context, all []hop.Attempt) (own, others []hop.Attempt, err error) {
	shared, err := p.Shared(ctx)
	if err != nil || !shared {
		return all, nil, err
	}
	own = []hop.Attempt{}
	for _, a := range all {
		machine, err := p.MachineOf(ctx, a.ID)
		if err != nil {
			return nil, nil, err
		}
		if machine == "" {
			own = append(own, a)
			continue
		}
		a.Workspace = ""
		others = append(others, a)
	}
	return own, others, nil
}

// StatusOfRoot is Status with what the visible folder holds: it walks the folder.
// What a sync wrote there is told apart from what the user edited.
func (p *Project) StatusOfRoot(ctx context.Context) (hop.Overview, error) {
	out, err := p.Status(ctx)
	if err != nil {
		return out, err
	}
	f, err := p.lookAtRoot(ctx)
	if err != nil {
		return out, err
	}
	if out.Stale, err = p.staleAttempts(ctx, out.Attempts); err != nil {
		return out, err
	}
	out.RootState = f.base.ID
	switch {
	case len(f.edits) > 0:
		out.RootStatus = hop.RootDiverged
		out.RootPaths, _ = readable(pathsOf(f.edits))
	case len(f.touched) > 0:
		out.RootStatus = hop.RootStale
		out.RootPaths, _ = readable(pathsOf(f.touched))
	default:
		out.RootStatus = hop.RootInStep
	}
	return out, nil
}

// Graph returns every state with its parents, oldest first.
func (p *Project) Graph(ctx context.Context) ([]hop.Node, error) {
	entries, err := p.All(ctx)
	if err != nil {
		return nil, err
	}
	nodes := make([]hop.Node, 0, len(entries))
	for _, e := range entries {
		nodes = append(nodes, hop.Node{State: e.State, Parents: e.State.Parents})
	}
	return nodes, nil
}

// History returns the accepted states, newest first; of those that other machines
// have shared, the ones on our line.
func (p *Project) History(ctx context.Context) ([]hop.State, error) {
	shared, err := p.Shared(ctx)
	if err != nil {
		return nil, err
	}
	if shared {
		head, err := p.Accepted(ctx)
		if err != nil {
			return nil, err
		}
		line, err := lineOf(ctx, p.Reader, head.State)
		return line[:min(len(line), maxHistory)], err
	}
	entries, err := p.Newest(ctx, maxHistory, hop.KindAccepted)
	if err != nil {
		return nil, err
	}
	out := make([]hop.State, 0, len(entries))
	for _, e := range entries {
		out = append(out, e.State)
	}
	return out, nil
}

// Diff returns the changes of a state: against the other state, or against what
// it derives from when there is none.
func (p *Project) Diff(ctx context.Context, id, other string) (hop.Difference, error) {
	entry, err := p.State(ctx, id)
	if err != nil {
		return hop.Difference{}, err
	}
	var base string
	tree := git.OID(entry.State.SourceTree)
	if other != "" {
		second, err := p.State(ctx, other)
		if err != nil {
			return hop.Difference{}, err
		}
		base, tree = entry.State.SourceTree, git.OID(second.State.SourceTree)
	} else if base, err = p.comparedWith(ctx, entry); err != nil {
		return hop.Difference{}, err
	}
	text, err := p.Repo.Patch(ctx, git.OID(base), tree)
	if err != nil {
		return hop.Difference{}, err
	}
	return hop.Difference{State: id, Against: other, Diff: string(text)}, nil
}

// comparedWith is the tree that a state's changes are counted from.
func (p *Project) comparedWith(ctx context.Context, e ledger.Entry) (string, error) {
	if e.State.Kind == hop.KindAccepted {
		parent, ok := e.State.Parent(hop.RoleCanonicalParent)
		if !ok {
			return "", nil
		}
		before, err := p.State(ctx, parent)
		return before.State.SourceTree, err
	}
	attempt, err := p.Attempt(ctx, e.State.AttemptID)
	if err != nil {
		return "", err
	}
	base, err := p.State(ctx, attempt.BaseStateID)
	return base.State.SourceTree, err
}
