package conformance

import (
	"context"
	"errors"

	"bridle/hcp"
	hcpruntime "bridle/hcp/runtime"
	"bridle/internal/kernel/canon"
)

// Driver answers the requests of one vector, each with one JSON object.
type Driver interface {
	Do(ctx context.Context, r Request) ([]byte, error)
	Close() error
}

// Starter starts a driver that knows nothing yet. dir is an empty directory of
// its own that is removed after Close.
type Starter func(ctx context.Context, dir string) (Driver, error)

// Own starts a driver over this project's runtime, in this process.
func Own(context.Context, string) (Driver, error) { return &own{}, nil }

// own is the driver over this project's façade.
type own struct {
	runtime *hcpruntime.Runtime
	audit   record
}

// failed is the answer to a request that could not be fulfilled.
type failed struct {
	OK          bool   `json:"ok"`
	Error       string `json:"error"`
	Code        string `json:"code,omitzero"`
	Unsupported bool   `json:"unsupported,omitzero"`
}

type done struct {
	OK bool `json:"ok"`
}

// Do answers a request.
func (o *own) Do(ctx context.Context, r Request) ([]byte, error) {
	value, err := o.answer(ctx, r)
	if err != nil {
		refused := failed{Error: err.Error()}
		if e, ok := errors.AsType[*hcpruntime.Error](err); ok {
			refused.Code = e.Code
		}
		value = refused
	}
	return canon.Marshal(value)
}

func (o *own) answer(ctx context.Context, r Request) (any, error) {
	switch r.Do {
	case "lint":
		return o.lint(r.Pack)
	case "open":
		return done{true}, o.open(ctx, r)
	}
	if o.runtime == nil {
		return nil, errors.New("open comes first")
	}
	switch r.Do {
	case "activate":
		return done{true}, o.runtime.Activate(ctx, r.IDs...)
	case "deactivate":
		return done{true}, o.runtime.Deactivate(ctx, r.IDs...)
	case "connect":
		return done{true}, o.runtime.Connect(ctx, r.ID)
	case "grants":
		o.runtime.SetGrants(grants(r.Grants))
		return done{true}, nil
	case "exec":
		return o.runtime.ExecJSON(ctx, r.Envelope), nil
	case "availability":
		return o.availability(ctx, r.ID)
	case "skill":
		text, err := o.runtime.Skill(ctx, r.ID)
		return skillAnswer{true, text}, err
	case "audit":
		return auditAnswer{true, o.audit.list()}, nil
	}
	return failed{Error: "unknown request " + r.Do, Unsupported: true}, nil
}

type skillAnswer struct {
	OK    bool   `json:"ok"`
	Skill string `json:"skill"`
}

type auditAnswer struct {
	OK     bool             `json:"ok"`
	Events []hcp.AuditEvent `json:"events"`
}

type lintAnswer struct {
	OK     bool            `json:"ok"`
	Issues []hcp.LintIssue `json:"issues"`
}

func (o *own) lint(dir string) (any, error) {
	issues, err := hcpruntime.Lint(dir)
	return lintAnswer{len(issues) == 0, append([]hcp.LintIssue{}, issues...)}, err
}

type availabilityAnswer struct {
	OK bool `json:"ok"`
	hcp.Availability
}

func (o *own) availability(ctx context.Context, id string) (any, error) {
	report, err := o.runtime.Availability(ctx, id)
	return availabilityAnswer{true, report}, err
}

// Close ends the runtime.
func (o *own) Close() error {
	if o.runtime == nil {
		return nil
	}
	return o.runtime.Close()
}
