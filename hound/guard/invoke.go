package guard

import (
	"context"
	"encoding/json"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/fault"
)

// Invocation is the result of a read.
type Invocation struct {
	// Result is the document: the driver's response and its receipt.
	Result  json.RawMessage
	Outcome hound.Outcome
	Cleanup hound.Cleanup
}

// Compat writes receipts in the first version, which tells nothing of cleanup
// and confinement, for readers that know no other.
type Compat bool

// Invoke runs a read. An outcome of failed or held is a result like any other.
func (g *Guard) Invoke(ctx context.Context, call Call, compat Compat) (*Invocation, error) {
	input, err := inputOf(call)
	if err != nil {
		return nil, err
	}
	s, err := g.open(call.Manifest, call.Operation)
	if err != nil {
		return nil, err
	}
	if s.capability.Effect != hound.EffectRead {
		return nil, fault.Newf(hound.CodeBadOperation, "the operation %q writes and cannot be invoked", call.Operation).
			WithHint("hound plan makes a plan of it").WithExit(hound.ExitRefused)
	}
	w, err := s.ask(ctx, hound.Request{Mode: hound.ModeRead, Operation: call.Operation, Input: input, AsOf: call.AsOf})
	if err != nil {
		return nil, err
	}
	if w.Response.Outcome == hound.OutcomePlanned {
		return nil, fault.Newf(hound.CodeBadResponse, "the driver %q answered a read with the outcome planned", s.manifest.ID).WithExit(hound.ExitRefused)
	}
	receipt, err := s.receipt(w, compat)
	if err != nil {
		return nil, err
	}
	members, err := record.Invocation(w.Response, receipt)
	if err != nil {
		return nil, err
	}
	result, err := document.Canonical(members)
	return &Invocation{Result: result, Outcome: w.Response.Outcome, Cleanup: w.Cleanup}, err
}

// receipt binds the answer to what it was made from.
func (s *session) receipt(w watched, compat Compat) (hound.Receipt, error) {
	repository, err := w.identity()
	if err != nil {
		return hound.Receipt{}, err
	}
	kernel, err := Kernel()
	if err != nil {
		return hound.Receipt{}, err
	}
	r := hound.Receipt{
		SchemaVersion: hound.SchemaReceipt, Manifest: s.manifest.Canonical, ManifestSHA256: s.manifest.SHA256,
		Repository:        repository,
		EnvironmentSHA256: s.envDigest, Kernel: kernel, Request: w.Request,
		Cleanup: &w.Cleanup, Confinement: s.confinement(),
	}
	if compat {
		r.SchemaVersion, r.Cleanup, r.Confinement = hound.SchemaReceiptV1, nil, ""
	}
	return r, nil
}
