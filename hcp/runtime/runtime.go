package hcpruntime

import (
	"context"
	"crypto/rand"
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
	"bridle/internal/kernel/journal"
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
	// Authorize decides about commands in place of the grants, which it may still
	// look at; see DefaultAuthorize. Membership, elevation, access and approvals
	// stay as they are.
	Authorize hcp.Authorize

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
	// Approvals keeps requests for a person's yes; nil keeps none, so that a yes
	// comes with the call, from the host's own interface or as confirm.
	Approvals *Approvals
	// Views are rules of the host for the cards of approval requests.
	Views hcp.ViewOptions
	// Audit receives one event for each decision. It returns an error when it
	// could not record it, which refuses a write before it runs; a durable event
	// must be on disk when it returns.
	Audit func(ctx context.Context, e hcp.AuditEvent, durable bool) error
	// AuditKey keys the digests of arguments in audit events, so that ArgsHash
	// finds them again. Without one, a key lasts as long as the runtime.
	AuditKey []byte
	// Calls is told what happens to each call, for a host to show. It must not
	// wait for anything.
	Calls func(hcp.CallRecord)
	// Hub mints credentials for user and mothership Bindings.
	Hub Hub
	// Handlers are the commands of composite packs, by pack id and command.
	Handlers map[string]map[string]Handler
}

// Access is the user's or operator's setting for what runs without asking: the
// mode, the modes of single packs, who may approve, and the rules.
type Access = hcp.AccessConfig

// Runtime runs commands of activated packs. It is safe for concurrent use.
type Runtime struct {
	engine   engine
	life     lifetime
	pipeline *pipeline.Pipeline
	member   authz.Membership
	sandbox  hcp.SandboxMode

	mu     sync.RWMutex
	scope  hcp.AuthzContext
	access layered
}

// layered are access settings put together, or why they cannot be used.
type layered struct {
	effective access.Effective
	err       error
}

// layer puts settings together. Those that cannot be used refuse every call.
func layer(a Access) layered {
	if a.Mode != "" && !access.IsMode(a.Mode) || a.Approvals != "" && !access.IsApprovals(a.Approvals) {
		return layered{effective: access.Merge(access.Layers{User: a})} // Decide refuses them by name
	}
	if err := access.CheckConfig(&a); err != nil {
		return layered{err: fault.New(access.CodeBadSettings, "the access settings cannot be used: "+err.Error()).
			WithHint("correct the settings; nothing runs as long as its rules are unknown").Because(err)}
	}
	return layered{effective: access.Merge(access.Layers{User: a})}
}

// Create opens a runtime.
func Create(_ context.Context, o Options) (*Runtime, error) { return create(unwrapped(o), false) }

// create opens a runtime. Of an open one the driver's packs all count as
// activated, and each call brings its scope.
func create(o Options, open bool) (*Runtime, error) {
	e, err := newEngine(o)
	if err != nil {
		return nil, public(err)
	}
	if f, ok := e.(*foreign); ok {
		f.all = open
	}
	r := &Runtime{engine: e, life: lifetime{end: e.close}, member: o.Member, sandbox: hcp.Sandboxed, scope: scopeOf(o), access: layer(o.Access)}
	if o.NoSandbox && o.NativeLocal {
		r.sandbox = hcp.NativeLocal
	}
	options := pipeline.Options{
		Runtime: runtimeName,
		Clock:   clock.System(),
		Packs:   e,
		Scope:   func(ctx context.Context) (hcp.AuthzContext, error) { return r.scopeFor(ctx, open), nil },
		Member:  o.Member,

		Authorize: o.Authorize,

		Access:   func(_ context.Context, id, _ string) (access.Settings, error) { return r.settings(id) },
		Hub:      e.hub(),
		Adapters: e.adapters(),
		Sandbox:  r.sandbox,
		Dir:      o.ProjectDir,
		Calls:    o.Calls,
		Views:    o.Views,
	}
	if o.Approvals != nil {
		options.Approvals = o.Approvals.desk
	}
	if o.Audit != nil {
		options.Audit = auditFunc(o.Audit)
		options.Digest = keyedDigest(o.AuditKey)
	}
	r.pipeline = pipeline.New(options)
	return r, nil
}

// DefaultAuthorize is what decides without Options.Authorize: land brain needs a
// project, the Policy's operation picks the capability, and a grant must cover it
// for the pack and the command.
func DefaultAuthorize(scope hcp.AuthzContext, req hcp.AuthzRequest) hcp.AuthzDecision {
	return authz.Default(scope, req)
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

// keyedDigest digests arguments under the key, or under one that lasts as long as
// the runtime: events of one runtime can be compared, and nothing can be guessed
// from them.
func keyedDigest(key []byte) func([]byte) string {
	if len(key) == 0 {
		key = []byte(rand.Text())
	}
	key = slices.Clone(key)
	return func(canonical []byte) string { return journal.KeyedDigest(key, canonical) }
}

// Close ends the runtime: no call begins any more. What it kept in a temporary
// directory goes now, or with the last of the calls that still run.
func (r *Runtime) Close() error { return public(r.life.close()) }

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

// scopeFor is the scope of a call: the runtime's own, or, of an open runtime,
// the one that the call brought.
func (r *Runtime) scopeFor(ctx context.Context, open bool) hcp.AuthzContext {
	if !open {
		return r.Authz()
	}
	scope, _ := ctx.Value(callScope{}).(hcp.AuthzContext)
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
	r.access = layer(a)
}

// AllowSession adds the rule of an allow_session answer that a person picked,
// until SetAccess replaces the settings. A deny rule still wins over it.
func (r *Runtime) AllowSession(o hcp.ApprovalOption) error {
	if o.Kind != hcp.AllowSession || o.Rule == nil || o.Rule.Decision != string(access.Allow) {
		return public(fault.New("usage", "the answer is no allow_session").WithHint("pass the option of the request that the person picked"))
	}
	if err := access.CheckRule(o.Rule, ""); err != nil {
		return public(fault.New(access.CodeBadSettings, "the rule of the answer cannot be used: "+err.Error()))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	effective := &r.access.effective
	effective.Add(access.NewRule(*o.Rule, access.Session, len(effective.Rules)))
	return nil
}

func (r *Runtime) settings(packID string) (access.Settings, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.access.effective.For(packID), r.access.err
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
	if err := r.life.enter(); err != nil {
		return public(err)
	}
	defer r.life.leave()
	return public(r.pipeline.Connect(ctx, id))
}

// Exec runs a command. Whatever happens is in the result.
func (r *Runtime) Exec(ctx context.Context, id, key string, args hcp.Args) hcp.ExecResult {
	return r.exec(ctx, pipeline.Call{PackID: id, Key: key, Args: args})
}

// ExecApproved is Exec with the host's statement that its own interface
// collected a person's yes for exactly this call. Agents never set it.
func (r *Runtime) ExecApproved(ctx context.Context, id, key string, args hcp.Args, approval hcp.HostApproval) hcp.ExecResult {
	return r.exec(ctx, pipeline.Call{PackID: id, Key: key, Args: args, Approval: &approval})
}

// ExecJSON runs an exec envelope (§6.1), with surface_id as an alias of pack_id.
func (r *Runtime) ExecJSON(ctx context.Context, envelope []byte) hcp.ExecResult {
	call, err := pipeline.Parse(envelope)
	if err != nil {
		return pipeline.Refusal(call, err)
	}
	return r.exec(ctx, call)
}
