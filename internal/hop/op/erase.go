package op

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// lockAllWorkspaces keeps every command from every workspace that there is, since
// what is recorded of one must not name what is being erased.
func (p *Project) lockAllWorkspaces(ctx context.Context, verb string) (unlock func(), err error) {
	var held []func()
	unlock = func() {
		for _, release := range slices.Backward(held) {
			release()
		}
	}
	attempts, err := p.ownWorkspaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range attempts {
		release, err := p.lockWorkspace(ctx, a.ID, verb)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, release)
	}
	return unlock, nil
}

// ownWorkspaces are the attempts of this machine whose workspace is there.
func (p *Project) ownWorkspaces(ctx context.Context) ([]hop.Attempt, error) {
	attempts, err := p.Attempts(ctx)
	if err != nil {
		return nil, err
	}
	var out []hop.Attempt
	for _, a := range attempts {
		machine, err := p.MachineOf(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		if machine == "" && p.Layout.Ready(a.ID, a.Workspace) {
			out = append(out, a)
		}
	}
	return out, nil
}

// finishLeftPurge ends a purge that was cut short after it was recorded. One that
// somebody is at work on is left to it.
func (p *Project) finishLeftPurge(ctx context.Context) error {
	done, free, err := durable.TryLock(p.Layout.LockFile("purge"), "hop, after a purge")
	if err != nil || !free {
		return err
	}
	defer done()
	unlock, err := p.lockAllWorkspaces(ctx, "purge")
	if err != nil {
		return err
	}
	defer unlock()
	return p.finishPurge(ctx, nil, &hop.Purge{})
}

// finishPurge cleans the working copies of what a recorded purge replaced and
// erases the old objects. It may be done again at any point. The caller holds the
// locks of all workspaces.
func (p *Project) finishPurge(ctx context.Context, values [][]byte, out *hop.Purge) error {
	purged, open, err := p.Purging(ctx)
	if err != nil || !open {
		return err
	}
	p.say("cleaning workspaces and erasing")
	now, old := map[git.OID]git.OID{}, map[git.OID]bool{}
	blobs := map[git.OID]git.OID{}
	for _, r := range purged.Objects {
		now[git.OID(r.Old)], old[git.OID(r.Old)] = git.OID(r.New), true
		if r.Kind == git.KindBlob {
			blobs[git.OID(r.Old)] = git.OID(r.New)
		}
	}
	if err := p.cleanCopies(ctx, blobs, values, out); err != nil {
		return err
	}
	erased, left, err := p.eraseUnheld(ctx, old)
	if err != nil {
		return err
	}
	out.Erased += erased
	out.Left = append(out.Left, left...)
	return p.EndPurge(ctx)
}

// eraseUnheld erases the objects that nothing leads to.
func (p *Project) eraseUnheld(ctx context.Context, old map[git.OID]bool) (int, []string, error) {
	holders, err := p.Repo.Holders(ctx)
	if err != nil {
		return 0, nil, err
	}
	held, err := p.Repo.Reaches(ctx, holders, old)
	if err != nil {
		return 0, nil, err
	}
	var ids []git.OID
	for id := range old {
		if held[id] == "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	left, err := p.Repo.Erase(ctx, ids)
	return len(ids), left, err
}

// cleanCopies puts right the files of workspaces that have a purged content, drops
// the checkouts of checks, and forgets what was remembered of files.
func (p *Project) cleanCopies(ctx context.Context, blobs map[git.OID]git.OID, values [][]byte, out *hop.Purge) error {
	attempts, err := p.ownWorkspaces(ctx)
	if err != nil {
		return err
	}
	for _, a := range attempts {
		if err := p.cleanWorkspace(ctx, a, blobs, values, out); err != nil {
			return err
		}
	}
	if _, err := workspace.Drain(ctx, p.Repo, p.Layout, false, func(string) int64 { return 0 }); err != nil {
		return err
	}
	busy, err := workspace.Busy(p.Layout)
	if err != nil {
		return err
	}
	for _, dir := range busy {
		out.Left = append(out.Left, "the checkout "+dir+", in which a check is running")
	}
	caches, err := filepath.Glob(filepath.Join(filepath.Dir(p.Layout.IndexFile("x")), "*.index"))
	if err != nil {
		return err
	}
	for _, file := range caches {
		if err := durable.RemoveAll(file); err != nil {
			return err
		}
	}
	return nil
}

func (p *Project) cleanWorkspace(ctx context.Context, a hop.Attempt, blobs map[git.OID]git.OID, values [][]byte, out *hop.Purge) error {
	dir := p.Layout.Workspace(a.Workspace)
	c := cleaner{Project: p, root: dir, blobs: blobs, values: values, out: out}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return durable.Explain("look through", path, err)
		case ctx.Err() != nil:
			return ctx.Err()
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		return c.file(ctx, path)
	})
	if err != nil {
		return err
	}
	w, err := p.Repo.OpenWorktree(ctx, dir)
	if err != nil {
		out.Left = append(out.Left, "the workspace "+dir+", which is no working copy any more: "+fault.From(err).Message)
		return nil //nolint:nilerr // it is named
	}
	return w.Restage(ctx, blobs)
}

// cleaner puts the files of one workspace right.
type cleaner struct {
	*Project
	root   string
	blobs  map[git.OID]git.OID
	values [][]byte
	out    *hop.Purge
}

// file replaces a file that is a purged content or holds a purged credential.
func (c *cleaner) file(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil //nolint:nilerr // it went away meanwhile
	}
	if info.Size() > c.Config.FileLimit() {
		return nil // no snapshot had it
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	rel, _ := filepath.Rel(c.root, path)
	if err != nil {
		c.out.Left = append(c.out.Left, "the file "+path+", which cannot be read")
		return nil //nolint:nilerr // it is named
	}
	now, changed := data, false
	if id, found := c.blobs[c.Repo.Format().ID(git.KindBlob, data)]; found {
		if now, err = c.Repo.Blob(ctx, id); err != nil {
			return err
		}
		changed = true
	}
	for _, v := range c.values {
		if bytes.Contains(now, v) {
			now, changed = bytes.ReplaceAll(now, v, []byte(purgedMarker)), true
		}
	}
	if !changed {
		return nil
	}
	if err := durable.WriteFile(path, now, info.Mode().Perm()); err != nil {
		return err
	}
	c.out.Cleaned = append(c.out.Cleaned, filepath.ToSlash(filepath.Join(filepath.Base(c.root), rel)))
	return nil
}

// nameHolders names what still leads to the contents.
func (p *Project) nameHolders(ctx context.Context, blobs map[git.OID]bool, out *hop.Purge) error {
	holders, err := p.Repo.Holders(ctx)
	if err != nil {
		return err
	}
	groups := map[string][]git.Holder{}
	for _, h := range holders {
		if name := holderName(h.Name); name != "" {
			groups[name] = append(groups[name], h)
		}
	}
	for _, name := range sortedKeys(groups) {
		held, err := p.Repo.Reaches(ctx, groups[name], blobs)
		if err != nil {
			return err
		}
		if len(held) > 0 {
			out.Left = append(out.Left, name)
		}
	}
	return nil
}

// nameOthers names who may have copies.
func (p *Project) nameOthers(ctx context.Context, out *hop.Purge) error {
	shared, err := p.Shared(ctx)
	if err != nil {
		return err
	}
	remotes := p.Repo.Remotes()
	if shared || len(remotes) > 0 {
		out.Left = append(out.Left, "other machines, clones, and remotes ("+strings.Join(remotes, ", ")+"), if the records were shared: a credential that was there is to be withdrawn")
	}
	return nil
}

// holderName tells a person what keeps an object; nothing for the ledger, which is
// rewritten.
func holderName(name string) string {
	machine, _, foreign := ledger.ParseMachineRef(name)
	switch {
	case foreign:
		return "what the machine " + machine + " shared"
	case name == ledger.AcceptedRef:
		return "the accepted history"
	case strings.HasPrefix(name, statesPrefix):
		return "refs of another Hop program, which hop gc drops"
	case strings.HasPrefix(name, sharedPrefix):
		return ""
	case strings.HasPrefix(name, "refs/heads/"):
		return "the branch " + strings.TrimPrefix(name, "refs/heads/")
	case strings.HasPrefix(name, "refs/tags/"):
		return "the tag " + strings.TrimPrefix(name, "refs/tags/")
	case strings.HasPrefix(name, "worktrees/"):
		return "the working copy " + strings.Split(name, "/")[1] + ": its " + strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	case strings.HasPrefix(name, "logs/"):
		return "the log " + name + ", which git reflog expire shortens"
	case name == "index":
		return "the index of your folder, where it is staged"
	default:
		return "the ref " + name
	}
}
