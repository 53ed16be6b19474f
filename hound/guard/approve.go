package guard

import (
	"encoding/json"

	"bridle/hound"
	"bridle/internal/hound/approval"
)

// Approval is an approval as it was given or read.
type Approval struct {
	hound.Approval
	// JSON is the canonical document, without a line end.
	JSON json.RawMessage

	inner *approval.Approval
}

// Review says who agrees, and from when to when that counts. Empty times are now
// and for ever; others are ISO 8601 with a zone.
type Review struct {
	Reviewer   string
	ApprovedAt string
	ExpiresAt  string
}

// Approve makes the approval of a plan.
func (g *Guard) Approve(p *Plan, r Review) (*Approval, error) {
	if err := p.inner.Executable(); err != nil {
		return nil, err
	}
	request := approval.Request{Reviewer: r.Reviewer, ApprovedAt: r.ApprovedAt}
	if request.ApprovedAt == "" {
		request.ApprovedAt = approval.Stamp(g.clock.Now())
	}
	if r.ExpiresAt != "" {
		request.ExpiresAt = &r.ExpiresAt
	}
	a, err := approval.Give(p.inner, request)
	if err != nil {
		return nil, err
	}
	return &Approval{Approval: a.Approval, JSON: a.Canonical, inner: a}, nil
}

// LoadApproval reads an approval from a file.
func LoadApproval(path string) (*Approval, error) {
	a, err := approval.Load(path)
	if err != nil {
		return nil, err
	}
	return &Approval{Approval: a.Approval, JSON: a.Canonical, inner: a}, nil
}
