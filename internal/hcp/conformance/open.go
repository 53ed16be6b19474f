package conformance

import (
	"context"
	"errors"
	"slices"
	"sync"

	"bridle/hcp"
	hcpruntime "bridle/hcp/runtime"
)

// open starts a session over packs: each is linted, and one with an issue is
// not taken.
func (o *own) open(ctx context.Context, r Request) error {
	if o.runtime != nil {
		return errors.New("a session is open already")
	}
	s := Session{}
	if r.Session != nil {
		s = *r.Session
	}
	options := hcpruntime.Options{
		PackDirs:    r.Packs,
		Principal:   hcp.Principal{ID: s.Principal, Kind: hcp.PrincipalKind(s.Kind), Elevated: s.Elevated},
		TenantID:    s.TenantID,
		ProjectID:   s.ProjectID,
		Member:      func(scope hcp.AuthzContext) bool { return slices.Contains(s.MemberOf, scope.ProjectID) },
		NoSandbox:   s.NoSandbox,
		NativeLocal: s.NativeLocal,
		Audit:       o.audit.add,
	}
	if s.Grants != nil {
		options.Grants = grants(*s.Grants)
	}
	if s.Hub != nil {
		options.Hub = scriptedHub{*s.Hub}
	}
	o.audit.full = s.AuditFails
	opened, err := hcpruntime.Create(ctx, options)
	o.runtime = opened
	return err
}

func grants(list []Grant) []hcp.Grant {
	out := make([]hcp.Grant, len(list))
	for i, g := range list {
		out[i] = hcp.Grant{Capability: hcp.Capability(g.Capability), PackID: g.PackID, VerbKeys: g.VerbKeys}
	}
	return out
}

// record keeps the audit events of a session.
type record struct {
	mu     sync.Mutex
	full   bool
	events []hcp.AuditEvent
}

func (r *record) add(_ context.Context, e hcp.AuditEvent, _ bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.full {
		return errors.New("the log is full")
	}
	r.events = append(r.events, e)
	return nil
}

func (r *record) list() []hcp.AuditEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]hcp.AuditEvent{}, r.events...)
}

// scriptedHub answers as the session says.
type scriptedHub struct{ script HubScript }

// Mint returns the script's credential, or its refusal.
func (h scriptedHub) Mint(context.Context, hcpruntime.BindingRequest) (hcpruntime.Credential, error) {
	if h.script.Fail != "" {
		return hcpruntime.Credential{}, &hcpruntime.Error{Code: "mint_failed", Message: h.script.Fail}
	}
	return hcpruntime.Credential{Identity: h.script.Identity, Env: h.script.Env}, nil
}

// Connect has nothing to establish.
func (h scriptedHub) Connect(context.Context, hcpruntime.BindingRequest) error { return nil }
