package op

import (
	"bytes"
	"context"
	"slices"

	"bridle/hop"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// CodeConflict marks work that still holds conflict markers.
const CodeConflict = "conflict_markers"

// Refresh carries the attempt of a state onto the accepted state of now. What its
// workspace held is recorded first; then the workspace gets the merge, with
// conflicts as git writes them, and that is recorded too.
func (p *Project) Refresh(ctx context.Context, id string) (hop.Refreshed, error) {
	_, attempt, err := p.stateOfAttempt(ctx, id)
	if err != nil {
		return hop.Refreshed{}, err
	}
	unlock, err := p.lockWorkspace(ctx, attempt.ID, "refresh")
	if err != nil {
		return hop.Refreshed{}, err
	}
	defer unlock()
	before, err := p.checkpoint(ctx, attempt)
	if err != nil {
		return hop.Refreshed{}, err
	}
	accepted, err := p.Accepted(ctx)
	if err != nil {
		return hop.Refreshed{}, err
	}
	base, baseState, err := p.landingBase(ctx, before.State)
	if err != nil {
		return hop.Refreshed{}, err
	}
	out := hop.Refreshed{AcceptedHead: accepted.State, Checkpoint: before.State, Before: before.ID, Conflicts: []string{}}
	if baseState != accepted.State.ID {
		merge, err := p.Repo.MergeTrees(ctx, base, git.OID(accepted.State.SourceTree), git.OID(before.SourceTree))
		if err != nil {
			return out, err
		}
		out.Conflicts = conflictPaths(merge)
		facts := hop.Facts{BaseTree: accepted.State.SourceTree, BaseState: accepted.State.ID, Conflicts: out.Conflicts}
		made, err := p.rewriteWorkspace(ctx, "refresh", attempt, merge.Tree, facts)
		if err != nil {
			return out, err
		}
		out.Checkpoint = made.State
	}
	return p.describeRefresh(ctx, attempt.ID, out)
}

func (p *Project) describeRefresh(ctx context.Context, id string, out hop.Refreshed) (hop.Refreshed, error) {
	attempt, err := p.Attempt(ctx, id)
	if err != nil {
		return out, err
	}
	if out.Task, err = p.Task(ctx, attempt.TaskID); err != nil {
		return out, err
	}
	out.Attempt = p.absolute(attempt)
	out.Workspace = out.Attempt.Workspace
	env := p.environment(out.Checkpoint, out.Attempt)
	for _, name := range hop.EnvNames() {
		out.Deliver = append(out.Deliver, name+"="+env.Variables[name])
	}
	return out, nil
}

func conflictPaths(m git.Merge) []string {
	paths := []string{}
	for _, c := range m.Conflicts {
		path, _ := hop.ReadablePath(c.Path)
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// refuseMarkers refuses to freeze work in which a refresh's conflicts were not
// resolved.
func (p *Project) refuseMarkers(ctx context.Context, head hop.State, tree git.OID) error {
	conflicts, base, err := p.openConflicts(ctx, head)
	if err != nil || len(conflicts) == 0 {
		return err
	}
	changes, err := p.Repo.Diff(ctx, base, tree)
	if err != nil {
		return err
	}
	var left []string
	for _, c := range changes {
		path, _ := hop.ReadablePath(c.Path)
		if c.Kind == git.Deleted || !slices.Contains(conflicts, path) || c.NewMode == git.ModeGitlink {
			continue
		}
		data, err := p.Repo.Blob(ctx, c.NewID)
		if err != nil {
			return err
		}
		if hasMarkers(data) {
			left = append(left, path)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return fault.Newf(CodeConflict, "%q still holds conflict markers", left[0]).Because(&Details{Paths: left}).
		WithHint("resolve the conflicts that the refresh left, then propose again")
}

// openConflicts returns the conflicts of the last refresh before a state, and the
// tree that it was made on.
func (p *Project) openConflicts(ctx context.Context, s hop.State) ([]string, git.OID, error) {
	for {
		entry, found, err := p.Turn(ctx, s.ID)
		if err != nil || !found {
			return nil, "", err
		}
		if entry.Facts.BaseTree != "" {
			return entry.Facts.Conflicts, git.OID(entry.Facts.BaseTree), nil
		}
		next, found, err := p.runParent(ctx, entry.State)
		if err != nil || !found {
			return nil, "", err
		}
		s = next
	}
}

// runParent is the state before one in the same run.
func (p *Project) runParent(ctx context.Context, s hop.State) (hop.State, bool, error) {
	parent, ok := s.Parent(hop.RoleRunParent)
	if !ok {
		return hop.State{}, false, nil
	}
	entry, err := p.State(ctx, parent)
	return entry.State, true, err
}

func hasMarkers(data []byte) bool {
	opened := false
	for line := range bytes.Lines(data) {
		switch {
		case bytes.HasPrefix(line, []byte("<<<<<<< ")):
			opened = true
		case opened && bytes.HasPrefix(line, []byte(">>>>>>> ")):
			return true
		}
	}
	return false
}
