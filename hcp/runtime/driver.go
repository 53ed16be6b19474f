package hcpruntime

import (
	"context"
	"errors"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/pack"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/fault"
)

// The built-in drivers, as Options.Runtime names them.
const (
	Local           = "local"
	ProprietaryStub = "proprietary-stub"
)

// Driver is a runtime behind this façade: a private catalog, hub and way of
// running commands. Exec is reached only by calls that passed the pipeline, so a
// driver may but need not decide again. Implementations are safe for concurrent
// use.
type Driver interface {
	// ID names the driver, Kind its sort.
	ID() string
	Kind() string
	ListPacks(ctx context.Context) ([]*Pack, error)
	// GetPack returns the pack, or nil when there is none of that id.
	GetPack(ctx context.Context, id string) (*Pack, error)
	// Exec mints and runs. What it returns is bounded and audited afterwards.
	Exec(ctx context.Context, call DriverCall) hcp.ExecResult
}

// Connector is a Driver that establishes Bindings. With any other driver,
// Connect finds nothing to do.
type Connector interface {
	Connect(ctx context.Context, packID string, scope hcp.AuthzContext) error
}

// DriverCall is an authorised call.
type DriverCall struct {
	PackID  string
	VerbKey string
	// Args are checked and lack the reserved names.
	Args hcp.Args
	// Confirmed says that someone entitled to said yes to exactly this call;
	// Mock that the envelope asked for the mock credential.
	Confirmed bool
	Mock      bool
	Scope     hcp.AuthzContext
	Sandbox   hcp.SandboxMode
}

// engine is what the pipeline needs of a driver.
type engine interface {
	pipeline.Packs
	id() (id, kind string)
	list(ctx context.Context) ([]*pack.Pack, error)
	get(ctx context.Context, id string) (*pack.Pack, error)
	activate(ctx context.Context, ids []string) error
	deactivate(ids []string)
	activated() []string
	hub() binding.Hub
	adapters() map[hcp.Kind]adapter.Adapter
	unable(p *pack.Pack) string
	close() error
}

// foreign is the engine over a Driver of the program's own.
type foreign struct {
	session
	driver Driver
	links  binding.Memory
	// all says that every pack of the driver counts as activated.
	all bool
}

func (f *foreign) id() (string, string) { return f.driver.ID(), f.driver.Kind() }

func (f *foreign) list(ctx context.Context) ([]*pack.Pack, error) {
	packs, err := f.driver.ListPacks(ctx)
	if err != nil {
		return nil, private(err)
	}
	inner := make([]*pack.Pack, len(packs))
	for i, p := range packs {
		inner[i] = inward(p)
	}
	return inner, nil
}

func (f *foreign) get(ctx context.Context, id string) (*pack.Pack, error) {
	p, err := f.driver.GetPack(ctx, id)
	if err != nil || p == nil {
		return nil, private(err)
	}
	if p.ID != id {
		return nil, fault.Newf("bad_pack", "the driver returned pack %q for %q", p.ID, id)
	}
	return inward(p), nil
}

func (f *foreign) Installed(ctx context.Context, id string) (bool, error) {
	p, err := f.get(ctx, id)
	return p != nil, err
}

func (f *foreign) IDs(ctx context.Context) []string {
	packs, err := f.list(ctx)
	if err != nil {
		return nil
	}
	ids := make([]string, len(packs))
	for i, p := range packs {
		ids[i] = p.ID
	}
	return ids
}

func (f *foreign) Activated(ctx context.Context, id string) (*pipeline.Activation, error) {
	if !f.all && !f.has(id) {
		return nil, nil
	}
	p, err := f.get(ctx, id)
	if err != nil || p == nil {
		return nil, err
	}
	return &pipeline.Activation{Pack: p}, nil
}

func (f *foreign) activate(ctx context.Context, ids []string) error {
	return f.add(ctx, ids, f.get)
}

func (f *foreign) hub() binding.Hub { return driverHub{f.driver, &f.links} }

func (f *foreign) unable(*pack.Pack) string { return "" }

func (f *foreign) close() error { return nil }

// adapters hands commands of every kind to the driver.
func (f *foreign) adapters() map[hcp.Kind]adapter.Adapter {
	all := map[hcp.Kind]adapter.Adapter{}
	for _, kind := range hcp.Kinds {
		all[kind] = adapter.Func(f.exec)
	}
	return all
}

func (f *foreign) exec(ctx context.Context, r adapter.Request) adapter.Outcome {
	if over := adapter.Over(ctx); over != nil {
		return adapter.Refused(over)
	}
	result := f.driver.Exec(ctx, DriverCall{
		PackID: r.Pack.ID, VerbKey: r.Key, Args: r.Args, Confirmed: r.Confirmed,
		Mock: r.Credential.Mode == hcp.BindingMock, Scope: r.Scope, Sandbox: r.Sandbox,
	})
	out := adapter.Outcome{Started: true, Value: result.Result, ExitCode: result.ExitCode, Notes: result.Notes}
	if result.Stdout != "" && result.Result == nil {
		out.Stdout = stream(result.Stdout)
	}
	if result.Stderr != "" {
		out.Stderr = stream(result.Stderr)
	}
	if !result.OK {
		out.Failure = driverFailure(result)
	}
	return out
}

func stream(text string) *adapter.Stream {
	return &adapter.Stream{Head: []byte(text), Size: int64(len(text))}
}

// driverFailure keeps what a driver says of a failure, and says something where
// it says nothing.
func driverFailure(r hcp.ExecResult) *fault.Error {
	code, message := r.Code, r.Error
	if code == "" {
		code = adapter.CodeCommandFailed
	}
	if strings.TrimSpace(message) == "" {
		message = "the driver refused without a reason"
	}
	return fault.New(code, message).WithHint("%s", r.Hint).WithNext(r.Next...)
}

// driverHub leaves minting to the driver's own Exec, and remembers what its
// Connect established.
type driverHub struct {
	driver Driver
	links  *binding.Memory
}

func (h driverHub) Mint(_ context.Context, r binding.Request) (binding.Credential, error) {
	return binding.Credential{Identity: "driver:" + h.driver.ID(), Mode: r.Mode}, nil
}

func (h driverHub) Connect(ctx context.Context, r binding.Request) error {
	if c, ok := h.driver.(Connector); ok && !r.Establish {
		scope := hcp.AuthzContext{Principal: r.Principal, TenantID: r.TenantID, ProjectID: r.ProjectID}
		if err := c.Connect(ctx, r.PackID, scope); err != nil {
			return connectFailure(err)
		}
	}
	return h.links.SetLinked(ctx, r, true)
}

// connectFailure keeps what the driver says, and says "connect failed" where it
// says nothing.
func connectFailure(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Code != "" && e.Message != "" {
		return private(e)
	}
	message := err.Error()
	if strings.TrimSpace(message) == "" {
		message = "connect failed"
	}
	return fault.New(binding.CodeConnectFailed, message).Because(err)
}

func (h driverHub) Disconnect(ctx context.Context, r binding.Request) error {
	return h.links.SetLinked(ctx, r, false)
}

// Status is what this runtime saw: a driver without Connect has nothing to
// connect.
func (h driverHub) Status(ctx context.Context, r binding.Request) (binding.Status, error) {
	if _, ok := h.driver.(Connector); !ok || r.Mode == hcp.BindingPublic {
		return binding.Status{Connected: true, State: binding.Linked}, nil
	}
	linked, err := h.links.Linked(ctx, r)
	if err != nil || !linked {
		return binding.Status{State: binding.Pending}, err
	}
	return binding.Status{Connected: true, State: binding.Linked}, nil
}
