package pipeline

import (
	"context"
	"maps"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/command"
	"bridle/internal/kernel/fault"
)

// ruling is the access decision and who satisfied it.
type ruling struct {
	access.Verdict
	approvedBy string
	approvalID string
}

// byHuman marks a person's yes, in the host's interface or stored.
const byHuman = "human"

// approvedByPerson reports whether a person has said yes to exactly this call:
// in the host's own interface, or through a stored approval, which is used up.
// It is asked before an agent's confirm counts, so that the yes is attributed
// to the person and cannot serve a second call.
func (p *Pipeline) approvedByPerson(ctx context.Context, c *call) (bool, error) {
	if a := c.Approval; a != nil && a.By == byHuman {
		c.ruling.approvedBy, c.ruling.approvalID = byHuman, a.ID
		return true, nil
	}
	if p.o.Approvals == nil {
		return false, nil
	}
	id, err := p.o.Approvals.Consume(ctx, p.subject(c))
	if err != nil || id == "" {
		return false, err
	}
	c.ruling.approvedBy, c.ruling.approvalID = byHuman, id
	return true, nil
}

// subject is what an approval of this call is bound to.
func (p *Pipeline) subject(c *call) Subject {
	return Subject{
		PackID:     c.PackID,
		PackDigest: c.activation.Digest,
		Key:        c.Key,
		Args:       c.args,
		Argv:       c.argv.Args(),
		BinDigest:  c.activation.Bin.SHA256,
		Dir:        p.o.Dir,
		Principal:  c.scope.Principal.ID,
		TenantID:   c.scope.TenantID,
		ProjectID:  c.scope.ProjectID,
		Mode:       p.o.Sandbox,
		Mock:       c.control.Mock,
	}
}

// ask refuses with everything a host needs to ask a person.
func (p *Pipeline) ask(ctx context.Context, c *call) *fault.Error {
	v := c.ruling.Verdict
	cli := c.line()
	c.preview = &hcp.CallPreview{Command: c.Key, Args: c.args, CLI: cli}
	c.note = v.Note()
	c.approval = &hcp.ApprovalRequest{
		PackID:     c.PackID,
		PackName:   c.pack.Manifest.Name,
		Command:    c.Key,
		Summary:    c.command.Description,
		Operation:  c.entry.Operation,
		Confirm:    c.entry.Confirm,
		Args:       callArgs(&c.pack.Manifest, c.Key, c.args),
		CLI:        cli,
		Reason:     v.Reason,
		ReasonCode: string(v.ReasonCode),
		Mode:       string(v.Mode),
		Approvals:  string(v.Approvals),
	}
	if p.o.Describe != nil {
		p.o.Describe(c.pack, c.Key, c.args, c.approval)
	}
	f := fault.New(access.CodeConfirmRequired, access.ErrorConfirmRequired).WithHint("%s", v.Hint)
	if p.o.Approvals == nil {
		return f
	}
	id, err := p.o.Approvals.Request(ctx, p.subject(c), c.approval)
	if err != nil {
		return fault.From(err)
	}
	c.approvalID = id
	if v.Approvals == access.ApprovalsHuman {
		f = f.WithHint("%s; the user approves it with: hcpx approve %s", v.Hint, id)
	}
	return f
}

// line is the command line to show, for commands that have one.
func (c *call) line() string {
	if c.pack.Kind == hcp.KindWrap {
		return c.argv.Line()
	}
	if len(c.command.CLI) == 0 {
		return ""
	}
	argv, err := command.Render(&c.pack.Manifest, c.Key, c.args)
	if err != nil {
		return ""
	}
	return argv.Line()
}

// callArgs lists the arguments of a call with the pack's words for them: the
// declared ones in declared order, then any others by name.
func callArgs(m *hcp.Manifest, key string, args hcp.Args) []hcp.CallArg {
	list := make([]hcp.CallArg, 0, len(args))
	known, err := command.Declared(m, key)
	if err != nil {
		known = nil
	}
	seen := map[string]bool{}
	for _, a := range known {
		if value, given := args[a.Name]; given {
			list = append(list, hcp.CallArg{Name: a.Name, Value: value, Description: a.Description})
			seen[a.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !seen[name] {
			list = append(list, hcp.CallArg{Name: name, Value: args[name]})
		}
	}
	return list
}
