package hcpruntime

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/authz"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

// runtimeName stands in the error of an adapter that is not there (§6.6).
const runtimeName = "reference runtime"

// Options say what a runtime is made of. The zero value of each field is its
// default.
type Options struct {
	// Driver is a runtime of your own. Without one, Runtime names a built-in:
	// Local (the default) or ProprietaryStub.
	Driver  Driver
	Runtime string
	// PackDirs are the pack directories of the local runtime, Packs the loaded
	// packs of the stub.
	PackDirs []string
	Packs    []*Pack

	// NoSandbox and NativeLocal together run wrapped programs outside of the
	// sandbox. Either alone changes nothing.
	NoSandbox   bool
	NativeLocal bool

	// Grants default to one of each capability for everything, which is right for
	// a personal machine only; an empty list grants nothing.
	Grants []hcp.Grant
	// Principal defaults to {"local-principal", human}, TenantID to
	// "local-tenant".
	Principal hcp.Principal
	TenantID  string
	// ProjectID and Member scope commands whose land is brain: both are needed,
	// since belonging to a tenant is not belonging to a project.
	ProjectID string
	Member    func(scope hcp.AuthzContext) bool

	// AllowBins names executables besides those of the packs: an absolute path
	// says which file a pack's bare name means, instead of SearchPath.
	AllowBins []string
	// SearchPath is where bare executable names are looked up, once, when a pack
	// is activated; by default /usr/local/bin:/usr/bin:/bin.
	SearchPath string
	// ProjectDir is where packs with workspace mode project work.
	ProjectDir string
	// StateDir keeps the private homes of wrapped programs; without it they last
	// until Close.
	StateDir string
	// Home is the user's home. No program ever gets it as a whole, and a project
	// may not contain it.
	Home string
	// Zone and Certificates (NAME=value) reach wrapped programs as TZ and as the
	// places of certificate bundles.
	Zone         string
	Certificates []string
	// Timeout ends a wrapped program; 0 means ten minutes.
	Timeout time.Duration

	// Access says what runs without asking: the zero value is mode "auto" with
	// approvals "agent".
	Access Access
	// Audit receives one event for each decision. It returns an error when it
	// could not record it, which refuses a write before it runs; a durable event
	// must be on disk when it returns.
	Audit func(ctx context.Context, e hcp.AuditEvent, durable bool) error
	// Calls is told what happens to each call, for a host to show. It must not
	// wait for anything.
	Calls func(hcp.CallRecord)
	// Hub mints credentials for user and mothership Bindings.
	Hub Hub
	// Handlers are the commands of composite packs, by pack id and command.
	Handlers map[string]map[string]Handler
}

// Access is the user's or operator's setting for what runs without asking.
type Access struct {
	Mode      string // manual, auto or run
	Approvals string // agent or human
}

func (a Access) settings() access.Settings {
	return access.Settings{Mode: access.Mode(a.Mode), Approvals: access.Approvals(a.Approvals)}
}

// Runtime runs commands of activated packs. It is safe for concurrent use.
type Runtime struct {
	engine   engine
	pipeline *pipeline.Pipeline
	member   authz.Membership
	sandbox  hcp.SandboxMode

	mu     sync.RWMutex
	scope  hcp.AuthzContext
	access access.Settings
}

// Create opens a runtime.
func Create(_ context.Context, o Options) (*Runtime, error) {
	e, err := newEngine(o)
	if err != nil {
		return nil, public(err)
	}
	r := &Runtime{engine: e, member: o.Member, sandbox: hcp.Sandboxed, scope: scopeOf(o), access: o.Access.settings()}
	if o.NoSandbox && o.NativeLocal {
		r.sandbox = hcp.NativeLocal
	}
	options := pipeline.Options{
		Runtime:  runtimeName,
		Clock:    clock.System(),
		Packs:    e,
		Scope:    func(context.Context) (hcp.AuthzContext, error) { return r.Authz(), nil },
		Member:   o.Member,
		Access:   func(context.Context, string) (access.Settings, error) { return r.settings(), nil },
		Hub:      e.hub(),
		Adapters: e.adapters(),
		Sandbox:  r.sandbox,
		Dir:      o.ProjectDir,
		Calls:    o.Calls,
	}
	if o.Audit != nil {
		options.Audit = auditFunc(o.Audit)
		options.Digest = keyedDigest()
	}
	r.pipeline = pipeline.New(options)
	return r, nil
}

func newEngine(o Options) (engine, error) {
	switch {
	case o.Driver != nil:
		return &foreign{driver: o.Driver}, nil
	case o.Runtime == "" || o.Runtime == Local:
		return newLocal(o)
	case o.Runtime == ProprietaryStub:
		return newStub(o)
	}
	return nil, fault.Newf("usage", "unknown runtime %q", o.Runtime).
		WithHint("use %q or %q, or pass a Driver of your own", Local, ProprietaryStub)
}

func scopeOf(o Options) hcp.AuthzContext {
	scope := hcp.AuthzContext{Principal: o.Principal, TenantID: o.TenantID, ProjectID: o.ProjectID, Grants: slices.Clone(o.Grants)}
	if o.Grants == nil {
		scope.Grants = hcp.PermissiveGrants()
	}
	if scope.Principal.ID == "" {
		scope.Principal = hcp.Principal{ID: hcp.LocalPrincipal, Kind: hcp.PrincipalHuman, Elevated: o.Principal.Elevated}
	}
	if scope.TenantID == "" {
		scope.TenantID = hcp.LocalTenant
	}
	return scope
}

type auditFunc func(ctx context.Context, e hcp.AuditEvent, durable bool) error

func (f auditFunc) Record(ctx context.Context, e hcp.AuditEvent, durable bool) error {
	return f(ctx, e, durable)
}

// keyedDigest digests arguments under a key that lasts as long as the runtime:
// events of one runtime can be compared, and nothing can be guessed from them.
func keyedDigest() func([]byte) string {
	key := []byte(rand.Text())
	return func(canonical []byte) string {
		mac := hmac.New(sha256.New, key)
		mac.Write(canonical)
		return hex.EncodeToString(mac.Sum(nil))
	}
}

// Close ends the runtime and removes what it kept in a temporary directory.
func (r *Runtime) Close() error { return public(r.engine.close()) }

// DriverID and DriverKind name the driver.
func (r *Runtime) DriverID() string { id, _ := r.engine.id(); return id }

// DriverKind is the sort of driver.
func (r *Runtime) DriverKind() string { _, kind := r.engine.id(); return kind }

// SandboxMode is the execution posture.
func (r *Runtime) SandboxMode() hcp.SandboxMode { return r.sandbox }

// Authz returns the Principal, tenant, project and grants.
func (r *Runtime) Authz() hcp.AuthzContext {
	r.mu.RLock()
	defer r.mu.RUnlock()
	scope := r.scope
	scope.Grants = slices.Clone(scope.Grants)
	return scope
}

// SetGrants replaces the grants. Nil grants nothing.
func (r *Runtime) SetGrants(grants []hcp.Grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scope.Grants = append([]hcp.Grant{}, grants...)
}

// SetAccess replaces the access settings, as when a person picks a mode for the
// session. Agents never set it.
func (r *Runtime) SetAccess(a Access) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.access = a.settings()
}

func (r *Runtime) settings() access.Settings {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.access
}

// Activate puts packs on the session, all of them or none, and pins what they
// are. A pack of the control plane needs an elevated Principal.
func (r *Runtime) Activate(ctx context.Context, ids ...string) error {
	scope := r.Authz()
	for _, id := range ids {
		p, err := r.engine.get(ctx, id)
		if err != nil {
			return public(err)
		}
		if p == nil {
			return public(unknown(id))
		}
		if err := authz.Elevation(scope, &p.Manifest); err != nil {
			return public(err)
		}
	}
	return public(r.engine.activate(ctx, ids))
}

// Deactivate takes packs off the session and drops their connections (§11.1).
func (r *Runtime) Deactivate(ctx context.Context, ids ...string) error {
	r.engine.deactivate(ids)
	hub, scope := r.engine.hub(), r.Authz()
	for _, id := range ids {
		p, err := r.engine.get(ctx, id)
		if err != nil {
			return public(err)
		}
		if p == nil {
			continue
		}
		if err := hub.Disconnect(ctx, binding.For(&p.Manifest, scope)); err != nil {
			return public(err)
		}
	}
	return nil
}

// ActivatedPacks lists the activated packs in the order of their activation.
func (r *Runtime) ActivatedPacks() []string { return append([]string{}, r.engine.activated()...) }

// Connect establishes a pack's Binding. A public pack needs none.
func (r *Runtime) Connect(ctx context.Context, id string) error {
	return public(r.pipeline.Connect(ctx, id))
}

// Exec runs a command. Whatever happens is in the result.
func (r *Runtime) Exec(ctx context.Context, id, key string, args hcp.Args) hcp.ExecResult {
	return r.pipeline.Exec(ctx, pipeline.Call{PackID: id, Key: key, Args: args})
}

// ExecApproved is Exec with the host's statement that its own interface
// collected a person's yes for exactly this call. Agents never set it.
func (r *Runtime) ExecApproved(ctx context.Context, id, key string, args hcp.Args, approval hcp.HostApproval) hcp.ExecResult {
	return r.pipeline.Exec(ctx, pipeline.Call{PackID: id, Key: key, Args: args, Approval: &approval})
}

// ExecJSON runs an exec envelope (§6.1), with surface_id as an alias of pack_id.
func (r *Runtime) ExecJSON(ctx context.Context, envelope []byte) hcp.ExecResult {
	call, err := pipeline.Parse(envelope)
	if err != nil {
		return pipeline.Refusal(call, err)
	}
	return r.pipeline.Exec(ctx, call)
}
