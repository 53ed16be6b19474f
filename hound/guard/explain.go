package guard

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"bridle/hound"
	"bridle/internal/hound/plan"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Difference is one input of a plan that is not as it was.
type Difference struct {
	Input  string `json:"input"`
	Detail string `json:"detail"`
}

// Explain says which inputs of a plan are not as they were, without executing
// anything. Only when none of them moved is the driver asked to plan again, to
// see whether it proposes the same.
func (g *Guard) Explain(ctx context.Context, manifestPath string, p *Plan) ([]Difference, error) {
	s, err := g.open(manifestPath, p.Operation)
	if fault.Is(err, hound.CodeBadOperation) {
		return []Difference{{"driver_manifest_sha256", "the driver no longer has the operation"}}, nil
	}
	if err != nil {
		return nil, err
	}
	now, err := s.watcher.Look(ctx)
	if err != nil {
		return nil, err
	}
	bound, err := s.bound(now, p.Input, p.AsOf, "")
	if err != nil {
		return nil, err
	}
	if found := plan.Compare(&p.Plan, &bound); len(found) > 0 {
		return public(found), nil
	}
	again, err := s.plan(ctx, p.Input, p.AsOf)
	if err != nil {
		return []Difference{{"proposal", "the driver no longer proposes anything: " + fault.From(err).Message}}, nil
	}
	return public(plan.Compare(&p.Plan, &again.Plan)), nil
}

// Executed returns the record of a plan's execution, or the list that names it
// among those that were removed, "" if there is neither.
func (g *Guard) Executed(manifestPath string, p *Plan) (string, error) {
	s, err := g.open(manifestPath, "")
	if err != nil {
		return "", err
	}
	dir, _ := s.runDir(p.PlanID)
	if _, err := os.Lstat(dir); err == nil {
		return dir, nil
	}
	gone, err := record.PrunedPlans(filepath.Dir(dir))
	if slices.Contains(gone, p.PlanID) {
		return filepath.Join(filepath.Dir(dir), record.Pruned), nil
	}
	return "", err
}

func public(found []plan.Difference) []Difference {
	list := make([]Difference, len(found))
	for i, d := range found {
		list[i] = Difference(d)
	}
	return list
}

// Disturbs reports whether a file that was just written is part of what plans
// for the driver's repository are bound to, so that it makes them out of date.
func (g *Guard) Disturbs(ctx context.Context, manifestPath, file string) (bool, error) {
	s, err := g.open(manifestPath, "")
	if err != nil {
		return false, err
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false, nil //nolint:nilerr // a file that is gone disturbs nothing
	}
	relative, err := filepath.Rel(s.root, real)
	if err != nil || !filepath.IsLocal(relative) {
		return false, nil //nolint:nilerr // it lies elsewhere
	}
	program, err := git.Find(gitSearch)
	if err != nil {
		return false, err
	}
	names, err := program.Untracked(ctx, s.root, filepath.ToSlash(relative))
	return slices.Contains(names, filepath.ToSlash(relative)), err
}
