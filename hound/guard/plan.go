package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/plan"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/redact"
)

// Plan is a plan as it was made or read.
type Plan struct {
	hound.Plan
	// JSON is the canonical document, without a line end.
	JSON json.RawMessage
	// Effects are what it will change, sorted by path, when it says so exactly;
	// Writes are the paths of the older form.
	Effects []hound.ExpectedEffect
	Writes  []string

	inner *plan.Plan
}

func publicPlan(p *plan.Plan) *Plan {
	return &Plan{Plan: p.Plan, JSON: p.Canonical, Effects: p.Expected.Effects, Writes: p.Expected.Writes, inner: p}
}

// LoadPlan reads a plan from a file.
func LoadPlan(path string) (*Plan, error) {
	p, err := plan.Load(path)
	if err != nil {
		return nil, err
	}
	return publicPlan(p), nil
}

// Plan asks a driver what it would change and binds the answer to everything it
// depends on. The call must name a date to work from.
func (g *Guard) Plan(ctx context.Context, call Call) (*Plan, error) {
	if call.AsOf == nil {
		return nil, fault.New(hound.CodeBadInput, "a plan needs an as-of").WithExit(hound.ExitRefused)
	}
	input, err := inputOf(call)
	if err != nil {
		return nil, err
	}
	s, err := g.open(call.Manifest, call.Operation)
	if err != nil {
		return nil, err
	}
	p, err := s.plan(ctx, input, *call.AsOf)
	if err != nil {
		return nil, err
	}
	return publicPlan(p), nil
}

// plan makes a plan.
func (s *session) plan(ctx context.Context, input json.RawMessage, asOf string) (*plan.Plan, error) {
	w, err := s.ask(ctx, hound.Request{Mode: hound.ModePlan, Operation: s.operation, Input: input, AsOf: &asOf})
	if err != nil {
		return nil, err
	}
	if err := s.plannable(w.Response); err != nil {
		return nil, err
	}
	bound, err := s.bound(w.before, input, asOf, "")
	if err != nil {
		return nil, err
	}
	expected, err := plan.ExpectedOf(w.Response, bound.WriteScopes)
	if err != nil {
		return nil, err
	}
	if err := plan.CheckBefore(expected, w.before); err != nil {
		return nil, err
	}
	if err := s.outOfSight(expected, w.before); err != nil {
		return nil, err
	}
	if err := s.amongRecords(expected); err != nil {
		return nil, err
	}
	bound.Proposal = w.Response.Raw
	return plan.Seal(bound)
}

// bound is everything a plan is bound to, but the proposal. Files below the
// prefix are left out of the fingerprint.
func (s *session) bound(now look, input json.RawMessage, asOf, prefix string) (hound.Plan, error) {
	print, err := now.Fingerprint(prefix)
	if err != nil {
		return hound.Plan{}, err
	}
	kernel, err := Kernel()
	return hound.Plan{
		DriverID: s.manifest.ID, DriverManifestSHA256: s.manifest.SHA256, DriverEnvironmentSHA256: s.envDigest,
		Kernel: kernel, Operation: s.operation, Effect: s.capability.Effect, Gate: s.capability.Gate,
		AsOf: asOf, Input: input, RepoFingerprint: print, WriteScopes: s.manifest.Scopes(),
	}, err
}

// outOfSight refuses effects that no snapshot would see: new files below what
// the manifest excludes.
func (s *session) outOfSight(expected plan.Expected, now look) error {
	for _, path := range expected.Paths() {
		for _, prefix := range s.manifest.Excludes() {
			if below(prefix, path) && now.At(path).Kind == "" {
				return fault.Newf(hound.CodeBadEffects, "the proposal is refused: %q lies below the exclude %q, where nothing is watched", path, prefix).
					WithExit(hound.ExitRefused)
			}
		}
	}
	return nil
}

// amongRecords refuses effects on what tells of earlier runs: a plan is not the
// way to make, change or remove a record, whatever the write scopes hold.
func (s *session) amongRecords(expected plan.Expected) error {
	root := s.manifest.RunRootPath()
	for _, path := range expected.Paths() {
		inside := below(root, path) || below(path, root)
		if root == "." {
			first, _, _ := strings.Cut(path, "/")
			inside = document.IsSHA256(first) || strings.HasPrefix(first, record.Pruned)
		}
		if inside {
			return fault.Newf(hound.CodeBadEffects, "the proposal is refused: %q lies where the run records are, %q", path, root).
				WithHint("records are written by hound alone").WithExit(hound.ExitRefused)
		}
	}
	return nil
}

// plannable refuses a response that no plan can be made of.
func (s *session) plannable(r *hound.Response) error {
	switch {
	case r.Outcome.Plannable():
		return nil
	case r.Outcome == hound.OutcomeHeld:
		return reported(fault.Newf(hound.CodeHeld, "the driver %q holds the operation %q back", s.manifest.ID, s.operation).WithExit(hound.ExitHeld), r)
	case r.Outcome == hound.OutcomeFailed:
		return reported(fault.Newf(hound.CodeDriver, "the driver %q could not plan %q", s.manifest.ID, s.operation), r)
	default:
		return fault.Newf(hound.CodeBadResponse, "the driver %q answered a plan with the outcome %q", s.manifest.ID, r.Outcome).WithExit(hound.ExitRefused)
	}
}

// reported adds what the driver says about its outcome.
func reported(f *fault.Error, r *hound.Response) error {
	const most = 3
	var said []string
	for _, d := range r.Diagnostics[:min(len(r.Diagnostics), most)] {
		said = append(said, redact.Visible(string(d)))
	}
	if len(said) == 0 {
		return f
	}
	return f.WithHint("%s", fmt.Sprintf("the driver says: %s", strings.Join(said, ", ")))
}

// Bodies returns the bytes after each effect that the driver shows, by path. They
// are what the plan binds; a path that is missing is bound by its hash alone.
func (p *Plan) Bodies() map[string][]byte { return plan.Bodies(p.inner) }

// Outcome is how the driver answered when it planned.
func (p *Plan) Outcome() hound.Outcome { return p.inner.Response.Outcome }
