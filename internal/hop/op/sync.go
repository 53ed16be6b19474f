package op

import (
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

// SyncRequest says what a sync may do beside writing files.
type SyncRequest struct {
	// Branch also moves the checked-out branch on, when it stands at an earlier
	// accepted commit.
	Branch bool
	// Adopt first takes the user's edits in as an accepted state.
	Adopt bool
}

// Sync writes the accepted tree into the project's visible folder. Only files
// that changed since the folder was last in step are written, and only when the
// folder has them as they were then: an edit of the user's, and a file that git
// ignores, is never overwritten. Where that would be needed, nothing is written.
func (p *Project) Sync(ctx context.Context, r SyncRequest) (hop.Synced, error) {
	unlock, err := p.lockWorkspace(ctx, "root", "sync")
	if err != nil {
		return hop.Synced{}, err
	}
	defer unlock()
	folder, err := p.lookAtRoot(ctx)
	if err != nil {
		return hop.Synced{}, err
	}
	out := hop.Synced{State: folder.head.ID}
	if r.Adopt && len(folder.edits) > 0 {
		if out, err = p.adoptEdits(ctx, folder); err != nil {
			return out, err
		}
		if folder, err = p.lookAtRoot(ctx); err != nil {
			return out, err
		}
	}
	if r.Adopt {
		out.Incomplete = readableProblems(folder.problems)
	}
	if err := p.project(ctx, folder, &out); err != nil {
		return out, err
	}
	if r.Branch {
		return out, p.moveBranch(ctx, folder, &out)
	}
	return out, nil
}

// folder is the visible folder beside the accepted line.
type folder struct {
	head, base hop.State
	tree       git.OID
	// edits are what the user changed since base; touched is what the accepted
	// line changed since.
	edits, touched []git.Change
	problems       []git.Problem
}

// lookAtRoot compares the folder with the accepted line.
func (p *Project) lookAtRoot(ctx context.Context) (*folder, error) {
	shot, err := workspace.SnapshotRoot(ctx, p.Repo, p.Layout, p.Config)
	if err != nil {
		return nil, err
	}
	head, err := p.Accepted(ctx)
	if err != nil {
		return nil, err
	}
	f := &folder{head: head.State, tree: shot.Tree, problems: shot.Problems}
	if f.base, err = p.projected(ctx, shot.Tree); err != nil {
		return nil, err
	}
	if f.edits, err = p.Repo.Diff(ctx, git.OID(f.base.SourceTree), f.tree); err != nil {
		return nil, err
	}
	f.touched, err = p.Repo.Diff(ctx, git.OID(f.base.SourceTree), git.OID(f.head.SourceTree))
	return f, err
}

// projected is the accepted state that the folder was last in step with: one
// whose tree it has, else the later of the one recorded at the last sync and the
// one that is checked out.
func (p *Project) projected(ctx context.Context, tree git.OID) (hop.State, error) {
	same, err := p.AcceptedWith(ctx, "source_tree", string(tree))
	if err != nil || same != nil {
		return deref(same), err
	}
	head, err := p.Repo.Head(ctx)
	if err != nil {
		return hop.State{}, err
	}
	candidates := make([]hop.State, 0, 2)
	if data, err := os.ReadFile(p.projectionFile()); err == nil {
		if entry, err := p.State(ctx, strings.TrimSpace(string(data))); err == nil && entry.State.Kind == hop.KindAccepted {
			candidates = append(candidates, entry.State)
		}
	}
	out, err := p.AcceptedWith(ctx, "git_commit", string(head.Commit))
	if err != nil {
		return hop.State{}, err
	}
	if out != nil {
		candidates = append(candidates, *out)
	}
	if len(candidates) == 0 {
		return p.FirstAccepted(ctx)
	}
	return slices.MaxFunc(candidates, func(a, b hop.State) int { return a.CreatedAt.Compare(b.CreatedAt) }), nil
}

func deref(s *hop.State) hop.State {
	if s == nil {
		return hop.State{}
	}
	return *s
}

func (p *Project) projectionFile() string { return filepath.Join(p.Layout.Dir(), "projection") }

// project writes what the accepted line changed, or nothing.
func (p *Project) project(ctx context.Context, f *folder, out *hop.Synced) error {
	out.State = f.head.ID
	write, blocked := f.plan(p.Layout.Root)
	if len(blocked) > 0 {
		paths, _ := readable(blocked)
		return fault.Newf(CodeUnsafeRoot, "the visible folder is not written, since %q would be overwritten", paths[0]).
			WithExit(hop.ExitUnsafeRoot).Because(&Details{Paths: paths}).
			WithHint("commit or move your changes, or take them in with hop sync --adopt; what is accepted stays accepted").
			WithNext("hop sync --adopt")
	}
	if out.Status == "" {
		out.Status = hop.SyncWritten
		if len(write) == 0 {
			out.Status = hop.SyncAlready
		}
	}
	if len(write) > 0 {
		p.say("writing the accepted files")
		if err := p.writeFiles(ctx, f.head, write); err != nil {
			return err
		}
		out.Paths, _ = readable(pathsOf(write))
	}
	return durable.WriteFile(p.projectionFile(), []byte(f.head.ID+"\n"), 0o600)
}

// plan tells which files are to be written and which ones forbid it.
func (f *folder) plan(root string) (write []git.Change, blocked []string) {
	edited := map[string]git.Change{}
	for _, e := range f.edits {
		edited[e.Path] = e
	}
	deleted := map[string]bool{}
	for _, t := range f.touched {
		deleted[t.Path] = t.Kind == git.Deleted
	}
	for _, t := range f.touched {
		e, mine := edited[t.Path]
		switch {
		case mine && e.NewID == t.NewID && e.NewMode == t.NewMode:
			continue // the folder has it already
		case mine, t.NewMode == git.ModeGitlink, t.OldMode == git.ModeGitlink, f.lacks(t.Path), workspace.IsOwn(t.Path):
			blocked = append(blocked, t.Path)
		case t.Kind != git.Deleted && !vacant(root, t, deleted):
			blocked = append(blocked, t.Path)
		default:
			write = append(write, t)
		}
	}
	for _, o := range collisions(f.touched, f.edits) {
		blocked = append(blocked, o.Path)
	}
	slices.Sort(blocked)
	return write, slices.Compact(blocked)
}

// lacks reports whether the snapshot could not take a path, so that nothing is
// known of it.
func (f *folder) lacks(path string) bool {
	return slices.ContainsFunc(f.problems, func(p git.Problem) bool { return p.Path == path })
}

// vacant reports whether a file can be put at a path without harm to what git
// ignores: the folders above it are folders, and at the path itself is what the
// tree had there, or a folder of which nothing stays.
func vacant(root string, t git.Change, deleted map[string]bool) bool {
	for _, parent := range parents(t.Path) {
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(parent)))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil || !info.IsDir() && !deleted[parent] {
			return false
		}
	}
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(t.Path)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil:
		// A parent that is a file, and is going to be a folder.
		return slices.ContainsFunc(parents(t.Path), func(p string) bool { return deleted[p] })
	case info.IsDir():
		return vanishes(root, t.Path, deleted)
	default:
		return t.Kind != git.Added
	}
}

// vanishes reports whether everything in a folder is going to be deleted.
func vanishes(root, dir string, deleted map[string]bool) bool {
	stays := false
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(dir)), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err == nil && !deleted[filepath.ToSlash(relative)] {
			stays = true
			return fs.SkipAll
		}
		return err
	})
	return err == nil && !stays
}

// writeFiles brings files of the accepted tree into the folder. They come from a
// clean checkout, in which git has put line ends and the like as it would here.
func (p *Project) writeFiles(ctx context.Context, head hop.State, write []git.Change) error {
	bare := p.Config
	bare.Seed = workspace.SeedConfig{}
	slot, err := workspace.Take(ctx, p.Repo, p.Layout, bare, git.OID(head.SourceTree), git.OID(head.GitCommit), workspace.ByContent)
	if err != nil {
		return err
	}
	defer slot.Release()
	for _, c := range write {
		if c.Kind == git.Deleted {
			if err := workspace.Discard(p.Layout.Root, c.Path); err != nil {
				return err
			}
		}
	}
	for _, c := range write {
		if c.Kind != git.Deleted {
			if err := workspace.Transfer(slot.Dir, p.Layout.Root, c.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// adoptEdits takes what the user edited in the folder into the accepted line.
func (p *Project) adoptEdits(ctx context.Context, f *folder) (hop.Synced, error) {
	c, err := p.compose(ctx, git.OID(f.base.SourceTree), git.OID(f.head.SourceTree), f.tree)
	if err != nil {
		return hop.Synced{}, err
	}
	if blocking := c.blocking(false); len(blocking) > 0 {
		var paths []string
		for _, o := range blocking {
			paths = append(paths, o.Path)
		}
		return hop.Synced{}, fault.Newf(CodeUnsafeRoot, "your edits are not taken in, since %q was changed by the accepted state too", paths[0]).
			WithExit(hop.ExitUnsafeRoot).Because(&Details{Paths: paths, Overlap: &hop.Overlap{Paths: blocking, Base: f.base.ID, Head: f.head.ID}}).
			WithHint("bring them into step by hand: hop diff %s shows what was accepted", f.head.ID)
	}
	var out hop.Synced
	err = p.record(ctx, "adopt", func(t *ledger.Tx) error {
		if err := t.ExpectAccepted(ctx, f.head.ID); err != nil {
			return err
		}
		s := hop.State{
			ID: newID(t, hop.PrefixAccepted), Kind: hop.KindAccepted, CanonicalAnchorID: f.head.ID, SourceTree: string(c.tree),
			Summary: "Edits in the project folder", Agent: "hop",
			Parents: []hop.Parent{{StateID: f.head.ID, Role: hop.RoleCanonicalParent}},
		}
		s.GitCommit = string(commitFor(t, c.tree, git.OID(f.head.GitCommit), s.Summary+"\n\nHop-State: "+s.ID+"\n"))
		s = t.State(s, hop.Facts{Origin: hop.OriginAdopted, Incomplete: readableProblems(f.problems)})
		t.Accept(s)
		out = hop.Synced{Status: hop.SyncAdopted, State: s.ID}
		return nil
	})
	return out, err
}

// moveBranch moves the checked-out branch on to the accepted commit, and the
// index with it, when it stands at an earlier accepted one.
func (p *Project) moveBranch(ctx context.Context, f *folder, out *hop.Synced) error {
	head, err := p.Repo.Head(ctx)
	if err != nil {
		return err
	}
	if head.Commit == git.OID(f.head.GitCommit) {
		out.Branch = head.Branch
		return nil
	}
	refuse := func(why string) error {
		return fault.Newf(CodeUnsafeRoot, "the branch is not moved: %s", why).WithExit(hop.ExitUnsafeRoot).
			WithHint("the files are in step; move the branch yourself").WithNext("git merge --ff-only " + f.head.GitCommit)
	}
	if head.Branch == "" || head.Unborn {
		return refuse("no branch with a commit is checked out")
	}
	behind, err := p.descends(ctx, git.OID(f.head.GitCommit), head.Commit)
	if err != nil {
		return err
	}
	if !behind {
		return refuse("it has commits that the accepted line does not have")
	}
	tree, err := p.Repo.Worktree()
	if err != nil {
		return err
	}
	err = p.moveIndex(ctx, tree, head.Commit, git.OID(f.head.GitCommit))
	if fault.Is(err, git.CodeStaged) {
		return refuse(fault.From(err).Message)
	}
	if err != nil {
		return err
	}
	if err := p.moveRefs(ctx, "branch", []git.RefUpdate{{Name: head.Branch, Old: head.Commit, New: git.OID(f.head.GitCommit)}}); err != nil {
		return errors.Join(err, tree.MoveIndex(context.WithoutCancel(ctx), git.OID(f.head.GitCommit), head.Commit))
	}
	out.Branch = head.Branch
	return nil
}
