package hcpruntime

import (
	"context"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/availability"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/fault"
)

// ListPacks lists the catalog.
func (r *Runtime) ListPacks(ctx context.Context) ([]*Pack, error) {
	inner, err := r.engine.list(ctx)
	if err != nil {
		return nil, public(err)
	}
	packs := make([]*Pack, len(inner))
	for i, p := range inner {
		packs[i] = outward(p)
	}
	return packs, nil
}

// ListVerbs lists a pack's commands in declared order.
func (r *Runtime) ListVerbs(ctx context.Context, id string) ([]string, error) {
	p, err := r.engine.get(ctx, id)
	if err != nil {
		return nil, public(err)
	}
	if p == nil {
		return nil, public(fault.Newf(pipeline.CodeUnknownPack, "unknown pack %s", id))
	}
	return p.Keys(), nil
}

// Skill is the text of a pack's HARNESS.md, or "" when there is none.
func (r *Runtime) Skill(ctx context.Context, id string) (string, error) {
	p, err := r.engine.get(ctx, id)
	if err != nil || p == nil {
		return "", public(err)
	}
	return p.Skill, nil
}

// Availability reports what of a pack may run right now, and why not (§11.2).
func (r *Runtime) Availability(ctx context.Context, id string) (hcp.Availability, error) {
	p, err := r.engine.get(ctx, id)
	if err != nil {
		return hcp.Availability{}, public(err)
	}
	in := availability.Input{PackID: id, Pack: p, Scope: r.Authz(), Member: r.member, Unable: r.engine.unable}
	if p == nil {
		return availability.Build(in), nil
	}
	in.Activated = slices.Contains(r.engine.activated(), id)
	status, err := r.engine.hub().Status(ctx, binding.For(&p.Manifest, in.Scope))
	if err != nil {
		return hcp.Availability{}, public(err)
	}
	in.Connected = in.Activated && status.Connected
	return availability.Build(in), nil
}

// AvailabilityInput is what BuildAvailability is told.
type AvailabilityInput struct {
	Pack            *Pack // nil when the pack is not known
	PackID          string
	Installed       bool
	Activated       bool
	Connected       bool
	SourceAvailable bool
	Scope           hcp.AuthzContext
	Member          func(scope hcp.AuthzContext) bool
}

// BuildAvailability is Availability for a catalog of your own.
func BuildAvailability(in AvailabilityInput) hcp.Availability {
	inner := availability.Input{
		PackID: in.PackID, Activated: in.Activated, Connected: in.Connected,
		SourceAvailable: in.SourceAvailable, Scope: in.Scope, Member: in.Member,
	}
	if in.Pack != nil {
		inner.PackID = in.Pack.ID
		if in.Installed {
			inner.Pack = inward(in.Pack)
		}
	}
	return availability.Build(inner)
}
