// Package pipeline is the one road to execution (§6.3, §9.5).
//
// Every invoker's call walks the steps in the order below, and the first step
// that refuses ends it: nothing after it runs. A refusal is a result with
// ok false, never an error of the transport, so that callers can branch on it.
//
//	pack        the pack is installed                            §6.3 step 1
//	activation  and activated on this session, unchanged         step 2
//	policy      the command is declared and has a Policy entry   step 3
//	scope       Principal, tenant, and project for land brain    step 4
//	capability  the grant, and elevation where §9.8 wants it     step 5
//	arguments   names, types and the rendered command line       between 5 and 6
//	confirm     modes, rules and approvals                       step 6
//	record      a write's decision is on disk                    before 7
//	mint        the credential, or nothing runs                  step 7
//	adapter     the command itself                               step 8
//	            the result is bounded and cleaned, and audited   step 9
//
// Arguments are judged after the capability, because a caller without a grant
// learns that first, and before confirm, because a person should not be asked
// about a call that cannot run.
//
// Invariants:
//
//   - A write runs only when its decision could be made durable. Of a read the
//     line is written before the result is handed out.
//   - Argument values and minted secrets reach neither the audit log nor, in
//     the case of secrets, results and errors.
//   - After its context has ended, a call enters no further step.
//   - A panic in any part that is plugged in is a refusal or a failed result.
package pipeline

import (
	"context"
	"fmt"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/authz"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

// Pipeline runs commands. It is safe for concurrent use.
type Pipeline struct {
	o Options
	// entered observes the walk in tests.
	entered func(step string)
}

// New returns a pipeline over the given parts.
func New(o Options) *Pipeline { return &Pipeline{o: o} }

// Call is one exec envelope (§6.1) and, beside it, the host's statement that
// its own interface collected a person's yes for exactly this call.
type Call struct {
	PackID   string
	Key      string
	Args     hcp.Args
	Approval *hcp.HostApproval
}

// call is the state of one call on the road. Each step fills in what the later
// ones need.
type call struct {
	Call
	id    string
	began time.Time

	scope    hcp.AuthzContext
	scopeErr error

	pack       *pack.Pack
	activation *Activation
	entry      hcp.PolicyEntry
	command    hcp.Command
	need       hcp.Capability
	control    command.Control
	args       hcp.Args
	argv       command.Argv
	ruling     ruling
	recorded   bool
	binding    binding.Request
	credential binding.Credential
	outcome    adapter.Outcome

	// What a refusal at the confirm step adds to the envelope.
	preview    *hcp.CallPreview
	approval   *hcp.ApprovalRequest
	approvalID string
	note       *hcp.AccessNote
	changed    []string
}

// step is one stretch of the road: it refuses with a fault, or lets pass.
type step struct {
	name string
	take func(p *Pipeline, ctx context.Context, c *call) *fault.Error
}

// road is the order of §6.3. No other order of these steps exists.
func road() [10]step {
	return [...]step{
		{"pack", (*Pipeline).findPack},
		{"activation", (*Pipeline).requireActivation},
		{"policy", (*Pipeline).findPolicy},
		{"scope", (*Pipeline).requireScope},
		{"capability", (*Pipeline).requireCapability},
		{"arguments", (*Pipeline).checkArguments},
		{"confirm", (*Pipeline).confirm},
		{"record", (*Pipeline).recordDecision},
		{"mint", (*Pipeline).mint},
		{"adapter", (*Pipeline).runAdapter},
	}
}

// Exec walks the road and returns the result envelope.
func (p *Pipeline) Exec(ctx context.Context, request Call) hcp.ExecResult {
	c := p.begin(ctx, request)
	for _, s := range road() {
		if refusal := p.take(ctx, s, c); refusal != nil {
			return p.refuse(ctx, c, refusal)
		}
	}
	return p.finish(ctx, c)
}

// begin opens the call. The Principal is asked for here, so that every line of
// the audit log names one, and judged at its own step.
func (p *Pipeline) begin(ctx context.Context, request Call) *call {
	now := p.o.Clock.Now()
	c := &call{Call: request, id: ids.New("call", now), began: now}
	c.scope, c.scopeErr = p.o.Scope(ctx)
	return c
}

// take enters one step. A part that panics refuses the call.
func (p *Pipeline) take(ctx context.Context, s step, c *call) (refusal *fault.Error) {
	defer func() {
		if r := recover(); r != nil {
			refusal = fault.Newf(fault.CodeInternal, "the %s step failed unexpectedly", s.name).
				WithHint("this is a defect of the program, not of the call").
				Because(fmt.Errorf("panic: %v", r))
		}
	}()
	if over := adapter.Over(ctx); over != nil {
		return over // a run that was cancelled starts nothing more
	}
	if p.entered != nil {
		p.entered(s.name)
	}
	return s.take(p, ctx, c)
}

// findPack resolves the pack id.
func (p *Pipeline) findPack(ctx context.Context, c *call) *fault.Error {
	if c.PackID == "" {
		return fault.New(CodeMissingPack, "no pack named").
			WithHint("name the pack; the installed commands are listed by the next command").WithNext("hcpx commands")
	}
	installed, err := p.o.Packs.Installed(ctx, c.PackID)
	if err != nil {
		return fault.From(err)
	}
	if !installed {
		return unknownPack(c.PackID, p.o.Packs.IDs(ctx))
	}
	return nil
}

// requireActivation refuses packs that are not on the session, and packs whose
// files or executable are not the ones that were accepted.
func (p *Pipeline) requireActivation(ctx context.Context, c *call) *fault.Error {
	activation, err := p.o.Packs.Activated(ctx, c.PackID)
	if err != nil {
		return fault.From(err)
	}
	if activation == nil {
		return notActivated(c.PackID)
	}
	c.activation, c.pack = activation, activation.Pack
	return nil
}

// findPolicy resolves the command and its Policy entry: a command without one
// never runs (§6.7).
func (p *Pipeline) findPolicy(_ context.Context, c *call) *fault.Error {
	if c.Key == "" {
		return missingCommand(c.pack)
	}
	entry, ok := c.pack.Entry(c.Key)
	if !ok {
		return noPolicy(c.pack, c.Key)
	}
	declared, ok := command.Lookup(&c.pack.Manifest, c.Key)
	if !ok {
		return noPolicy(c.pack, c.Key)
	}
	c.entry, c.command = entry, declared
	return nil
}

// requireScope judges the session's Principal, tenant and, for land brain, the
// project and the Principal's membership in it (§9.1, §9.2).
func (p *Pipeline) requireScope(_ context.Context, c *call) *fault.Error {
	return p.scoped(c, c.entry.Privacy.Land)
}

func (p *Pipeline) scoped(c *call, land hcp.Land) *fault.Error {
	if c.scopeErr != nil {
		return unauthenticated(c.scopeErr)
	}
	return refusal(authz.Scope(c.scope, land, p.o.Member))
}

// requireCapability asserts the grant (§9.4) and keeps operator credentials
// from Principals without elevation, however the command was reached (§9.8).
func (p *Pipeline) requireCapability(_ context.Context, c *call) *fault.Error {
	c.need = authz.NeedFor(c.Key, c.entry)
	if p.o.Authorize != nil {
		request := hcp.AuthzRequest{PackID: c.PackID, VerbKey: c.Key, Operation: c.entry.Operation, Land: c.entry.Privacy.Land}
		if err := authz.Refused(p.o.Authorize(c.scope, request)); err != nil {
			return fault.From(err)
		}
	} else if err := authz.Assert(c.scope, c.need, c.PackID, c.Key); err != nil {
		return fault.From(err)
	}
	return refusal(authz.Elevation(c.scope, &c.pack.Manifest))
}

// checkArguments splits off the reserved names, checks the rest against the
// command's declaration and renders the command line of a wrap pack.
func (p *Pipeline) checkArguments(_ context.Context, c *call) *fault.Error {
	args, control, err := command.SplitControl(c.Args)
	if err != nil {
		return fault.From(err)
	}
	c.control = control
	c.args, c.argv, err = command.CheckAndRender(&c.pack.Manifest, c.Key, args)
	return refusal(err)
}

// confirm applies mode, rules and approvals (§4.5, RFC 0006).
func (p *Pipeline) confirm(ctx context.Context, c *call) *fault.Error {
	settings, err := p.o.Access(ctx, c.PackID, c.Key)
	if err != nil {
		return fault.From(err)
	}
	v := access.Decide(access.Request{
		PackID:    c.PackID,
		Key:       c.Key,
		Operation: c.entry.Operation,
		Confirm:   c.entry.Confirm,
		Args:      c.args,
		Confirmed: c.control.Confirmed,
	}, settings)
	c.ruling = ruling{Verdict: v, approvedBy: string(v.By)}
	switch {
	case v.Decision == access.Allow && v.ReasonCode == "":
		return nil
	case v.Decision != access.Allow && v.Decision != access.Ask:
		c.note = v.Note()
		return deniedByAccess(v)
	}
	approved, refused := p.askPerson(ctx, c)
	if refused != nil {
		return refused
	}
	if approved || v.Decision == access.Allow {
		return nil
	}
	return p.ask(ctx, c)
}

// recordDecision makes the decision to run a write durable before anything of
// it happens (§9.6).
func (p *Pipeline) recordDecision(ctx context.Context, c *call) *fault.Error {
	if c.entry.Operation != hcp.OperationWrite || p.o.Audit == nil {
		return nil
	}
	c.binding = binding.For(&c.pack.Manifest, c.scope)
	event := p.event(c, hcp.AuditDecided)
	event.Decision = hcp.AuditAllow
	if err := p.record(ctx, event, true); err != nil {
		return auditUnavailable(err, "nothing ran: a write needs an audit log that can be written")
	}
	c.recorded = true
	return nil
}

// mint obtains the credential (§8.4). There is no second source.
func (p *Pipeline) mint(ctx context.Context, c *call) *fault.Error {
	c.binding = binding.For(&c.pack.Manifest, c.scope)
	c.binding.Establish = c.need == hcp.CapConnect
	if c.control.Mock {
		if p.o.Sandbox != hcp.Sandboxed {
			return mockRefused()
		}
		c.binding.Mode = hcp.BindingMock
		c.credential = binding.Mock(c.binding)
		return nil
	}
	switch {
	case c.binding.Mode == hcp.BindingPublic:
		c.credential = binding.Public()
		return nil
	case c.binding.Mode == hcp.BindingMock:
		return mockRequired(c.PackID)
	case p.o.Hub == nil:
		return noHub(c.binding)
	}
	credential, err := p.o.Hub.Mint(ctx, c.binding)
	if err != nil {
		return fault.From(err)
	}
	c.credential = credential
	return nil
}

// runAdapter runs the command. A command that fails is an outcome, not a
// refusal.
func (p *Pipeline) runAdapter(ctx context.Context, c *call) *fault.Error {
	runner := p.o.Adapters[c.pack.Kind]
	if runner == nil {
		return notExecutable(c.pack.Kind, p.o.Runtime)
	}
	nested, tooDeep := deeper(ctx)
	if tooDeep != nil {
		return tooDeep
	}
	p.tell(c, hcp.CallRunning, nil)
	c.outcome = p.guarded(nested, runner, adapter.Request{
		CallID:    c.id,
		Pack:      c.pack,
		Key:       c.Key,
		Operation: c.entry.Operation,
		Land:      c.entry.Privacy.Land,
		Confirmed: c.ruling.ReasonCode != "",

		AskedToConfirm: c.control.Confirmed,

		Args:       c.args,
		Argv:       c.argv,
		Bin:        c.activation.Bin,
		Scope:      c.scope,
		Sandbox:    p.o.Sandbox,
		Credential: c.credential,
		Invoke: func(ctx context.Context, packID, key string, args hcp.Args) hcp.ExecResult {
			return p.Exec(inside(ctx, nested), Call{PackID: packID, Key: key, Args: args})
		},
	})
	return nil
}

// refusal returns err as a fault, and no fault for no error.
func refusal(err error) *fault.Error {
	if err == nil {
		return nil
	}
	return fault.From(err)
}
