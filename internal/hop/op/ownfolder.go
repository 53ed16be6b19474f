package op

import (
	"context"
	"strings"

	"bridle/internal/hop/ledger"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// The project's own folder names programs that Hop starts, and holds its index.
// Nothing that comes with files may put anything there: no commit, no proposal and
// no other machine. What is in it was made here or is not used.

// refuseForeignFolder refuses a project folder that came with the files of the
// repository instead of being made here.
func (p *Project) refuseForeignFolder(ctx context.Context) error {
	if err := p.refuseTracked(ctx); err != nil || !hasIndex(p.Layout.Root) {
		return err
	}
	// Making a project leaves its mark in the repository's own folder, which no
	// clone brings along.
	hidden, err := workspace.Hidden(p.Repo.CommonDir())
	if err != nil || hidden {
		return err
	}
	recorded, err := ledger.Exists(ctx, p.Repo)
	if err != nil || recorded {
		return err
	}
	return fault.Newf(CodeReplaced, "%q was not made in this repository", p.Layout.Dir()).
		WithHint("bring the repository back that it was made in; or, where it came with the files, move it away and make a project with hop init: its configuration may start programs")
}

// refuseTracked refuses a repository in which git tracks the project's own
// folder: who can commit could say there what runs here.
func (p *Project) refuseTracked(ctx context.Context) error {
	if err := p.refuseStaged(ctx); err != nil {
		return err
	}
	head, err := p.Repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return err
	}
	if missing, err := p.Repo.Exists(ctx, head.Commit); err != nil || len(missing) > 0 {
		return err // of a damaged repository, which others tell
	}
	commit, err := p.Repo.Commit(ctx, head.Commit)
	if err != nil {
		return err
	}
	name, err := p.ownFolderIn(ctx, commit.Tree)
	if err != nil || name == "" {
		return err
	}
	return fault.Newf(CodeTracked, "git tracks %q in %q, which is Hop's own folder", name, p.Layout.Root).
		WithHint("take it out of git first, with the files that came in it, and commit that").
		WithNext("git rm -r " + name)
}

// behindOwn sorts behind the project's own folder and everything in it, in
// whatever case it is written: the slash is the byte before the zero.
const behindOwn = workspace.FolderName + "0"

// refuseStaged refuses a repository whose index holds the project's own folder:
// with the next commit git would track it, and a checkout would write it.
func (p *Project) refuseStaged(ctx context.Context) error {
	tree, err := p.Repo.Worktree()
	if err != nil {
		return err
	}
	var name string
	err = tree.StagedBefore(ctx, behindOwn, func(path string) bool {
		if workspace.IsOwn(path) {
			name, _, _ = strings.Cut(path, "/")
		}
		return name == ""
	})
	if err != nil || name == "" {
		return err
	}
	return fault.Newf(CodeTracked, "the index of %q holds %q, which is Hop's own folder", p.Layout.Root, name).
		WithHint("take it out of the index; the files stay").
		WithNext("git rm -r -q --cached " + name)
}

// refuseOwnFolder refuses a tree that would write into the project's own folder.
func (p *Project) refuseOwnFolder(ctx context.Context, tree git.OID) error {
	name, err := p.ownFolderIn(ctx, tree)
	if err != nil || name == "" {
		return err
	}
	return fault.Newf(CodeTracked, "the files hold %q, which is Hop's own folder", name).
		WithHint("take it out of the workspace, and propose again")
}

func (p *Project) ownFolderIn(ctx context.Context, tree git.OID) (string, error) {
	entries, err := p.Repo.Tree(ctx, tree)
	if err != nil {
		return "", err
	}
	return workspace.OwnFolder(entries), nil
}
