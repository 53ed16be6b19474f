package pipeline

import (
	"context"

	"bridle/hcp"
	"bridle/internal/hcp/authz"
	"bridle/internal/hcp/binding"
	"bridle/internal/kernel/fault"
)

// CodeConnectFailed is a connect that the hub refused without saying why.
const CodeConnectFailed = binding.CodeConnectFailed

// Connect establishes a pack's Binding (§8.5, §11.1): the pack is activated,
// the Principal holds pack.connect for it, and the hub agrees. A public pack
// has nothing to connect, so no hub is asked; the act needs the grant and is
// attributed all the same.
func (p *Pipeline) Connect(ctx context.Context, packID string) error {
	c := p.begin(ctx, Call{PackID: packID})
	for _, s := range []step{
		{"pack", (*Pipeline).findPack},
		{"activation", (*Pipeline).requireActivation},
		{"scope", (*Pipeline).requireSession},
	} {
		if f := p.take(ctx, s, c); f != nil {
			return p.attributeRefusal(ctx, c, hcp.AuditConnect, f)
		}
	}
	c.binding = binding.For(&c.pack.Manifest, c.scope)
	if err := authz.Assert(c.scope, hcp.CapConnect, packID, ""); err != nil {
		return p.attributeRefusal(ctx, c, hcp.AuditConnect, fault.From(err))
	}
	if err := authz.Elevation(c.scope, &c.pack.Manifest); err != nil {
		return p.attributeRefusal(ctx, c, hcp.AuditConnect, fault.From(err))
	}
	if c.binding.Mode == hcp.BindingPublic {
		return p.attribute(ctx, c, hcp.AuditConnect, func() error { return nil })
	}
	if p.o.Hub == nil {
		return p.attributeRefusal(ctx, c, hcp.AuditConnect, noHub(c.binding))
	}
	return p.attribute(ctx, c, hcp.AuditConnect, func() error { return p.o.Hub.Connect(ctx, c.binding) })
}

// Install attributes an installation (§9.1, §9.4): it asserts pack.install,
// makes the decision durable, runs install and records what came of it.
func (p *Pipeline) Install(ctx context.Context, packID string, install func() error) error {
	c := p.begin(ctx, Call{PackID: packID})
	if f := p.take(ctx, step{"scope", (*Pipeline).requireSession}, c); f != nil {
		return p.attributeRefusal(ctx, c, hcp.AuditInstall, f)
	}
	if err := authz.Assert(c.scope, hcp.CapInstall, packID, ""); err != nil {
		return p.attributeRefusal(ctx, c, hcp.AuditInstall, fault.From(err))
	}
	return p.attribute(ctx, c, hcp.AuditInstall, install)
}

// requireSession judges who acts, for acts on a pack as a whole, which have no
// land.
func (p *Pipeline) requireSession(_ context.Context, c *call) *fault.Error {
	return p.scoped(c, hcp.LandPersonal)
}

// attribute surrounds an act that changes something with its two lines.
func (p *Pipeline) attribute(ctx context.Context, c *call, action hcp.AuditAction, act func() error) error {
	e := p.event(c, hcp.AuditDecided)
	e.Action, e.Operation, e.Decision = action, hcp.OperationWrite, hcp.AuditAllow
	if err := p.record(ctx, e, true); err != nil {
		return auditUnavailable(err, "nothing was done: it needs an audit log that can be written")
	}
	err := act()
	e.Stage, e.Ran, e.OK = hcp.AuditOutcome, true, err == nil
	if err != nil {
		f := fault.From(err)
		e.Code, e.Reason = f.Code, f.Message
	}
	if recordErr := p.record(ctx, e, false); recordErr != nil && err == nil {
		return auditUnavailable(recordErr, "it was done, but its outcome is missing from the audit log")
	}
	return err
}

func (p *Pipeline) attributeRefusal(ctx context.Context, c *call, action hcp.AuditAction, f *fault.Error) error {
	e := p.event(c, hcp.AuditWhole)
	e.Action, e.Operation, e.Decision = action, hcp.OperationWrite, hcp.AuditDeny
	e.Code, e.Reason = f.Code, f.Message
	if err := p.record(ctx, e, false); err != nil {
		f.Hint += "; this refusal could not be written to the audit log"
	}
	return f
}

// noteConnected records the Binding that a pack's own connect command has just
// established (§8.5.4).
func (p *Pipeline) noteConnected(ctx context.Context, c *call, r *hcp.ExecResult) {
	if !r.OK || c.outcome.Deferred || !c.binding.Establish || p.o.Hub == nil {
		return
	}
	if c.binding.Mode == hcp.BindingPublic || c.binding.Mode == hcp.BindingMock {
		return
	}
	if err := p.o.Hub.Connect(ctx, c.binding); err != nil {
		r.Notes = append(r.Notes, "the command ran, but the pack could not be marked as connected: "+reason(err))
	}
}
