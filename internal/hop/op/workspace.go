package op

import (
	"context"
	"errors"
	"os"

	"bridle/hop"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// makeWorkspace makes the workspace of an attempt with the files of a state, the
// ignored paths that the configuration lists, and what the setup command does.
func (p *Project) makeWorkspace(ctx context.Context, attempt hop.Attempt, at hop.State) error {
	unlock, err := p.lockWorkspace(ctx, attempt.ID, "workspace")
	if err != nil {
		return err
	}
	defer unlock()
	return p.fillWorkspace(ctx, attempt, at)
}

// fillWorkspace is makeWorkspace for a caller that holds the lock.
func (p *Project) fillWorkspace(ctx context.Context, attempt hop.Attempt, at hop.State) error {
	dir := p.Layout.Workspace(attempt.Workspace)
	making := p.Layout.MakingFile(attempt.ID)
	if err := durable.WriteFile(making, nil, 0o600); err != nil {
		return err
	}
	// A private index that survived its workspace would be about other files.
	// So would a rewriting that was cut short.
	if err := errors.Join(durable.RemoveAll(p.Layout.IndexFile(attempt.ID)), durable.RemoveAll(p.Layout.RewriteFile(attempt.ID))); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err == nil {
		// Its making was cut short: nobody has been told of it yet.
		if err := workspace.Clear(ctx, p.Repo, p.Layout, attempt.ID, dir); err != nil {
			return err
		}
	}
	p.say("making the workspace")
	base := p.base(ctx, at)
	if err := workspace.Create(ctx, p.Repo, p.Layout, dir, git.OID(base.GitCommit)); err != nil {
		return err
	}
	if base.SourceTree != at.SourceTree {
		if err := workspace.Checkout(ctx, p.Repo, dir, git.OID(at.SourceTree)); err != nil {
			return err
		}
	}
	if _, err := workspace.Seed(p.Layout, p.Config, dir); err != nil {
		return err
	}
	if err := durable.RemoveAll(making); err != nil {
		return err
	}
	return p.setUp(ctx, attempt, at, dir)
}

// base is the state whose commit the workspace's head is to stand on: the accepted
// one that its files derive from, so that "git diff" shows the attempt's work.
func (p *Project) base(ctx context.Context, at hop.State) hop.State {
	_, id, err := p.landingBase(ctx, at)
	if err == nil && at.Kind == hop.KindProposal {
		if landed, landedErr := p.landedAs(ctx, at.ID); landedErr == nil && landed != "" {
			id = landed
		}
	}
	if err != nil {
		return at
	}
	base, err := p.State(ctx, id)
	if err != nil {
		return at
	}
	return base.State
}

// setUp runs the configured command in a new workspace.
func (p *Project) setUp(ctx context.Context, attempt hop.Attempt, at hop.State, dir string) error {
	if len(p.Config.Setup.Command) == 0 {
		return nil
	}
	p.say("running the setup command")
	attempt.Workspace = dir
	result, err := p.runCommand(ctx, p.Config.Setup.Command, dir, p.environment(at, attempt), p.Config.Setup.Limit(), false)
	if err != nil {
		return err
	}
	if result.ExitCode != 0 {
		return fault.Newf("setup_failed", "the setup command ended with exit code %d", result.ExitCode).
			WithHint("the workspace is there; see what it printed: %s", tail(result.Output)).WithNext("hop config")
	}
	return nil
}
