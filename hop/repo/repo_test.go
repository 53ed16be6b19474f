package repo_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"bridle/hop"
	"bridle/hop/repo"
)

func TestEveryOperationOfTheProgramIsThere(t *testing.T) {
	ctx := context.Background()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(dir, "a.txt", "a\n")
	o := repo.Options{Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH")}}
	if _, err := repo.Open(ctx, o); code(err) != "no_project" {
		t.Fatalf("Open = %v", err)
	}
	p, first, err := repo.Init(ctx, o)
	if err != nil || p.Root() != dir {
		t.Fatal(err)
	}
	defer p.Close()
	started := must[hop.Started](t)(p.Record(ctx, repo.Prompt{Text: "work"}))
	write(started.Workspace, "b.txt", "b\n")
	c := must[hop.Checkpointed](t)(p.Checkpoint(ctx, started.Prompt.ID))
	if d := must[hop.Difference](t)(p.Diff(ctx, c.ID, "")); d.Diff == "" {
		t.Error("no difference")
	}
	if _, err := p.Check(ctx, c.ID, "false"); code(err) != "check_failed" {
		t.Errorf("Check = %v", err)
	} else if e, _ := errors.AsType[*repo.Error](err); e.Exit != hop.ExitValidation || e.Check.ExitCode != 1 {
		t.Errorf("%+v", e)
	}
	must[hop.Check](t)(p.Check(ctx, c.ID, "true"))
	must[hop.Checkpointed](t)(p.Restore(ctx, c.ID, ""))
	must[hop.Refreshed](t)(p.Refresh(ctx, c.ID))
	proposed := must[hop.Proposed](t)(p.Propose(ctx, c.ID, ""))
	landed := must[hop.Landed](t)(p.Land(ctx, repo.Landing{Proposals: []string{proposed.Proposal.ID}, Sync: true}))
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err != nil {
		t.Error(err)
	}
	must[hop.State](t)(p.Undo(ctx))
	must[hop.State](t)(p.Redo(ctx))
	must[hop.State](t)(p.UndoTo(ctx, first.ID))
	must[hop.State](t)(p.UndoTo(ctx, landed.State.ID))
	shown := must[hop.Shown](t)(p.Show(ctx, landed.State.ID))
	must[hop.State](t)(p.UndoOperation(ctx, shown.Operation.ID))
	must[hop.Synced](t)(p.Sync(ctx, false, false))
	env := must[hop.Environment](t)(p.Environment(ctx, c.ID))
	if env.Variables[hop.EnvWorkspace] != started.Workspace {
		t.Errorf("%+v", env)
	}
	other := must[hop.Started](t)(p.Record(ctx, repo.Prompt{Text: "more"}))
	must[hop.State](t)(p.Cancel(ctx, other.Prompt.ID, "not needed"))
	must[hop.Collected](t)(p.Collect(ctx, 1))
	must[hop.Resumed](t)(p.Resume(ctx, c.ID))
	if s := must[hop.State](t)(p.State(ctx, c.ID)); s.ID != c.ID {
		t.Errorf("%+v", s)
	}
	must[hop.Overview](t)(p.Status(ctx))
	if history := must[[]hop.State](t)(p.History(ctx)); len(history) < 5 {
		t.Errorf("%d accepted states", len(history))
	}
	must[[]hop.Node](t)(p.Log(ctx, 3))
	must[[]hop.Operation](t)(p.Operations(ctx, 3))
	if d := must[hop.Diagnosis](t)(repo.Doctor(ctx, o, false)); !d.OK {
		t.Errorf("%+v", d)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func code(err error) string {
	if e, ok := errors.AsType[*repo.Error](err); ok {
		return e.Code
	}
	return ""
}
