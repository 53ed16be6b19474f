package local

import (
	"context"

	"bridle/hcp"
	"bridle/internal/hcp/availability"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// Availability reports how far a pack is from running, and for each command
// whether the Principal may run it now, and why not (§11.2). It runs nothing
// and mints nothing. An id that is not installed yields an unavailable row.
func (r *Runtime) Availability(ctx context.Context, id string) (hcp.Availability, error) {
	scope, err := r.Scope(ctx)
	if err != nil {
		return hcp.Availability{}, err
	}
	in := availability.Input{PackID: id, Scope: scope, Member: r.member}
	if !r.Store.Installed(id) {
		return availability.Build(in), nil
	}
	if in.Pack, err = r.Store.Pack(id); err != nil {
		// The pack is there and cannot be read: say so instead of failing the
		// report about all others.
		report := availability.Build(in)
		report.Installed, report.Status = true, []hcp.Stage{hcp.StageInstalled}
		report.Reason = fault.From(err).Message
		return report, nil
	}
	state, err := r.Store.State()
	if err != nil {
		return hcp.Availability{}, err
	}
	in.Activated = state.MayRun(id)
	status, err := r.hub.Status(ctx, binding.For(&in.Pack.Manifest, scope))
	if err != nil && !fault.Is(err, binding.CodeBadBinding) {
		return hcp.Availability{}, err
	}
	in.Connected, in.NoProvider = status.Connected, r.hub.Credentials == nil
	unable := ""
	if in.Activated {
		unable = r.unable(ctx, in.Pack)
	}
	in.Unable = func(*pack.Pack) string { return unable }
	report := availability.Build(in)
	if report.Reason == "" && unable != "" {
		report.Reason, report.Ready = unable, false
	}
	if in.Pack.Kind == hcp.KindComposite {
		r.markWithoutCode(&report)
	}
	return report, nil
}

// markWithoutCode says of a composite pack's commands which have no code in this
// program.
func (r *Runtime) markWithoutCode(report *hcp.Availability) {
	known := r.composites()
	for i := range report.Verbs {
		if v := &report.Verbs[i]; v.Executable && !known.Has(report.PackID, v.VerbKey) {
			v.Executable, v.Reason = false, "this program has no code for the command"
		}
	}
}

// unable is what keeps this machine from running an activated pack, or "":
// files or an executable that are not the accepted ones, settings that say nothing
// for certain, no executable at all, or no adapter.
func (r *Runtime) unable(ctx context.Context, p *pack.Pack) string {
	ready, err := r.Store.Verify(ctx, p.ID)
	settings := r.Unsettled(p.ID)
	switch {
	case err != nil:
		return fault.From(err).Message
	case settings != nil:
		return settings.Message
	case r.adapters()[p.Kind] == nil:
		return "adapter " + string(p.Kind) + " not executable in " + runtimeName
	case p.Kind != hcp.KindWrap:
		return ""
	case ready.Bin == nil:
		return "the pack names no executable"
	case !ready.Bin.Runnable():
		return ready.Bin.Reason
	}
	return ""
}
