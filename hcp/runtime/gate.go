package hcpruntime

import (
	"context"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/fault"
)

// GateInput is one call of a host that runs commands its own way.
type GateInput struct {
	Pack    *Pack
	VerbKey string
	Args    hcp.Args
	// Scope is who acts for whom, Dir the directory that the call works in. Both
	// may be empty; stored approvals are bound to them.
	Scope  hcp.AuthzContext
	Dir    string
	Access Access
	// Approvals keeps the request of a call that asks, and answers one that was
	// asked about. Nil keeps none.
	Approvals *Approvals
	// Approval is the host's statement that a person said yes to exactly this
	// call in its own interface.
	Approval *hcp.HostApproval
	Views    hcp.ViewOptions
}

// Gate is the decision for one call. Request is what to ask a person, and Result
// what to return to the agent, when it asks or is denied.
type Gate struct {
	Decision
	// Args are the checked arguments, without the reserved ones.
	Args hcp.Args
	// ApprovalID is the approval that let the call run, or that it waits for.
	ApprovalID string
	Request    *hcp.ApprovalRequest
	Result     *hcp.ExecResult
}

// GateCommand checks the arguments of a call and decides about it. A stored yes
// that lets it run is used up by this.
func GateCommand(ctx context.Context, in GateInput) Gate {
	p := inward(in.Pack)
	g := &gating{in: in, call: Call{in.Pack, in.VerbKey, in.Args, in.Scope, in.Dir}, manifest: &p.Manifest}
	entry, ok := p.Entry(in.VerbKey)
	if !ok {
		return g.refuse(fault.Newf(pipeline.CodeNoPolicy, "no policy for %s", in.VerbKey))
	}
	g.entry = entry
	args, control, err := g.call.checked()
	if err != nil {
		return g.refuse(err)
	}
	g.args = args
	l := layer(in.Access)
	if l.err != nil {
		return g.refuse(l.err)
	}
	g.verdict = access.Decide(access.Request{
		PackID: p.ID, Key: in.VerbKey, Operation: entry.Operation, Confirm: entry.Confirm, Args: args, Confirmed: control.Confirmed,
	}, l.effective.For(p.ID))
	switch {
	case g.verdict.Decision == access.Allow && g.verdict.ReasonCode == "":
		return Gate{Decision: outwardVerdict(g.verdict), Args: args}
	case g.verdict.Decision == access.Allow, g.verdict.Decision == access.Ask:
		return g.satisfy(ctx)
	}
	return g.denied(fault.New(g.verdict.Code, g.verdict.Reason).WithHint("%s", g.verdict.Hint))
}

// gating is a call on its way through GateCommand.
type gating struct {
	in       GateInput
	call     Call
	manifest *hcp.Manifest
	entry    hcp.PolicyEntry
	args     hcp.Args
	verdict  access.Verdict
}

func (g *gating) refuse(err error) Gate {
	f := fault.From(err)
	r := pipeline.Refusal(pipeline.Call{PackID: g.in.Pack.ID, Key: g.in.VerbKey}, f)
	return Gate{Decision: Decision{Decision: string(access.Deny), Code: f.Code, Reason: f.Message, Hint: f.Hint}, Result: &r}
}

func (g *gating) denied(err error) Gate {
	gate := g.refuse(err)
	gate.Mode, gate.Approvals = string(g.verdict.Mode), string(g.verdict.Approvals)
	gate.Result.Access = g.verdict.Note()
	return gate
}

// satisfy looks who says yes to a call that asks. A person's word, here or
// stored, comes before an agent's, as in the pipeline.
func (g *gating) satisfy(ctx context.Context) Gate {
	if a := g.in.Approval; a != nil && a.By == string(access.ByHuman) {
		return g.approved(a.ID)
	}
	var subject approval.Subject
	var answer Answer
	if g.in.Approvals != nil {
		var err error
		if subject, err = g.call.bound(g.args); err != nil {
			return g.denied(err)
		}
		if answer, err = g.in.Approvals.consume(ctx, subject); err != nil {
			return g.denied(private(err))
		}
	}
	switch {
	case answer.State == ApprovalGiven:
		return g.approved(answer.ID)
	case answer.State == ApprovalRejected:
		gate := g.denied(pipeline.Rejected(answer.ID))
		gate.ApprovalID = answer.ID
		return gate
	case g.verdict.Decision == access.Allow:
		return Gate{Decision: outwardVerdict(g.verdict), Args: g.args}
	}
	return g.ask(ctx, subject, answer.Changed)
}

func (g *gating) approved(id string) Gate {
	v := g.verdict
	v.Decision, v.By, v.Code, v.Hint = access.Allow, access.ByHuman, "", ""
	return Gate{Decision: outwardVerdict(v), Args: g.args, ApprovalID: id}
}

func (g *gating) ask(ctx context.Context, subject approval.Subject, changed []string) Gate {
	gate := Gate{Decision: outwardVerdict(g.verdict), Args: g.args}
	gate.Request = pipeline.AskPerson(g.manifest, g.in.VerbKey, g.entry, g.args, g.verdict, g.in.Views)
	gate.Request.Changed = changed
	if g.in.Approvals != nil {
		id, err := g.in.Approvals.desk.Request(ctx, subject, gate.Request)
		if err != nil {
			return g.denied(err)
		}
		gate.ApprovalID = id
	}
	f := pipeline.Asks(g.verdict, changed, gate.ApprovalID)
	gate.Hint = f.Hint
	r := pipeline.Refusal(pipeline.Call{PackID: g.in.Pack.ID, Key: g.in.VerbKey}, f)
	r.Preview = &hcp.CallPreview{Command: g.in.VerbKey, Args: g.args, CLI: gate.Request.CLI}
	r.Approval, r.ApprovalID, r.Access = gate.Request, gate.ApprovalID, g.verdict.Note()
	gate.Result = &r
	return gate
}
