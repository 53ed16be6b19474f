package op

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Initialized is what init did.
type Initialized struct {
	Root  string
	State hop.State
	// Created says that there was no project before; Rebuilt that its index was
	// made anew from git.
	Created, Rebuilt bool
	Problems         []string
	// Incomplete names what the first accepted state could not hold.
	Incomplete []hop.Problem
}

// initWait bounds how long a process waits for another that initialises the same
// project.
const initWait = time.Minute

// Init makes a project in the repository that folder lies in, and a repository
// where there is none. In an existing project it changes nothing.
func Init(ctx context.Context, s Surroundings, folder string) (*Project, Initialized, error) {
	root, err := rootFor(ctx, s, folder)
	if err != nil {
		return nil, Initialized{}, err
	}
	if !hasIndex(root) {
		p, done, err := initAt(ctx, s, root)
		if err != nil || done.Created || done.Rebuilt {
			return p, done, err
		}
		root = done.Root
	}
	p, err := openAt(ctx, s, root)
	if err != nil {
		return nil, Initialized{}, err
	}
	head, err := p.Accepted(ctx)
	if err != nil {
		return nil, Initialized{}, errors.Join(err, p.Close())
	}
	return p, Initialized{Root: root, State: head.State}, nil
}

// rootFor returns the root of the repository that the folder lies in.
func rootFor(ctx context.Context, s Surroundings, folder string) (string, error) {
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(s.Dir, folder)
	}
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() {
		return "", fault.Newf("no_folder", "there is no folder %q", folder).Because(err)
	}
	root, err := git.Root(folder)
	if fault.Is(err, git.CodeNoRepository) {
		folder = realPath(folder)
		if err := refuseTooWide(s, folder); err != nil {
			return "", err
		}
		return makeRepository(ctx, s, folder)
	}
	if err == nil {
		if home, ok := homeOf(root); ok {
			return home.root, nil
		}
	}
	return root, err
}

// refuseTooWide refuses to make a repository of everything that somebody has, which
// is what a command in the wrong place would do.
func refuseTooWide(s Surroundings, folder string) error {
	if folder != filepath.Dir(folder) && (s.Home == "" || !sameFolder(folder, s.Home)) {
		return nil
	}
	return fault.Newf("wrong_place", "%q is no project: all of it would become a repository", folder).
		WithHint("change to the folder of the project; or run git init in %q first, if that is what you want", folder)
}

// makeRepository makes a repository in a folder, one process at a time.
func makeRepository(ctx context.Context, s Surroundings, folder string) (string, error) {
	lock := workspace.Layout{Root: folder}.LockFile("init")
	if err := durable.MkdirAll(filepath.Dir(lock), 0o700); err != nil {
		return "", err
	}
	wait, cancel := context.WithTimeout(ctx, initWait)
	defer cancel()
	unlock, err := durable.Lock(wait, lock, "hop init")
	if err != nil {
		return "", err
	}
	defer unlock()
	if root, err := git.Root(folder); err == nil {
		return root, nil
	}
	options, err := s.gitOptions(false)
	if err != nil {
		return "", err
	}
	return folder, git.Init(ctx, folder, options)
}

// initAt makes the project, one process at a time. Where another process has made it
// meanwhile, it only says where.
func initAt(ctx context.Context, s Surroundings, root string) (*Project, Initialized, error) {
	p, err := bareProject(ctx, s, root)
	if err != nil {
		return nil, Initialized{}, err
	}
	done, err := p.create(ctx)
	if err != nil || !done.Created && !done.Rebuilt {
		return nil, done, errors.Join(err, p.Close())
	}
	return p, done, nil
}

func (p *Project) create(ctx context.Context) (Initialized, error) {
	done := Initialized{Root: p.Layout.Root}
	unlock, err := p.lockFounding(ctx)
	if err != nil {
		return done, err
	}
	defer unlock()
	if hasIndex(p.Layout.Root) {
		return done, nil
	}
	if home, found := homeOf(p.Layout.Root); found && home.made {
		done.Root = home.root
		return done, nil
	}
	if err := p.Layout.Prepare(p.Repo.CommonDir()); err != nil {
		return done, err
	}
	exists, err := ledger.Exists(ctx, p.Repo)
	if err != nil {
		return done, err
	}
	if exists {
		return p.rebuilt(ctx, done)
	}
	return p.first(ctx, done)
}

// lockFounding keeps other processes from making a project of the repository, also
// those that stand in another of its working trees: its lock is the repository's.
func (p *Project) lockFounding(ctx context.Context) (unlock func(), err error) {
	wait, cancel := context.WithTimeout(ctx, initWait)
	defer cancel()
	return durable.Lock(wait, filepath.Join(p.Repo.CommonDir(), "hop-init.lock"), "hop init")
}

// rebuilt makes the index of a project anew whose folder was removed.
func (p *Project) rebuilt(ctx context.Context, done Initialized) (Initialized, error) {
	problems, err := ledger.Rebuild(ctx, p.ledgerOptions())
	if err != nil {
		return done, err
	}
	if p.Ledger, err = ledger.Open(ctx, p.ledgerOptions()); err != nil {
		return done, err
	}
	head, err := p.Accepted(ctx)
	done.State, done.Rebuilt, done.Problems = head.State, true, problems
	return done, err
}

// first records the initial accepted state: the project as it is now.
func (p *Project) first(ctx context.Context, done Initialized) (Initialized, error) {
	p.say("taking in the project as it is")
	head, err := p.Repo.Head(ctx)
	if err != nil {
		return done, err
	}
	shot, err := workspace.SnapshotRoot(ctx, p.Repo, p.Layout, p.Config)
	if err != nil {
		return done, err
	}
	p.Ledger, err = ledger.Found(ctx, p.ledgerOptions(), "init", func(t *ledger.Tx) error {
		commit, err := p.commitOfRoot(ctx, t, shot.Tree, head.Commit)
		if err != nil {
			return err
		}
		done.State = t.State(hop.State{
			Kind: hop.KindAccepted, SourceTree: string(shot.Tree), GitCommit: string(commit),
			Summary: "Initial project state", Agent: "hop",
		}, hop.Facts{Incomplete: problems(shot), Head: string(head.Commit)})
		t.Accept(done.State)
		return nil
	})
	if err != nil {
		return done, err
	}
	done.Created, done.Incomplete = true, problems(shot)
	return done, nil
}

// commitOfRoot is the user's own commit where nothing was edited since, so that
// the accepted line continues the user's branch without a step between.
func (p *Project) commitOfRoot(ctx context.Context, t *ledger.Tx, tree, head git.OID) (git.OID, error) {
	if head == "" {
		return commitFor(t, tree, "", "hop: initial project state\n"), nil
	}
	commit, err := p.Repo.Commit(ctx, head)
	if err != nil {
		return "", err
	}
	if commit.Tree == tree {
		return head, nil
	}
	return commitFor(t, tree, head, "hop: initial project state\n"), nil
}

// problems are what a snapshot could not take, as they are shown.
func problems(shot git.Snapshot) []hop.Problem { return readableProblems(shot.Problems) }

func readableProblems(found []git.Problem) []hop.Problem {
	var out []hop.Problem
	for _, problem := range found {
		path, raw := hop.ReadablePath(problem.Path)
		out = append(out, hop.Problem{Path: path, PathB64: raw, Reason: problem.Reason})
	}
	return out
}
