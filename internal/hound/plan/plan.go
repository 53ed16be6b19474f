package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"bridle/hound"
	"bridle/internal/hound/conversation"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// Plan is a plan that keeps every rule.
type Plan struct {
	hound.Plan
	// Canonical is the canonical JSON of the whole plan.
	Canonical json.RawMessage
	Response  *hound.Response
	Expected  Expected
	members   map[string]json.RawMessage // of Canonical
}

// Seal gives the plan its hashes and its id and reads it back.
func Seal(p hound.Plan) (*Plan, error) {
	if p.WriteScopes == nil {
		p.WriteScopes = []string{}
	}
	p.SchemaVersion, p.PlanID = hound.SchemaPlan, ""
	var err error
	if p.InputSHA256, err = document.Digest(p.Input); err != nil {
		return nil, err
	}
	if p.WriteScopeSHA256, err = document.Digest(p.WriteScopes); err != nil {
		return nil, err
	}
	if p.PlanID, err = document.Digest(p); err != nil {
		return nil, err
	}
	line, err := document.Canonical(p)
	if err != nil {
		return nil, err
	}
	return Parse(line)
}

var planForm = document.Form{
	Required: []string{
		"schema_version", "driver_id", "driver_manifest_sha256", "driver_environment_sha256", "kernel", "operation", "effect",
		"gate", "as_of", "input", "input_sha256", "repo_fingerprint", "write_scopes", "write_scope_sha256", "proposal", "plan_id",
	},
}

// Parse reads a plan and checks everything in it that does not depend on a
// repository.
func Parse(data []byte) (*Plan, error) {
	p, err := parse(data)
	if err != nil {
		return nil, fault.Newf(hound.CodeBadPlan, "the plan is refused: %s", err.Error()).Because(err).WithExit(hound.ExitRefused)
	}
	return p, nil
}

// Load reads the plan at path.
func Load(path string) (*Plan, error) {
	data, err := document.Read(path, hound.CodeBadPlan, hound.ExitRefused)
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

func parse(data []byte) (*Plan, error) {
	canonical, err := canon.Canonical(data, document.Limits())
	if err != nil {
		return nil, err
	}
	p := Plan{Canonical: canonical}
	if p.members, err = document.DecodeMembers(canonical, planForm, &p.Plan); err != nil {
		if isFirstVersion(data) {
			return nil, fmt.Errorf("a %s can be verified, and neither approved nor executed", hound.SchemaPlanV1)
		}
		return nil, err
	}
	for _, check := range []func() error{p.checkNames, p.checkKernel, p.checkHashes, p.checkFingerprint, p.checkProposal} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return &p, nil
}

func (p *Plan) checkNames() error {
	switch {
	case p.SchemaVersion != hound.SchemaPlan:
		return fmt.Errorf("schema_version is %q, not %q", p.SchemaVersion, hound.SchemaPlan)
	case !manifest.IsIdentifier(p.DriverID):
		return fmt.Errorf("driver_id %q is no identifier", p.DriverID)
	case !manifest.IsIdentifier(p.Operation):
		return fmt.Errorf("operation %q is no identifier", p.Operation)
	case p.Effect != hound.EffectRead && p.Effect != hound.EffectWrite:
		return fmt.Errorf("effect is %q", p.Effect)
	case p.Gate != hound.GateNone && p.Gate != hound.GateHuman:
		return fmt.Errorf("gate is %q", p.Gate)
	case p.Effect == hound.EffectRead && p.Gate != hound.GateNone:
		return fmt.Errorf("a read has no gate")
	case !document.IsObject(p.Input):
		return fmt.Errorf("input is no object")
	}
	return nil
}

// CheckKernel checks the form of a kernel's identity.
func CheckKernel(k hound.Kernel) error {
	if k.Version == "" || !document.IsSHA256(k.SHA256) || len(k.Dependencies) != 0 || k.Dependencies == nil {
		return fmt.Errorf("kernel needs a version, a SHA-256 and no dependencies")
	}
	return nil
}

func (p *Plan) checkKernel() error { return CheckKernel(p.Kernel) }

func (p *Plan) checkHashes() error {
	if !document.IsSHA256(p.DriverManifestSHA256) || !document.IsSHA256(p.DriverEnvironmentSHA256) {
		return fmt.Errorf("driver_manifest_sha256 or driver_environment_sha256 is no SHA-256")
	}
	if !slices.IsSorted(p.WriteScopes) {
		return fmt.Errorf("write_scopes are not sorted")
	}
	for i, scope := range p.WriteScopes {
		if _, err := manifest.Relative(scope); err != nil {
			return fmt.Errorf("write_scopes: %w", err)
		}
		if slices.Contains(p.WriteScopes[:i], scope) {
			return fmt.Errorf("write_scopes: %q stands twice", scope)
		}
	}
	// A part of canonical JSON is canonical.
	for _, part := range []struct{ name, have, of string }{
		{"input_sha256", p.InputSHA256, "input"}, {"write_scope_sha256", p.WriteScopeSHA256, "write_scopes"},
	} {
		if document.Sum(p.members[part.of]) != part.have {
			return fmt.Errorf("%s is not the hash of what it names", part.name)
		}
	}
	if document.SelfHashOf(p.members, "plan_id") != p.PlanID {
		return fmt.Errorf("plan_id is not the hash of the plan")
	}
	return nil
}

func (p *Plan) checkFingerprint() error {
	f := p.RepoFingerprint
	if f.Head == "" || !document.IsSHA256(f.FingerprintSHA256) {
		return fmt.Errorf("repo_fingerprint needs a head and its own hash")
	}
	sum, err := document.SelfHash(p.members["repo_fingerprint"], "fingerprint_sha256")
	if err != nil || sum != f.FingerprintSHA256 {
		return fmt.Errorf("fingerprint_sha256 is not the hash of the fingerprint")
	}
	return nil
}

func (p *Plan) checkProposal() (err error) {
	if p.Response, err = conversation.ParseResponse(p.Proposal); err != nil {
		return err
	}
	if !p.Response.Outcome.Plannable() {
		return fmt.Errorf("the proposal's outcome is %q", p.Response.Outcome)
	}
	p.Expected, err = expectedOf(p.Response, p.WriteScopes)
	return err
}

// Executable refuses a plan that has nothing to hand to the driver.
func (p *Plan) Executable() error {
	if _, ok := conversation.DataObject(p.Response); !ok {
		return fault.New(hound.CodeBadPlan, "the proposal has no data object, so there is nothing to approve or to execute").WithExit(hound.ExitRefused)
	}
	return nil
}

// Request is what the driver is asked when the plan is executed.
func (p *Plan) Request() hound.Request {
	asOf := p.AsOf
	return hound.Request{
		SchemaVersion: hound.SchemaRequest, Mode: hound.ModeExecute, Operation: p.Operation, AsOf: &asOf,
		Input: p.Input, PlanID: p.PlanID, DriverPlan: p.Response.Data,
	}
}

// Line is the plan as it stands in a file.
func (p *Plan) Line() []byte { return append(slices.Clone(p.Canonical), '\n') }

// list reads a JSON array, item by item.
func list(raw json.RawMessage) ([]json.RawMessage, error) {
	items, err := canon.ReadList(raw, document.Limits())
	if err != nil {
		return nil, fmt.Errorf("a list is needed: %w", err)
	}
	return items, nil
}

func text(raw json.RawMessage) (string, error) {
	var s string
	err := canon.Decode(raw, &s, document.Limits())
	return s, err
}

// ParseRecorded reads a plan for a verifier, which also knows the first version:
// its own hash, and the members that later ones have too.
func ParseRecorded(data []byte) (*Plan, error) {
	read, err := Parse(data)
	if err == nil || !isFirstVersion(data) {
		return read, err
	}
	var p Plan
	if _, err := canon.DecodeOpen(data, &p.Plan, document.Limits()); err != nil {
		return nil, err
	}
	if p.Canonical, err = canon.Canonical(data, document.Limits()); err != nil {
		return nil, err
	}
	if sum, err := document.SelfHash(p.Canonical, "plan_id"); err != nil || sum != p.PlanID {
		return nil, fmt.Errorf("plan_id is not the hash of the plan")
	}
	return &p, p.checkProposal()
}

// isFirstVersion reports whether data is a plan of the first version.
func isFirstVersion(data []byte) bool {
	var head struct {
		SchemaVersion string `json:"schema_version"`
	}
	_, err := canon.DecodeOpen(data, &head, document.Limits())
	return err == nil && head.SchemaVersion == hound.SchemaPlanV1
}
