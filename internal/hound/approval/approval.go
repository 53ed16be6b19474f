// Package approval makes and checks approvals (Hound protocol, "Plan and
// approval").
//
// Invariants:
//
//   - An approval names one plan: its id, driver, operation and write scopes.
//     It is worth nothing for any other, however alike.
//   - It says when it was given and may say when it lapses, with a zone. It
//     counts from the one moment to the other and at no other time: a clock that
//     is turned back makes an approval not yet valid rather than longer.
//   - It is a witness that a person agreed, not a signature. Its hash of itself
//     finds accidents, not forgers.
package approval

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/plan"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// Approval is an approval that keeps every rule.
type Approval struct {
	hound.Approval
	// Canonical is the canonical JSON of the document as it was written.
	Canonical json.RawMessage
	given     time.Time
	lapses    *time.Time
}

// Request says what a reviewer agrees to. Times are as documents write them.
type Request struct {
	Reviewer   string
	ApprovedAt string
	ExpiresAt  *string
}

// Give makes the approval of a plan.
func Give(p *plan.Plan, r Request) (*Approval, error) {
	a := hound.Approval{
		SchemaVersion: hound.SchemaApproval, PlanID: p.PlanID, DriverID: p.DriverID, Operation: p.Operation,
		WriteScopeSHA256: p.WriteScopeSHA256, Reviewer: r.Reviewer, ApprovedAt: r.ApprovedAt, ExpiresAt: r.ExpiresAt,
	}
	for _, text := range []string{a.Reviewer, a.ApprovedAt} {
		if !utf8.ValidString(text) {
			return nil, refuse(fmt.Errorf("%q is not UTF-8", text))
		}
	}
	var err error
	if a.ApprovalID, err = document.Digest(a); err != nil {
		return nil, refuse(err)
	}
	data, err := document.Canonical(a)
	if err != nil {
		return nil, refuse(err)
	}
	return Parse(data)
}

// Stamp is how an approval of this moment says when it was given.
func Stamp(now time.Time) string { return now.UTC().Format("2006-01-02T15:04:05.000000Z") }

var form = document.Form{
	Required: []string{
		"schema_version", "plan_id", "driver_id", "operation", "write_scope_sha256", "reviewer", "approved_at", "approval_id",
	},
	Optional: []string{"expires_at"},
	Nullable: []string{"expires_at"},
}

// Load reads the approval at path.
func Load(path string) (*Approval, error) {
	data, err := document.Read(path, hound.CodeBadApproval, hound.ExitRefused)
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// Parse reads an approval and checks what does not depend on a plan.
func Parse(data []byte) (*Approval, error) {
	a, err := parse(data)
	if err != nil {
		return nil, refuse(err)
	}
	return a, nil
}

func refuse(err error) error {
	return fault.Newf(hound.CodeBadApproval, "the approval is refused: %s", err.Error()).Because(err).WithExit(hound.ExitRefused)
}

func parse(data []byte) (*Approval, error) {
	var a Approval
	if err := document.Decode(data, form, &a.Approval); err != nil {
		return nil, err
	}
	var err error
	if a.Canonical, err = canon.Canonical(data, document.Limits()); err != nil {
		return nil, err
	}
	switch {
	case a.SchemaVersion != hound.SchemaApproval:
		return nil, fmt.Errorf("schema_version is %q, not %q", a.SchemaVersion, hound.SchemaApproval)
	case strings.TrimSpace(a.Reviewer) == "":
		return nil, fmt.Errorf("it names no reviewer")
	}
	if a.given, err = ParseTime(a.ApprovedAt); err != nil {
		return nil, fmt.Errorf("approved_at: %w", err)
	}
	if a.ExpiresAt != nil {
		lapses, err := ParseTime(*a.ExpiresAt)
		if err != nil {
			return nil, fmt.Errorf("expires_at: %w", err)
		}
		if !lapses.After(a.given) {
			return nil, fmt.Errorf("expires_at is not later than approved_at")
		}
		a.lapses = &lapses
	}
	sum, err := document.SelfHash(a.Canonical, "approval_id")
	if err != nil || sum != a.ApprovalID {
		return nil, fmt.Errorf("approval_id is not the hash of the approval")
	}
	return &a, nil
}

// Binds reports which member keeps the approval from being one of this plan, ""
// if none does.
func (a *Approval) Binds(p *hound.Plan) string {
	for _, part := range []struct{ name, have, want string }{
		{"plan_id", a.PlanID, p.PlanID},
		{"driver_id", a.DriverID, p.DriverID},
		{"operation", a.Operation, p.Operation},
		{"write_scope_sha256", a.WriteScopeSHA256, p.WriteScopeSHA256},
	} {
		if part.have != part.want {
			return part.name
		}
	}
	return ""
}

// Check refuses to go on unless the approval counts for the plan at this moment.
// A plan without a gate needs none.
func Check(p *plan.Plan, a *Approval, now time.Time) error {
	if p.Gate == hound.GateNone {
		return nil
	}
	if a == nil {
		return held("the operation %q needs a person's approval", p.Operation).
			WithHint("look at it with hound show, then hound approve --plan PLAN --reviewer NAME --output APPROVAL")
	}
	if name := a.Binds(&p.Plan); name != "" {
		return held("the approval is of another plan: %s differs", name)
	}
	if now.Before(a.given) {
		return held("the approval is dated %s, which is not yet", a.ApprovedAt).
			WithHint("the clock was turned back, or the approval was made where clocks go ahead")
	}
	if a.lapses != nil && !now.Before(*a.lapses) {
		return held("the approval lapsed at %s", *a.ExpiresAt).WithHint("have the plan approved again")
	}
	return nil
}

func held(format string, args ...any) *fault.Error {
	return fault.Newf(hound.CodeHeld, format, args...).WithExit(hound.ExitHeld)
}
