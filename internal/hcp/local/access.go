package local

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/accessfile"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// approvalsFile holds requests for a person's yes, in the store.
const approvalsFile = "approvals.json"

// AccessFiles are where the user's settings and the project's are. There is no
// project file outside of a project, nor where it would be the store's own.
func (r *Runtime) AccessFiles() (user, project string) {
	user = accessfile.UserPath(r.o.Home)
	root := r.enclosing(r.workDir())
	if root == "" || sameFile(filepath.Join(root, accessfile.Folder), r.o.Home) {
		return user, ""
	}
	return user, accessfile.ProjectPath(root)
}

// OuterAccessFiles are the settings of every further repository of this user
// that the working directory or the caller is in, the innermost first. Whoever
// makes a repository, or only a .git, in a folder of a project, or names
// another folder by HCP_PROJECT_DIR, is still in the project. What only looks
// like a repository counts, too: all that such a file can do is tighten.
func (r *Runtime) OuterAccessFiles() []string {
	_, project := r.AccessFiles()
	return r.outside(project)
}

// outside is OuterAccessFiles for a caller that knows the project's file.
func (r *Runtime) outside(project string) []string {
	starts := []string{r.workDir()}
	if r.o.Dir != starts[0] {
		starts = append(starts, r.o.Dir)
	}
	var files []string
	for _, start := range starts {
		at, err := filepath.EvalSymlinks(start)
		if err != nil || !filepath.IsAbs(at) {
			continue
		}
		for ; ; at = filepath.Dir(at) {
			path := accessfile.ProjectPath(at)
			if path != project && !slices.Contains(files, path) && r.tightens(at) {
				files = append(files, path)
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return files
}

// tightens reports whether a folder has settings of a project in it.
func (r *Runtime) tightens(dir string) bool {
	if _, err := os.Lstat(accessfile.ProjectPath(dir)); err != nil {
		return false
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil || !git.Owned(dir) {
		return false
	}
	isHome := slices.ContainsFunc(r.homes(), func(home string) bool { return home != "" && sameFile(dir, home) })
	return !isHome && !sameFile(filepath.Join(dir, accessfile.Folder), r.o.Home)
}

// Access reads the settings anew and puts their layers together.
func (r *Runtime) Access() (access.Effective, error) {
	layers := access.Layers{Env: r.accessVariables()}
	user, project := r.AccessFiles()
	var err error
	if layers.User, err = accessfile.Read(user, accessfile.User); err != nil {
		return access.Effective{}, err
	}
	if project != "" {
		if layers.Project, err = accessfile.Read(project, accessfile.Project); err != nil {
			return access.Effective{}, err
		}
	}
	for _, path := range r.outside(project) {
		config, err := accessfile.Read(path, accessfile.Project)
		if err != nil {
			return access.Effective{}, err
		}
		layers.Outer = append(layers.Outer, access.OuterProject{Config: config})
	}
	return access.Merge(layers), nil
}

// Unsettled is why no command of a pack can run under the settings, whatever they
// would say of it, or nil. Without a pack it is about all that have no mode of
// their own.
func (r *Runtime) Unsettled(packID string) *fault.Error {
	e, err := r.Access()
	if err != nil {
		return fault.From(err)
	}
	if problem := access.Unknown(e.ModeOf(packID).Mode, e.Approvals); problem != "" {
		return fault.New(access.CodeBadMode, problem).WithHint("set HCP_MODE and HCP_APPROVALS to what hcpx help mode lists, or unset them")
	}
	return nil
}

func (r *Runtime) accessVariables() access.Variables {
	return access.Variables{Mode: r.o.Mode, Approvals: r.o.Approvals, Agent: r.o.Agent != ""}
}

// accessSettings are the settings that decide whether a command runs without
// asking. They are read anew for each call; rules about other commands are
// looked at and left out.
func (r *Runtime) accessSettings(_ context.Context, packID, key string) (access.Settings, error) {
	layers := access.Layers{Env: r.accessVariables()}
	user, project := r.AccessFiles()
	var err error
	if layers.User, layers.UserAt, err = accessfile.ReadFor(user, accessfile.User, packID, key); err != nil {
		return access.Settings{}, err
	}
	if project != "" {
		if layers.Project, layers.ProjectAt, err = accessfile.ReadFor(project, accessfile.Project, packID, key); err != nil {
			return access.Settings{}, err
		}
	}
	for _, path := range r.outside(project) {
		config, at, err := accessfile.ReadFor(path, accessfile.Project, packID, key)
		if err != nil {
			return access.Settings{}, err
		}
		layers.Outer = append(layers.Outer, access.OuterProject{Config: config, At: at})
	}
	effective := access.Merge(layers)
	return effective.For(packID), nil
}

// UpdateAccess changes the user's settings, or those of the project.
func (r *Runtime) UpdateAccess(ctx context.Context, kind accessfile.Kind, fn func(*hcp.AccessConfig) error) error {
	path, project := r.AccessFiles()
	if kind == accessfile.Project {
		path = project
	}
	lock := filepath.Join(r.o.Home, "locks", accessfile.Name+".lock")
	return accessfile.Update(ctx, path, lock, r.o.Program, kind, fn)
}

// Approvals is the desk of this store.
func (r *Runtime) Approvals() *approval.Desk { return r.desk }

func newDesk(o Options) *approval.Desk {
	return approval.New(approval.NewFile(filepath.Join(o.Home, approvalsFile), o.Program), o.Clock)
}

// Preview is what a person would be asked about a call, and what the settings
// decide about it now. Nothing runs, and nothing is recorded.
func (r *Runtime) Preview(id, key string, args hcp.Args, confirmed bool) (*hcp.ApprovalRequest, access.Verdict, error) {
	p, err := r.Store.Pack(id)
	if err != nil {
		return nil, access.Verdict{}, err
	}
	checked, err := command.Check(&p.Manifest, key, args)
	if err != nil {
		return nil, access.Verdict{}, err
	}
	entry, ok := p.Entry(key)
	if !ok {
		return nil, access.Verdict{}, fault.Newf(pipeline.CodeNoPolicy, "no policy for %s", key).
			WithHint("pack %q declares the command but not its Policy entry, so it never runs", id)
	}
	if p.Kind == hcp.KindWrap {
		if _, err := command.Render(&p.Manifest, key, checked); err != nil {
			return nil, access.Verdict{}, err
		}
	}
	effective, err := r.Access()
	if err != nil {
		return nil, access.Verdict{}, err
	}
	verdict := access.Decide(access.Request{
		PackID: id, Key: key, Operation: entry.Operation, Confirm: entry.Confirm, Args: checked, Confirmed: confirmed,
	}, effective.For(id))
	return pipeline.AskPerson(&p.Manifest, key, entry, checked, verdict, hcp.ViewOptions{}), verdict, nil
}
