package op

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/git"
)

// rewrite says that a workspace is being given the files of another tree. It is
// kept in a file from before the first file changes until the new state is
// recorded, so that a command that was killed between does not leave a mixture
// which the next one takes for the attempt's work.
type rewrite struct {
	Verb string `json:"verb"`
	// Head is the state that records what the workspace held before.
	Head string `json:"head"`
	// From and To are the trees.
	From  string    `json:"from"`
	To    string    `json:"to"`
	Facts hop.Facts `json:"facts"`
}

// maxRewrite bounds the file.
const maxRewrite = 16 << 20

// rewriteWorkspace gives a workspace the files of a tree and records that. The
// caller holds its lock and has recorded what it held.
func (p *Project) rewriteWorkspace(ctx context.Context, verb string, attempt hop.Attempt, tree git.OID, facts hop.Facts) (hop.Checkpointed, error) {
	now, err := p.Attempt(ctx, attempt.ID)
	if err != nil {
		return hop.Checkpointed{}, err
	}
	head, err := p.State(ctx, now.HeadStateID)
	if err != nil {
		return hop.Checkpointed{}, err
	}
	r := rewrite{Verb: verb, Head: head.State.ID, From: head.State.SourceTree, To: string(tree), Facts: facts}
	data, err := canon.Encode(r)
	if err != nil {
		return hop.Checkpointed{}, err
	}
	if err := durable.WriteFile(p.Layout.RewriteFile(attempt.ID), data, 0o600); err != nil {
		return hop.Checkpointed{}, err
	}
	return p.finishRewrite(ctx, attempt, r, tree)
}

// finishRewrite brings the workspace to the tree and records it.
func (p *Project) finishRewrite(ctx context.Context, attempt hop.Attempt, r rewrite, tree git.OID) (hop.Checkpointed, error) {
	dir := p.Layout.Workspace(attempt.Workspace)
	if err := workspace.Checkout(ctx, p.Repo, dir, tree); err != nil {
		return hop.Checkpointed{}, err
	}
	if err := p.moveHead(ctx, dir, r.Facts.BaseState); err != nil {
		return hop.Checkpointed{}, err
	}
	s, err := p.shootAsIs(ctx, attempt)
	if err != nil {
		return hop.Checkpointed{}, err
	}
	facts := r.Facts
	facts.Incomplete = problems(s.Snapshot)
	out := hop.Checkpointed{Incomplete: facts.Incomplete}
	err = p.record(ctx, r.Verb, func(t *ledger.Tx) error {
		now, head, err := headOf(ctx, t, attempt.ID)
		if err != nil {
			return err
		}
		t.About(now.ID)
		anchor := head.CanonicalAnchorID
		if facts.BaseState != "" {
			anchor = facts.BaseState
		}
		commit := commitFor(t, s.Tree, s.head, "hop: workspace checkpoint\n")
		out.State = t.State(hop.State{
			Kind: hop.KindCheckpoint, TaskID: now.TaskID, AttemptID: now.ID, CanonicalAnchorID: anchor,
			SourceTree: string(s.Tree), GitCommit: string(commit), Agent: now.Agent,
			Parents: []hop.Parent{{StateID: head.ID, Role: hop.RoleRunParent}},
		}, facts)
		now.HeadStateID, now.Status = out.ID, hop.StatusActive
		if len(facts.Conflicts) > 0 {
			now.Status = hop.StatusReconciling
		}
		t.Attempt(now)
		return nil
	})
	if err != nil {
		return out, err
	}
	return out, durable.RemoveAll(p.Layout.RewriteFile(attempt.ID))
}

// settleRewrite finishes a rewriting of the workspace that was cut short. The
// caller holds the workspace's lock.
func (p *Project) settleRewrite(ctx context.Context, attempt hop.Attempt) error {
	file := p.Layout.RewriteFile(attempt.ID)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return durable.Explain("read", file, err)
	}
	var r rewrite
	if err := canon.Decode(data, &r, canon.Limits{MaxBytes: maxRewrite}); err != nil {
		return err
	}
	now, err := p.Attempt(ctx, attempt.ID)
	if err != nil {
		return err
	}
	if now.HeadStateID != r.Head { // it was recorded
		return durable.RemoveAll(file)
	}
	p.say("finishing a " + r.Verb + " that was cut short")
	tree, err := p.mixed(ctx, attempt, r)
	if err != nil {
		return err
	}
	if err := p.freeHead(ctx, p.Layout.Workspace(attempt.Workspace), file); err != nil {
		return err
	}
	_, err = p.finishRewrite(ctx, attempt, r, tree)
	return err
}

// halfWritten reports whether a file, changed since the rewriting began and other
// than it was to be, is what the killed command had come to: removed to be
// replaced, or the beginning of what it was to have and no more.
func (p *Project) halfWritten(ctx context.Context, since, c git.Change) (bool, error) {
	if c.Kind == git.Deleted {
		return since.OldID != c.OldID || since.OldMode != c.OldMode, nil
	}
	if c.Kind != git.Modified || c.OldMode == git.ModeGitlink || c.NewMode == git.ModeGitlink {
		return false, nil
	}
	whole, err := p.Repo.Blob(ctx, c.OldID)
	if err != nil {
		return false, err
	}
	part, err := p.Repo.Blob(ctx, c.NewID)
	return len(part) < len(whole) && bytes.HasPrefix(whole, part), err
}

// mixed is the tree that the rewriting leads to with what was edited since it was
// cut short: a file that is neither as before nor as it was to be is somebody's
// work, and stays.
func (p *Project) mixed(ctx context.Context, attempt hop.Attempt, r rewrite) (git.OID, error) {
	s, err := p.shootAsIs(ctx, attempt)
	if err != nil {
		return "", err
	}
	since, err := p.Repo.Diff(ctx, git.OID(r.From), s.Tree)
	if err != nil {
		return "", err
	}
	edited := map[string]git.Change{}
	for _, c := range since {
		edited[c.Path] = c
	}
	rest, err := p.Repo.Diff(ctx, git.OID(r.To), s.Tree)
	if err != nil {
		return "", err
	}
	for i, c := range rest {
		mine, changed := edited[c.Path]
		if half, err := p.halfWritten(ctx, mine, c); err != nil {
			return "", err
		} else if half || !changed {
			rest[i].Path = ""
		}
	}
	rest = slices.DeleteFunc(rest, func(c git.Change) bool { return c.Path == "" })
	if len(rest) == 0 {
		return git.OID(r.To), nil
	}
	b := p.Repo.NewBatch()
	tree, err := b.Edit(ctx, git.OID(r.To), rest)
	if err != nil {
		return "", err
	}
	return tree, b.Flush(ctx)
}
