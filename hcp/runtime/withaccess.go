package hcpruntime

import (
	"context"
	"maps"

	"bridle/hcp"
	"bridle/internal/hcp/pipeline"
)

// AccessOptions are what WithAccess puts in front of a driver.
type AccessOptions struct {
	Access    Access
	Approvals *Approvals
	Views     hcp.ViewOptions
	// Audit receives one event for each decision, as in Options.
	Audit func(ctx context.Context, e hcp.AuditEvent, durable bool) error
	// AuditKey keys the digests of arguments, as in Options.
	AuditKey []byte
	// Member decides about commands whose land is brain, as in Options.
	Member func(scope hcp.AuthzContext) bool
	// Authorize decides in place of the grants, as in Options.
	Authorize hcp.Authorize
}

// WithAccess puts argument checks, grants, the access decision, approvals and
// audit in front of any driver. Each call brings its own scope, in
// DriverCall.Scope, and may carry confirm among its arguments. Every pack of the
// driver counts as activated. Wrapping twice is a no-op, and so is giving a
// wrapped driver to Create, which puts all of it in front of drivers anyway.
func WithAccess(d Driver, o AccessOptions) Driver {
	if g, ok := d.(*guarded); ok {
		return g
	}
	g := &guarded{Driver: d, options: o}
	r, err := create(Options{
		Driver: d, Access: o.Access, Approvals: o.Approvals, Views: o.Views, Audit: o.Audit, AuditKey: o.AuditKey, Member: o.Member, Authorize: o.Authorize,
	}, true)
	g.runtime, g.err = r, err
	return g
}

// guarded is a driver behind the whole pipeline.
type guarded struct {
	Driver
	options AccessOptions
	runtime *Runtime
	err     error
}

type callScope struct{}

// Exec decides about the call and, if it may run, lets the driver run it.
func (g *guarded) Exec(ctx context.Context, call DriverCall) hcp.ExecResult {
	request := pipeline.Call{PackID: call.PackID, Key: call.VerbKey, Args: maps.Clone(call.Args)}
	if g.err != nil {
		return pipeline.Refusal(request, private(g.err))
	}
	if request.Args == nil {
		request.Args = hcp.Args{}
	}
	if call.Confirmed {
		request.Args[hcp.ArgConfirm] = true
	}
	if call.Mock {
		request.Args[hcp.ArgMode] = hcp.ModeMock
	}
	return g.runtime.exec(context.WithValue(ctx, callScope{}, call.Scope), request)
}

// Connect passes on to a driver that connects.
func (g *guarded) Connect(ctx context.Context, packID string, scope hcp.AuthzContext) error {
	if c, ok := g.Driver.(Connector); ok {
		return c.Connect(ctx, packID, scope)
	}
	return nil
}

// unwrapped takes a wrapped driver out of its wrapping and keeps what the
// wrapping was told, where the options say nothing of their own.
func unwrapped(o Options) Options {
	g, ok := o.Driver.(*guarded)
	if !ok {
		return o
	}
	o.Driver = g.Driver
	if o.Access.Mode == "" && o.Access.Approvals == "" && o.Access.Rules == nil && o.Access.Packs == nil {
		o.Access = g.options.Access
	}
	if o.Approvals == nil {
		o.Approvals = g.options.Approvals
	}
	if o.Views.Rules == nil && o.Views.Signals == nil {
		o.Views = g.options.Views
	}
	if o.Audit == nil {
		o.Audit, o.AuditKey = g.options.Audit, g.options.AuditKey
	}
	if o.Member == nil {
		o.Member = g.options.Member
	}
	if o.Authorize == nil {
		o.Authorize = g.options.Authorize
	}
	return o
}
