package op

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Project is an open project.
type Project struct {
	*ledger.Ledger
	Surroundings
	Layout workspace.Layout
	Config workspace.Config
	Repo   *git.Repository
	// Notes are things that a person should know and that stop nothing.
	Notes []string
}

// Open opens the project that the surroundings are in.
func Open(ctx context.Context, s Surroundings) (*Project, error) {
	root, err := Locate(s)
	if err != nil {
		return nil, err
	}
	return openAt(ctx, s, root)
}

// openAt opens the project with this root.
func openAt(ctx context.Context, s Surroundings, root string) (*Project, error) {
	p, err := bareProject(ctx, s, root)
	if err != nil {
		return nil, err
	}
	p.Ledger, err = ledger.Open(ctx, p.ledgerOptions())
	if fault.Is(err, ledger.CodeForeignIndex) {
		p.Ledger, err = p.carryOver(ctx)
	}
	if err == nil {
		err = p.checkRepository(ctx)
	}
	if err == nil && p.Unwritable() != nil {
		p.Notes = append(p.Notes, readOnlyNote(p.Unwritable()))
	}
	if err == nil && p.PurgeLeft() {
		err = p.finishLeftPurge(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// readOnlyNote says why nothing can be recorded for now.
func readOnlyNote(why error) string {
	return fault.From(why).Message + "; what is recorded can be read meanwhile"
}

// checkRepository refuses a repository that does not have what was accepted: it
// is another one than the project was made in, or it is damaged.
func (p *Project) checkRepository(ctx context.Context) error {
	head, err := p.Accepted(ctx)
	if err != nil {
		return err
	}
	missing, err := p.Repo.Exists(ctx, git.OID(head.State.GitCommit))
	if err != nil || len(missing) == 0 {
		return err
	}
	return fault.Newf(CodeReplaced, "the repository does not have the accepted commit %s of %s", head.State.GitCommit, head.State.ID).
		WithHint("bring the repository back that the project was made in; or move .hop away and make a new project with hop init")
}

// bareProject opens everything of a project but its ledger.
func bareProject(ctx context.Context, s Surroundings, root string) (*Project, error) {
	layout := workspace.Layout{Root: root}
	if err := layout.Check(); err != nil {
		return nil, err
	}
	config, err := workspace.ReadConfig(layout.ConfigFile())
	if err != nil {
		return nil, err
	}
	if config.Outside() {
		if layout.Outside, err = outsideFolder(s, root); err != nil {
			return nil, err
		}
	}
	options, err := s.gitOptions(config.Filters)
	if err != nil {
		return nil, err
	}
	repo, err := git.Open(ctx, root, options)
	if err != nil {
		return nil, err
	}
	if !sameFolder(repo.Root(), root) {
		return nil, errors.Join(fault.Newf(CodeNoProject, "the project folder %q is not the root of a git repository", root).
			WithHint("its repository was moved or removed"), repo.Close())
	}
	p := &Project{Surroundings: s, Layout: layout, Config: config, Repo: repo}
	if err := p.refuseForeignFolder(ctx); err != nil {
		return nil, errors.Join(err, repo.Close())
	}
	return p, nil
}

func (p *Project) ledgerOptions() ledger.Options {
	return ledger.Options{Git: p.Repo, Dir: p.Layout.Dir(), Clock: p.Clock}
}

// carryOver takes over the project of the public reference implementation.
func (p *Project) carryOver(ctx context.Context) (*ledger.Ledger, error) {
	if err := p.Layout.Prepare(p.Repo.CommonDir()); err != nil {
		return nil, err
	}
	if err := ledger.Adopt(ctx, p.ledgerOptions()); err != nil {
		return nil, err
	}
	p.Notes = append(p.Notes, "this project was made by another Hop program and has been carried over; its index is kept as .hop/hop.db.v2")
	return ledger.Open(ctx, p.ledgerOptions())
}

// Close closes the project.
func (p *Project) Close() error {
	var err error
	if p.Ledger != nil {
		err = p.Ledger.Close()
	}
	return errors.Join(err, p.Repo.Close())
}

// Locate finds the root of the project: HOP_ROOT where it is set, else the next
// folder upwards that has one, else the project of the repository that the caller
// stands in.
func Locate(s Surroundings) (string, error) {
	if root := s.env(hop.EnvRoot); root != "" {
		if !filepath.IsAbs(root) || !hasIndex(root) {
			return "", fault.Newf(CodeNoProject, "%s names %q, which is not the root of a Hop project", hop.EnvRoot, root).
				WithHint("unset %s, or set it to the absolute path of the root", hop.EnvRoot)
		}
		return realPath(root), nil
	}
	for dir := s.Dir; ; dir = filepath.Dir(dir) {
		if hasIndex(dir) {
			return ownerOf(dir), nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if home, ok := homeOf(s.Dir); ok && home.made {
		return home.root, nil
	}
	return "", notInProject(s)
}

func hasIndex(root string) bool {
	info, err := os.Lstat(filepath.Join(root, workspace.FolderName, ledger.IndexName))
	return err == nil && info.Mode().IsRegular()
}

// hasFolder reports whether there is a project's folder, be it without an index.
func hasFolder(root string) bool {
	_, err := os.Lstat(filepath.Join(root, workspace.FolderName))
	return err == nil
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func sameFolder(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

func notInProject(s Surroundings) error {
	f := fault.Newf(CodeNoProject, "%q is not inside a Hop project", s.Dir)
	if home, ok := homeOf(s.Dir); ok {
		return f.WithHint("hop init makes one in %q; where one was removed, it makes the index anew from git", home.root).WithNext("hop init")
	}
	return f.WithHint("hop init makes one in a git repository").WithNext("hop init")
}

// outsideFolder is where the workspaces of this project go in the user's data
// folder.
func outsideFolder(s Surroundings, root string) (string, error) {
	data, err := DataFolder(s)
	if err != nil {
		return "", fault.New("bad_config", "workspaces are to be outside of the project, and there is no home folder to put them in").
			WithHint("set XDG_DATA_HOME, or have them inside")
	}
	return filepath.Join(data, "workspaces", folderKey(root)), nil
}

// DataFolder is where Hop keeps what is the user's and no project's.
func DataFolder(s Surroundings) (string, error) {
	data := s.env("XDG_DATA_HOME")
	if data == "" && s.Home != "" {
		data = filepath.Join(s.Home, ".local", "share")
	}
	if !filepath.IsAbs(data) {
		return "", fault.New("no_home", "there is no home folder to keep the user's data in").
			WithHint("set XDG_DATA_HOME")
	}
	return filepath.Join(data, "hop"), nil
}
