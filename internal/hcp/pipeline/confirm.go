package pipeline

import (
	"context"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/card"
	"bridle/internal/kernel/fault"
)

// ruling is the access decision and who satisfied it.
type ruling struct {
	access.Verdict
	approvedBy string
	approvalID string
}

// byHuman marks a person's yes, in the host's interface or stored.
const byHuman = string(access.ByHuman)

// askPerson reports whether a person has said yes to exactly this call: in the
// host's own interface, or through a stored approval, which is used up. It is
// asked before an agent's confirm counts, so that the yes is attributed to the
// person and cannot serve a second call, and so that a person's no stands.
func (p *Pipeline) askPerson(ctx context.Context, c *call) (bool, *fault.Error) {
	if a := c.Approval; a != nil && a.By == byHuman {
		c.ruling.approvedBy, c.ruling.approvalID = byHuman, a.ID
		return true, nil
	}
	if p.o.Approvals == nil {
		return false, nil
	}
	answer, err := p.o.Approvals.Consume(ctx, p.subject(c))
	if err != nil {
		return false, fault.From(err)
	}
	switch answer.State {
	case approval.Approved:
		c.ruling.approvedBy, c.ruling.approvalID = byHuman, answer.ID
		return true, nil
	case approval.Rejected:
		c.ruling.approvedBy, c.ruling.approvalID = "", answer.ID
		c.note = c.ruling.Note()
		return false, Rejected(answer.ID)
	case approval.Open, approval.Used, approval.Cancelled:
	}
	c.changed = answer.Changed
	return false, nil
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
	c.note = v.Note()
	c.approval = AskPerson(&c.pack.Manifest, c.Key, c.entry, c.args, v, p.o.Views)
	c.approval.Changed = c.changed
	c.preview = &hcp.CallPreview{Command: c.Key, Args: c.args, CLI: c.approval.CLI}
	if p.o.Approvals == nil {
		return Asks(v, c.changed, "")
	}
	id, err := p.o.Approvals.Request(ctx, p.subject(c), c.approval)
	if err != nil {
		return fault.From(err)
	}
	if over := adapter.Over(ctx); over != nil { // asked while the call was being cancelled
		if err := p.o.Approvals.Cancel(context.WithoutCancel(ctx), id); err != nil {
			return fault.From(err)
		}
		c.note, c.approval, c.preview = nil, nil, nil
		return over
	}
	c.approvalID = id
	return Asks(v, c.changed, id)
}

// Asks refuses a call that asks. changed is what an approval does not cover, id
// the request that is kept, if any is.
func Asks(v access.Verdict, changed []string, id string) *fault.Error {
	hint := v.Hint
	if len(changed) > 0 {
		hint += "; an approval of this command does not cover this call, since something changed: " + strings.Join(changed, ", ")
	}
	if id != "" && v.Approvals == access.ApprovalsHuman {
		hint += "; the user approves it with: hcpx approve " + id
	}
	return fault.New(access.CodeConfirmRequired, access.ErrorConfirmRequired).WithHint("%s", hint)
}

// AskPerson makes the request that a person decides on: the call in the pack's
// words, the card and the answers. Args are checked.
func AskPerson(m *hcp.Manifest, key string, entry hcp.PolicyEntry, args hcp.Args, v access.Verdict, views hcp.ViewOptions) *hcp.ApprovalRequest {
	d := card.Describe(m, key, args)
	view := card.View(m, key, args, views)
	return &hcp.ApprovalRequest{
		PackID:     m.ID,
		PackName:   d.PackName,
		Command:    key,
		Summary:    d.Summary,
		Operation:  entry.Operation,
		Confirm:    entry.Confirm,
		Args:       d.Args,
		CLI:        d.CLI,
		Reason:     v.Reason,
		ReasonCode: string(v.ReasonCode),
		Mode:       string(v.Mode),
		Approvals:  string(v.Approvals),
		View:       view,
		Options: card.Options(card.OptionsInput{
			PackID: m.ID, Key: key, Confirm: entry.Confirm, View: view, Args: args, Declared: card.ArgumentNames(m, key),
		}),
	}
}
