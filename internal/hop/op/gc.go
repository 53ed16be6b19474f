package op

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// GCRequest says what counts as idle.
type GCRequest struct {
	// OlderThan is how long nothing was recorded in an attempt.
	OlderThan time.Duration
	// All takes every attempt for idle.
	All bool
}

// statesPrefix is where projects of the public reference implementation have a
// ref for each state. The ledger keeps the states reachable without them.
const statesPrefix = "refs/hop/states/"

// Collect frees room: the workspaces of idle attempts are recorded and removed,
// and those attempts are parked until they are resumed; those of closed attempts
// are removed. Of the newest, a few are emptied and kept for attempts to come. No
// state, record or object goes. The attempt that the caller works in is spared.
func (p *Project) Collect(ctx context.Context, r GCRequest) (hop.Collected, error) {
	if r.OlderThan == 0 {
		r.OlderThan = p.Config.GC.Idle()
	}
	attempts, err := p.Attempts(ctx)
	if err != nil {
		return hop.Collected{}, err
	}
	var out hop.Collected
	if err := p.dropChecks(ctx, !r.All, &out); err != nil {
		return out, err
	}
	for _, a := range slices.Backward(attempts) {
		if !p.Layout.Ready(a.ID, a.Workspace) {
			continue
		}
		out.Scanned++
		idle, err := p.idle(ctx, a, r)
		if err != nil {
			return out, err
		}
		if !idle {
			continue
		}
		if err := p.dropWorkspace(ctx, a, &out); err != nil {
			out.Preserved = append(out.Preserved, a.ID+": "+fault.From(err).Message)
		}
	}
	return out, p.dropStateRefs(ctx, &out)
}

// idle reports whether nothing was recorded in an attempt for long enough.
func (p *Project) idle(ctx context.Context, a hop.Attempt, r GCRequest) (bool, error) {
	if a.ID == p.env(hop.EnvAttempt) {
		return false, nil
	}
	if r.All {
		return true, nil
	}
	head, err := p.State(ctx, a.HeadStateID)
	if err != nil {
		return false, err
	}
	return p.Clock.Now().Sub(head.State.CreatedAt) > r.OlderThan, nil
}

// dropWorkspace records what a workspace holds and removes it.
func (p *Project) dropWorkspace(ctx context.Context, a hop.Attempt, out *hop.Collected) error {
	unlock, free, err := durable.TryLock(p.Layout.LockFile(a.ID), "hop gc")
	if err != nil {
		return err
	}
	if !free {
		return fault.Newf(durable.CodeLocked, "%q is at work in it", durable.Holder(p.Layout.LockFile(a.ID)))
	}
	defer unlock()
	s, err := p.shoot(ctx, a)
	if err != nil {
		return err
	}
	if len(s.Problems) > 0 {
		return fault.Newf(CodeIncomplete, "its workspace holds what cannot be recorded, such as %q", s.Problems[0].Path)
	}
	if err := p.park(ctx, a.ID, s, out); err != nil {
		return err
	}
	p.say("removing the workspace of " + a.ID)
	dir := p.Layout.Workspace(a.Workspace)
	size := sizeOf(dir)
	kept, err := workspace.Retire(ctx, p.Repo, p.Layout, a.ID, dir, s.Tree, s.head)
	if err != nil {
		return err
	}
	if kept != "" {
		out.Pooled++
		size -= sizeOf(kept)
	}
	out.Removed++
	out.Reclaimed += size
	return nil
}

// park records the workspace, unless the attempt's newest work is exactly that,
// and that an open attempt waits.
func (p *Project) park(ctx context.Context, id string, s *shot, out *hop.Collected) error {
	err := p.record(ctx, "park", func(t *ledger.Tx) error {
		now, head, err := headOf(ctx, t, id)
		if err != nil {
			return err
		}
		work, err := p.ownWork(ctx, head)
		if err != nil {
			return err
		}
		t.About(id)
		if string(s.Tree) != work.SourceTree && head.Kind != hop.KindCancelled {
			now.HeadStateID = p.checkpointIn(t, now, head, s).ID
			t.Attempt(now)
		} else if string(s.Tree) != work.SourceTree {
			return fault.New(CodeClosed, "it was cancelled, and its workspace was changed since")
		}
		if now.Status.Open() {
			now.Status = hop.StatusParked
			t.Attempt(now)
			out.Parked++
		}
		return nil
	})
	return err
}

// dropChecks removes the checkouts of the pool that nobody uses, but for spare ones.
func (p *Project) dropChecks(ctx context.Context, spare bool, out *hop.Collected) error {
	freed, err := workspace.Drain(ctx, p.Repo, p.Layout, spare, sizeOf)
	out.Reclaimed += freed
	return err
}

// dropStateRefs removes the refs of another program that hold states which the
// ledger holds.
func (p *Project) dropStateRefs(ctx context.Context, out *hop.Collected) error {
	refs, err := p.Repo.Refs(ctx, statesPrefix)
	if err != nil {
		return err
	}
	var updates []git.RefUpdate
	for _, ref := range refs {
		entry, err := p.State(ctx, ref.Name[len(statesPrefix):])
		if err == nil && entry.State.GitCommit == string(ref.ID) {
			updates = append(updates, git.RefUpdate{Name: ref.Name, Old: ref.ID})
		}
	}
	out.Refs = len(updates)
	if len(updates) == 0 {
		return nil
	}
	return p.moveRefs(ctx, "collected", updates)
}

// sizeOf adds up the files of a folder, as far as they can be seen.
func sizeOf(dir string) int64 {
	var total int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err != nil || d.IsDir() {
			return nil //nolint:nilerr // the size is a figure for people
		}
		if info, err := d.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}
