// Package local is the runtime of one machine and one person: the store, and
// the road to execution over it, with the machine's own adapters, hub and audit
// log plugged in (§6.3, §9, §11). The command line uses it, and whatever else
// runs commands for the person whose machine this is.
//
// Invariants:
//
//   - Who acts, for which tenant and in which project comes from the machine:
//     the user's id, and the repository that this user owns. No argument of a
//     call and no variable alone can choose another (§9.1, §9.2).
//   - Under an agent's marker a store that the person did not choose carries no
//     grants, however permissive its own files are: an agent that names a fresh
//     store must not come out with more rights than in the person's own.
//   - Every decision goes to $HCP_HOME/audit.jsonl; without the log no write
//     runs.
package local

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/adapter/composite"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/journal"
)

// runtimeName stands in the error of an adapter that this runtime lacks.
const runtimeName = "reference runtime"

// Options are what the runtime needs to know of its surroundings.
type Options struct {
	// Home is the store's folder, UserHome the person's.
	Home, UserHome string
	// UserID names the operating system's user, AccountHome returns the home
	// folder that the system's user database has for them.
	UserID      string
	AccountHome func() (string, error)
	// Dir is the caller's working directory; ProjectDir, where set, stands in
	// for it in packs that work on the project.
	Dir, ProjectDir string
	// ProjectID is the project that the environment names, or empty.
	ProjectID string
	// Path is where executables are looked for when a pack is activated.
	Path string
	// Zone is the time zone, Certificates the variables that say where bundles
	// of certificates are: all of the environment that wrapped programs get.
	Zone         string
	Certificates []string
	// MCP says that calls come through an MCP server.
	MCP bool
	// Agent is the marker that shows an agent at work, or empty.
	Agent string
	// Mode and Approvals are the access settings of the environment, or empty.
	Mode, Approvals string
	// Bundled holds the packs that come with the program.
	Bundled fs.FS
	// Handlers run the commands of composite packs, by pack id.
	Handlers map[string]composite.Handlers
	Clock    clock.Clock
	// Program names this process to others that wait for the store.
	Program string
}

// Runtime is an opened store with everything that runs its packs.
type Runtime struct {
	Store *store.Store
	o     Options
	pipe  *pipeline.Pipeline
	hub   *binding.Local
	audit *auditLog
	desk  *approval.Desk
	// offline keeps the network from wrapped programs.
	offline bool
}

// Open opens the store, creating it on first use, and wires the runtime.
func Open(ctx context.Context, o Options) (*Runtime, error) {
	s, err := store.Open(ctx, o.Home, store.Options{
		UserHome: o.UserHome, AccountHome: o.AccountHome, Holder: o.Program, Clock: o.Clock, Bundled: o.Bundled,
	})
	if err != nil {
		return nil, err
	}
	key, err := journal.Key(filepath.Join(o.Home, keyFile))
	if err != nil {
		return nil, err
	}
	r := &Runtime{Store: s, o: o, audit: &auditLog{home: o.Home}, desk: newDesk(o)}
	r.hub = &binding.Local{Links: links{s}}
	r.pipe = pipeline.New(pipeline.Options{
		Runtime: runtimeName,
		Clock:   o.Clock,
		Packs:   packs{s},
		Scope:   r.Scope,
		Member:  r.member,
		Access:  r.accessSettings,

		Approvals: r.desk,
		Hub:       r.hub,
		Adapters:  r.adapters(),
		Sandbox:   hcp.Sandboxed,
		Dir:       r.workDir(),
		Audit:     r.audit,
		Digest:    func(canonical []byte) string { return journal.KeyedDigest(key, canonical) },
		Outputs:   outputs{s},
	})
	return r, nil
}

func (r *Runtime) adapters() map[hcp.Kind]adapter.Adapter {
	return map[hcp.Kind]adapter.Adapter{
		hcp.KindComposite: r.composites(),
		hcp.KindWrap:      adapter.Func(r.runWrapped),
	}
}

// composites runs the commands that this program has code for.
func (r *Runtime) composites() *composite.Adapter {
	handlers := map[string]composite.Handlers{composite.EchoPack: composite.Echo()}
	for id, h := range r.o.Handlers {
		handlers[id] = h
	}
	return composite.New(r.o.Clock, handlers)
}

// Exec runs one command through the whole road.
func (r *Runtime) Exec(ctx context.Context, packID, key string, args hcp.Args) hcp.ExecResult {
	result := r.pipe.Exec(ctx, pipeline.Call{PackID: packID, Key: key, Args: args})
	if result.Code == pipeline.CodeDenied {
		if hint := r.foreignHint(); hint != "" {
			result.Hint = hint
		} else if strings.Contains(result.Error, string(hcp.LandBrain)) {
			result.Hint = r.projectHint()
		}
	}
	return result
}

// Disconnect leaves wrapped programs without a network from now on. It is called
// before the first command runs.
func (r *Runtime) Disconnect() { r.offline = true }

// projectHint says how a call comes by a project.
func (r *Runtime) projectHint() string {
	const how = "run it in a git repository of the user's, or in a project that the user lists under \"projects\" in access.json of the store and names by HCP_PROJECT_ID"
	if id := r.IgnoredProjectID(); id != "" {
		return fmt.Sprintf("HCP_PROJECT_ID %q is ignored, since the user's settings do not list it; %s", id, how)
	}
	return how
}

// Connect establishes a pack's Binding (§8.5).
func (r *Runtime) Connect(ctx context.Context, packID string) error {
	return r.explained(r.pipe.Connect(ctx, packID))
}

// Attribute runs an installation or removal as an act of the Principal: it
// needs pack.install, and both its decision and its outcome are recorded.
func (r *Runtime) Attribute(ctx context.Context, packID string, act func() error) error {
	return r.explained(r.pipe.Install(ctx, packID, act))
}

// WorkFolders are the folders that an agent works in: nothing that is found
// there counts as a program of this machine.
func (r *Runtime) WorkFolders() []string {
	folders := []string{r.workDir()}
	if root := r.enclosing(r.workDir()); root != "" {
		folders = append(folders, root)
	}
	return folders
}

// workDir is the directory that the caller works in.
func (r *Runtime) workDir() string {
	dir := r.o.ProjectDir
	if dir == "" {
		return r.o.Dir
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.o.Dir, dir)
	}
	return filepath.Clean(dir)
}
