package pipeline

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

// event is the part of an audit line that is known about a call so far.
func (p *Pipeline) event(c *call, stage hcp.AuditStage) hcp.AuditEvent {
	e := hcp.AuditEvent{
		Time:       clock.Stamp(p.o.Clock.Now()),
		CallID:     c.id,
		Action:     hcp.AuditExec,
		Stage:      stage,
		TenantID:   c.scope.TenantID,
		Principal:  hcp.AuditPrincipal{ID: c.scope.Principal.ID, Kind: c.scope.Principal.Kind},
		ProjectID:  c.scope.ProjectID,
		PackID:     shown(c.PackID),
		VerbKey:    shown(c.Key),
		Operation:  c.entry.Operation,
		Land:       c.entry.Privacy.Land,
		Reason:     c.ruling.Reason,
		Mode:       string(c.ruling.Mode),
		ApprovedBy: c.ruling.approvedBy,
		ApprovalID: c.ruling.approvalID,
		ArgNames:   argNames(c.Args),
		ArgsDigest: p.digest(c.Args),
		Labels:     p.o.Labels,
	}
	if c.binding.Mode != "" {
		e.Binding = &hcp.AuditBinding{Mode: c.binding.Mode, Family: c.binding.Family, Identity: c.credential.Identity}
	}
	return e
}

// digest is the keyed digest of the arguments as the caller gave them, or ""
// where there is no key or nothing canonical to hash.
func (p *Pipeline) digest(args hcp.Args) string {
	if p.o.Digest == nil {
		return ""
	}
	if args == nil {
		args = hcp.Args{}
	}
	canonical, err := canon.Encode(map[string]any(args))
	if err != nil {
		return ""
	}
	return p.o.Digest(canonical)
}

// record writes a line. It outlives the call's context: what was decided is
// recorded even when the caller has gone.
func (p *Pipeline) record(ctx context.Context, e hcp.AuditEvent, durable bool) error {
	if p.o.Audit == nil {
		return nil
	}
	return p.o.Audit.Record(context.WithoutCancel(ctx), e, durable)
}

// recordRefusal writes the line of a call that did not run. Failing to write it
// does not turn the refusal into something else; the result says so in a note.
func (p *Pipeline) recordRefusal(ctx context.Context, c *call, f *fault.Error) []string {
	stage := hcp.AuditWhole
	if c.recorded {
		stage = hcp.AuditOutcome
	}
	e := p.event(c, stage)
	e.Decision = hcp.AuditDeny
	switch {
	case f.Code == access.CodeConfirmRequired:
		e.Decision = hcp.AuditAsk
	case c.recorded:
		e.Decision = hcp.AuditAllow
	}
	e.Code = f.Code
	if f.Code != access.CodeConfirmRequired { // an ask keeps why it asks
		e.Reason = f.Message
	}
	if err := p.record(ctx, e, false); err != nil {
		return []string{"this refusal could not be written to the audit log"}
	}
	return nil
}

// recordOutcome writes the line of a call that reached its adapter.
func (p *Pipeline) recordOutcome(ctx context.Context, c *call, result *hcp.ExecResult) error {
	stage := hcp.AuditWhole
	if c.recorded {
		stage = hcp.AuditOutcome
	}
	e := p.event(c, stage)
	e.Decision = hcp.AuditAllow
	e.Ran, e.OK, e.Code = c.outcome.Started, result.OK, cmp.Or(result.Code, c.outcome.Found)
	e.ExitCode = result.ExitCode
	duration := max(0, p.o.Clock.Now().Sub(c.began).Milliseconds())
	e.DurationMS = &duration
	return p.record(ctx, e, false)
}

// argNames lists the names of the arguments. They come from the caller, so
// their number and length are bounded.
func argNames(args hcp.Args) []string {
	const most = 64
	names := slices.Sorted(maps.Keys(args))
	if len(names) > most {
		names = names[:most]
	}
	for i, name := range names {
		names[i] = shown(name)
	}
	return names
}
