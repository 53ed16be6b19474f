package hcpruntime

import (
	"context"
	"os"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/accessfile"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/journal"
)

// AccessRequest is a call as the access settings see it.
type AccessRequest struct {
	PackID    string
	VerbKey   string
	Operation hcp.Operation
	Confirm   hcp.Confirm
	Args      hcp.Args
	// Confirmed says that the envelope carried confirm or apply.
	Confirmed bool
}

// Decision is what access says about a call: allow, ask or deny, and why. By
// says who let it run: mode, rule, agent or human.
type Decision struct {
	Decision   string
	Code       string
	Reason     string
	ReasonCode string
	Hint       string
	Mode       string
	Approvals  string
	By         string
}

// DecideAccess applies mode and rules to a call, and nothing else.
func DecideAccess(r AccessRequest, a Access) Decision {
	l := layer(a)
	if l.err != nil {
		f := fault.From(l.err)
		return Decision{Decision: string(access.Deny), Code: f.Code, Reason: f.Message, Hint: f.Hint}
	}
	return outwardVerdict(access.Decide(r.inward(), l.effective.For(r.PackID)))
}

func (r AccessRequest) inward() access.Request {
	return access.Request{PackID: r.PackID, Key: r.VerbKey, Operation: r.Operation, Confirm: r.Confirm, Args: r.Args, Confirmed: r.Confirmed}
}

func outwardVerdict(v access.Verdict) Decision {
	return Decision{
		Decision: string(v.Decision), Code: v.Code, Reason: v.Reason, ReasonCode: string(v.ReasonCode), Hint: v.Hint,
		Mode: string(v.Mode), Approvals: string(v.Approvals), By: string(v.By),
	}
}

// AccessLayers are settings before they are put together. EnvMode and
// EnvApprovals are the values of HCP_MODE and HCP_APPROVALS; Agent says that an
// agent is at work, so that they may only tighten. The project may only tighten.
type AccessLayers struct {
	User, Project         Access
	EnvMode, EnvApprovals string
	Agent                 bool
}

// IgnoredSetting is a setting that does not count, and why.
type IgnoredSetting struct{ Origin, Setting, Reason string }

// MergeAccess puts layers together into settings that decide as the layers do,
// and tells what was ignored.
func MergeAccess(l AccessLayers) (Access, []IgnoredSetting) {
	e := access.Merge(access.Layers{
		User: l.User, Project: l.Project,
		Env: access.Variables{Mode: l.EnvMode, Approvals: l.EnvApprovals, Agent: l.Agent},
	})
	merged := Access{
		Mode: string(e.Mode), Approvals: string(e.Approvals),
		Projects: l.User.Projects, Stores: l.User.Stores,
	}
	for id, own := range e.Packs {
		if merged.Packs == nil {
			merged.Packs = map[string]hcp.AccessPack{}
		}
		merged.Packs[id] = hcp.AccessPack{Mode: string(own.Mode)}
	}
	for i := range e.Rules {
		merged.Rules = append(merged.Rules, e.Rules[i].AccessRule)
	}
	var ignored []IgnoredSetting
	for _, s := range e.Ignored {
		ignored = append(ignored, IgnoredSetting{string(s.Origin), s.Setting, s.Reason})
	}
	return merged, ignored
}

// AccessFiles are the paths of the user's access.json in a store and of a
// project's.
func AccessFiles(home, projectRoot string) (user, project string) {
	return accessfile.UserPath(home), accessfile.ProjectPath(projectRoot)
}

// ReadAccessFile reads an access.json. A missing one says nothing; one that
// cannot be used is an error.
func ReadAccessFile(path string) (Access, error) {
	c, err := accessfile.Read(path, accessfile.User)
	return c, public(err)
}

// WriteAccessFile replaces an access.json, whose folder exists.
func WriteAccessFile(ctx context.Context, path string, a Access) error {
	return public(accessfile.Update(ctx, path, path+".lock", "hcpruntime", accessfile.User, func(c *hcp.AccessConfig) error {
		*c = a
		return nil
	}))
}

// Approvals keeps requests for a person's yes: each counts for one run of
// exactly the call that was asked about, within fifteen minutes.
type Approvals struct{ desk *approval.Desk }

// NewMemoryApprovals keeps them as long as the process lasts.
func NewMemoryApprovals() *Approvals {
	return &Approvals{approval.New(&approval.Memory{}, clock.System())}
}

// NewFileApprovals keeps them in a private file that several processes share.
func NewFileApprovals(path string) *Approvals {
	return &Approvals{approval.New(approval.NewFile(path, "hcpruntime"), clock.System())}
}

// Waiting lists the requests that wait, the oldest first.
func (a *Approvals) Waiting(ctx context.Context) ([]hcp.ApprovalRequest, error) {
	records, err := a.desk.Waiting(ctx)
	if err != nil {
		return nil, public(err)
	}
	list := make([]hcp.ApprovalRequest, len(records))
	for i := range records {
		list[i] = records[i].Request
	}
	return list, nil
}

// Approve and Reject answer a request for a person. Agents never call them.
func (a *Approvals) Approve(ctx context.Context, id string) error { return a.decide(ctx, id, true) }

// Reject refuses a request.
func (a *Approvals) Reject(ctx context.Context, id string) error { return a.decide(ctx, id, false) }

func (a *Approvals) decide(ctx context.Context, id string, yes bool) error {
	_, err := a.desk.Decide(ctx, id, yes)
	return public(err)
}

// GateInput is one call of a host that runs commands its own way.
type GateInput struct {
	Pack    *Pack
	VerbKey string
	Args    hcp.Args
	Access  Access
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
	Args    hcp.Args
	Request *hcp.ApprovalRequest
	Result  *hcp.ExecResult
}

// GateCommand checks the arguments of a call and decides about it.
func GateCommand(in GateInput) Gate {
	refuse := func(f *fault.Error) Gate {
		r := pipeline.Refusal(pipeline.Call{PackID: in.Pack.ID, Key: in.VerbKey}, f)
		return Gate{Decision: Decision{Decision: string(access.Deny), Code: f.Code, Reason: f.Message, Hint: f.Hint}, Result: &r}
	}
	p := inward(in.Pack)
	entry, ok := p.Entry(in.VerbKey)
	if !ok {
		return refuse(fault.Newf(pipeline.CodeNoPolicy, "no policy for %s", in.VerbKey))
	}
	rest, control, err := command.SplitControl(in.Args)
	if err != nil {
		return refuse(fault.From(err))
	}
	args, err := command.Check(&p.Manifest, in.VerbKey, rest)
	if err != nil {
		return refuse(fault.From(err))
	}
	l := layer(in.Access)
	if l.err != nil {
		return refuse(fault.From(l.err))
	}
	v := access.Decide(access.Request{
		PackID: p.ID, Key: in.VerbKey, Operation: entry.Operation, Confirm: entry.Confirm, Args: args, Confirmed: control.Confirmed,
	}, l.effective.For(p.ID))
	if v.Decision != access.Deny && v.ReasonCode != "" && in.Approval != nil && in.Approval.By == string(access.ByHuman) {
		v.Decision, v.By, v.Code, v.Hint = access.Allow, access.ByHuman, "", ""
	}
	gate := Gate{Decision: outwardVerdict(v), Args: args}
	switch v.Decision {
	case access.Allow:
		return gate
	case access.Ask:
		gate.Request = pipeline.AskPerson(&p.Manifest, in.VerbKey, entry, args, v, in.Views)
		r := pipeline.Refusal(pipeline.Call{PackID: p.ID, Key: in.VerbKey}, fault.New(v.Code, access.ErrorConfirmRequired).WithHint("%s", v.Hint))
		r.Preview = &hcp.CallPreview{Command: in.VerbKey, Args: args, CLI: gate.Request.CLI}
		r.Approval, r.Access = gate.Request, v.Note()
		gate.Result = &r
		return gate
	case access.Deny:
	}
	denied := refuse(fault.New(v.Code, v.Reason).WithHint("%s", v.Hint))
	denied.Decision, denied.Result.Access = gate.Decision, v.Note()
	return denied
}

// FileAudit opens an audit log: a hash-chained file whose lines vouch for all
// before them. Pass the function as Options.Audit.
func FileAudit(path string) (func(ctx context.Context, e hcp.AuditEvent, durable bool) error, error) {
	j, err := journal.Open(path, journal.Options{Holder: "hcpruntime", MaxBytes: auditBytes})
	if err != nil {
		return nil, public(err)
	}
	return pipeline.Log(j).Record, nil
}

// auditBytes is the size from which a file of the log is put aside.
const auditBytes = 64 << 20

// ReadAudit returns the newest events that the filter lets pass, the oldest of
// them first; nil lets all pass, a limit of 0 is none. A log that does not exist
// has no events.
func ReadAudit(path string, lets func(hcp.AuditEvent) bool, limit int) ([]hcp.AuditEvent, error) {
	if _, err := os.Lstat(path); os.IsNotExist(err) {
		return nil, nil
	}
	filter := func(line journal.Line) bool {
		var e hcp.AuditEvent
		return line.Decode(&e) == nil && (lets == nil || lets(e))
	}
	lines, err := journal.Read(path, filter, limit)
	if err != nil {
		return nil, public(err)
	}
	events := make([]hcp.AuditEvent, len(lines))
	for i, line := range lines {
		if err := line.Decode(&events[i]); err != nil {
			return nil, public(err)
		}
	}
	return events, nil
}

// VerifyAudit checks a log and names its first bad line in the error.
func VerifyAudit(path string) error {
	report, err := journal.Verify(path)
	if err != nil {
		return public(err)
	}
	return public(report.Err())
}
