package local

import (
	"bytes"
	"context"
	"path/filepath"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/adapter/wrap"
	"bridle/internal/hcp/pack"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/fault"
)

// guardDir holds, in the store, what the guard of calls and git repositories
// remembers.
const guardDir = "guard"

// runWrapped runs a wrapped program on this machine. The project is looked at
// only for packs that work on it.
func (r *Runtime) runWrapped(ctx context.Context, request adapter.Request) adapter.Outcome {
	limits := wrap.Limits{Home: r.o.UserHome, Account: r.accountHome(), Store: r.o.Home, Offline: r.offline}
	driver := &wrap.Local{
		Jails: jails{r.Store}, Limits: limits,
		Guard: &wrap.GitGuard{Dir: filepath.Join(r.o.Home, guardDir), Holder: r.o.Program},
	}
	switch mode := workspaceMode(request.Pack); mode {
	case hcp.WorkspaceProject, hcp.WorkspaceEphemeral:
		project, err := r.openProject(limits)
		switch {
		case err == nil:
			driver.Project = project
		case mode == hcp.WorkspaceProject:
			return adapter.Refused(err)
		}
	case hcp.WorkspaceNone, hcp.WorkspacePrivate:
	}
	host := wrap.Host{Zone: r.o.Zone, Certificates: r.o.Certificates, MCP: r.o.MCP}
	return wrap.New(wrap.Options{Driver: driver, Host: host, Limits: limits}).Run(ctx, request)
}

// openProject opens the project at hand. Under an agent's marker the environment
// only tightens: HCP_PROJECT_DIR may choose a folder of the project that the
// caller is in, and no other.
func (r *Runtime) openProject(limits wrap.Limits) (*wrap.Project, error) {
	if !r.mayNameProject() {
		return nil, fault.Newf(wrap.CodeNoProject, "HCP_PROJECT_DIR leads out of the project at hand, to %q", r.o.ProjectDir).
			WithHint("%s says that an agent is at work; run the command in the directory that it is about", r.o.Agent)
	}
	return wrap.OpenProject(r.workDir(), limits)
}

func workspaceMode(p *pack.Pack) hcp.WorkspaceMode {
	if w := p.Manifest.Wrap; w != nil && w.Workspace != nil && w.Workspace.Mode != "" {
		return w.Workspace.Mode
	}
	return hcp.WorkspaceNone
}

// jails shows the store's private places to the driver.
type jails struct{ store *store.Store }

func (j jails) Jail(packID, owner string) (wrap.Jail, error) {
	jail, err := j.store.Jail(packID, owner)
	return place(jail), err
}

func (j jails) Ephemeral() (wrap.Jail, error) {
	jail, err := j.store.Ephemeral()
	return place(jail), err
}

func place(jail *store.Jail) wrap.Jail {
	if jail == nil {
		return wrap.Jail{}
	}
	return wrap.Jail{Home: jail.Home, Tmp: jail.Tmp, Work: jail.Work, Close: jail.Close}
}

// outputs keeps long outputs in the store.
type outputs struct{ store *store.Store }

func (o outputs) SaveOutput(ctx context.Context, data []byte) (string, error) {
	ref, _, err := o.store.SaveOutput(ctx, bytes.NewReader(data))
	return ref, err
}
