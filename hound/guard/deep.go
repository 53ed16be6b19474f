package guard

import (
	"context"
	"encoding/json"
	"fmt"

	"bridle/hound"
	"bridle/internal/hound/conversation"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/hound/plan"
	"bridle/internal/kernel/fault"
)

// Probe is one thing that a driver was tried with.
type Probe struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// CheckDeep tries a driver with everything that the protocol may ask of it short
// of an execution: it answers checks alike, says no to what it does not know,
// reads without changing anything, and plans the same twice.
func (g *Guard) CheckDeep(ctx context.Context, manifestPath string) ([]Probe, error) {
	m, err := manifest.Load(manifestPath)
	if err != nil {
		return nil, err
	}
	t := &trial{guard: g, path: manifestPath}
	t.handshake(ctx)
	t.refusals(ctx, m.Operations()[0])
	for _, name := range m.Operations() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if m.Capabilities[name].Effect == hound.EffectRead {
			t.read(ctx, name)
		} else {
			t.write(ctx, name)
		}
	}
	return t.probes, nil
}

// trial collects probes.
type trial struct {
	guard  *Guard
	path   string
	probes []Probe
}

func (t *trial) note(name string, err error, format string, args ...any) bool {
	p := Probe{Name: name, OK: err == nil, Detail: fmt.Sprintf(format, args...)}
	if err != nil {
		p.Detail = fault.From(err).Message
	}
	t.probes = append(t.probes, p)
	return err == nil
}

// ask opens a session for each request, as separate commands would.
func (t *trial) ask(ctx context.Context, operation string, request hound.Request) (*hound.Response, error) {
	s, err := t.guard.open(t.path, operation)
	if err != nil {
		return nil, err
	}
	w, err := s.ask(ctx, request)
	return w.Response, err
}

func (t *trial) handshake(ctx context.Context) {
	first, err := t.ask(ctx, "", hound.Request{Mode: hound.ModeCheck})
	if err == nil && !first.OK {
		err = fmt.Errorf("a check is answered with the outcome %q", first.Outcome)
	}
	if !t.note("check", err, "the driver answers a check") {
		return
	}
	second, err := t.ask(ctx, "", hound.Request{Mode: hound.ModeCheck})
	if err == nil && !document.Equal(first.Raw, second.Raw) {
		err = fmt.Errorf("two checks are answered differently")
	}
	t.note("check again", err, "the same answer a second time")
}

// refusals asks for what no driver has.
func (t *trial) refusals(ctx context.Context, operation string) {
	const nothing = "no.such-operation"
	unknown := hound.Request{Mode: hound.ModeRead, Operation: nothing, Input: json.RawMessage("{}")}
	t.refuses(ctx, "unknown operation", operation, unknown)
	t.refuses(ctx, "unknown mode", operation, hound.Request{Mode: "no-such-mode", Operation: operation, Input: json.RawMessage("{}")})
}

func (t *trial) refuses(ctx context.Context, name, operation string, request hound.Request) {
	response, err := t.ask(ctx, operation, request)
	if err == nil && response.OK {
		err = fmt.Errorf("it is answered with the outcome %q instead of failed", response.Outcome)
	}
	t.note(name, err, "refused in a response of its own")
}

// read tries a read with an empty input, which may fail but only properly.
func (t *trial) read(ctx context.Context, operation string) {
	response, err := t.ask(ctx, operation, hound.Request{Mode: hound.ModeRead, Operation: operation, Input: json.RawMessage("{}")})
	if err == nil && response.Outcome == hound.OutcomePlanned {
		err = fmt.Errorf("a read is answered with the outcome planned")
	}
	outcome := hound.Outcome("")
	if response != nil {
		outcome = response.Outcome
	}
	t.note("read "+operation, err, "outcome %s, nothing changed", outcome)
}

// write tries to plan a write with an empty input, twice.
func (t *trial) write(ctx context.Context, operation string) {
	s, err := t.guard.open(t.path, operation)
	if err != nil {
		t.note("plan "+operation, err, "")
		return
	}
	const asOf = "2000-01-01"
	first, err := s.plan(ctx, json.RawMessage("{}"), asOf)
	if code := fault.CodeOf(err); code == hound.CodeHeld || code == hound.CodeDriver {
		t.note("plan "+operation, nil, "the driver does not plan with an empty input: %s", fault.From(err).Message)
		return
	}
	if !t.note("plan "+operation, err, "a plan for an empty input") {
		return
	}
	second, err := s.plan(ctx, json.RawMessage("{}"), asOf)
	if err == nil && !document.Equal(first.Canonical, second.Canonical) {
		err = fmt.Errorf("two plans from the same state differ; an execution would be refused")
	}
	t.note("plan "+operation+" again", err, "the same plan a second time")
	t.form(operation, first)
}

// form looks at what a reviewer gets to see.
func (t *trial) form(operation string, p *plan.Plan) {
	if _, ok := conversation.DataObject(p.Response); !ok {
		t.note("data of "+operation, fmt.Errorf("the proposal has no data object, so that it can be neither approved nor executed"), "")
		return
	}
	if !p.Expected.Exact && len(p.Expected.Writes) > 0 {
		t.note("effects of "+operation, fmt.Errorf("expected_writes name paths only; expected_effects also bind bytes and modes"), "")
		return
	}
	shown := plan.Bodies(p)
	for _, e := range p.Expected.Effects {
		if _, there := shown[e.Path]; !there && e.AfterSHA256 != nil {
			t.note("artifacts of "+operation, fmt.Errorf("the bytes of %q are not among the artifacts, so a reviewer sees a hash only", e.Path), "")
			return
		}
	}
	t.note("artifacts of "+operation, nil, "a reviewer sees every byte")
}
