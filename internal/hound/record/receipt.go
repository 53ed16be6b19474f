package record

import (
	"encoding/json"
	"slices"

	"bridle/hound"
	"bridle/internal/hound/conversation"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/hound/plan"
)

// Invocation is the result of a read: the response's members, with another
// schema name, and a receipt. Seal gives the receipt its hashes.
func Invocation(response *hound.Response, receipt hound.Receipt) (map[string]json.RawMessage, error) {
	members, err := document.Members(response.Raw)
	if err != nil {
		return nil, err
	}
	if err := seal(&receipt, response); err != nil {
		return nil, err
	}
	if members["receipt"], err = document.Canonical(receipt); err != nil {
		return nil, err
	}
	members["schema_version"] = json.RawMessage(`"` + hound.SchemaInvocation + `"`)
	return members, nil
}

func seal(receipt *hound.Receipt, response *hound.Response) (err error) {
	receipt.ReceiptID = ""
	if receipt.RequestSHA256, err = document.Digest(receipt.Request); err != nil {
		return err
	}
	if receipt.ResponseSHA256, err = document.Digest(response.Raw); err != nil {
		return err
	}
	receipt.ReceiptID, err = document.Digest(receipt)
	return err
}

// VerifyInvocation checks the saved result of a read.
func VerifyInvocation(path string) (*hound.Verification, error) {
	data, err := document.Read(path, hound.CodeUnreadable, hound.ExitRefused)
	if err != nil {
		return nil, err
	}
	members, err := document.Members(data)
	if err != nil {
		return nil, unreadable(path, err)
	}
	v := &invocation{members: members}
	v.check()
	if len(v.failures) > 0 {
		return nil, invalid(path, v.failures, false)
	}
	return &hound.Verification{SchemaVersion: hound.SchemaInvVerified, Valid: true, Failures: []string{}, ReceiptID: v.receipt.ReceiptID}, nil
}

// invocation is one pass over the result of a read.
type invocation struct {
	members  map[string]json.RawMessage
	receipt  hound.Receipt
	parts    map[string]json.RawMessage
	failures []string
}

var (
	invocationNames = []string{"schema_version", "ok", "outcome", "receipt", "data_schema", "data", "artifacts", "proofs", "diagnostics"}
	receiptForm     = document.Form{Required: []string{
		"schema_version", "manifest", "manifest_sha256", "repository", "environment_sha256", "kernel", "request", "request_sha256",
		"response_sha256", "receipt_id",
	}}
	receiptFormV2  = document.Form{Required: append(slices.Clone(receiptForm.Required), "cleanup", "confinement")}
	repositoryForm = document.Form{Required: []string{"head", "fingerprint_sha256"}}
	kernelForm     = document.Form{Required: []string{"version", "sha256", "dependencies"}}
	cleanupForm    = document.Form{Required: []string{"method", "proven", "killed"}}
	requestForm    = document.Form{Required: []string{"schema_version", "mode", "operation", "input"}, Optional: []string{"as_of"}}
)

func (v *invocation) require(label string, ok bool) bool {
	if !ok {
		v.failures = append(v.failures, label)
	}
	return ok
}

func (v *invocation) check() {
	v.require("schema_version", string(v.members["schema_version"]) == `"`+hound.SchemaInvocation+`"`)
	for name := range v.members {
		v.require("result.fields", slices.Contains(invocationNames, name))
	}
	var err error
	v.parts, err = document.Members(v.members["receipt"])
	if !v.require("receipt", err == nil) {
		return
	}
	if !v.readReceipt() {
		return
	}
	v.checkResponse()
	m := v.checkManifest()
	v.checkRequest(m)
	v.checkParts()
	canonical, err := document.Canonical(v.members["receipt"])
	if v.require("receipt_id", err == nil) {
		sum, err := document.SelfHash(canonical, "receipt_id")
		v.require("receipt_id", err == nil && sum == v.receipt.ReceiptID)
	}
}

// readReceipt reads either version of the receipt.
func (v *invocation) readReceipt() bool {
	form := receiptForm
	switch string(v.parts["schema_version"]) {
	case `"` + hound.SchemaReceiptV1 + `"`:
	case `"` + hound.SchemaReceipt + `"`:
		form = receiptFormV2
	default:
		return v.require("receipt.schema_version", false)
	}
	return v.require("receipt.fields", document.Decode(v.members["receipt"], form, &v.receipt) == nil)
}

func (v *invocation) checkResponse() {
	response := map[string]json.RawMessage{}
	for name, member := range v.members {
		if name != "receipt" {
			response[name] = member
		}
	}
	response["schema_version"] = json.RawMessage(`"` + hound.SchemaResponse + `"`)
	raw, err := document.Canonical(response)
	if !v.require("response", err == nil) {
		return
	}
	parsed, err := conversation.ParseResponse(raw)
	v.require("response", err == nil && parsed.Outcome != hound.OutcomePlanned)
	v.require("response_sha256", document.Sum(raw) == v.receipt.ResponseSHA256)
}

func (v *invocation) checkManifest() *manifest.Manifest {
	m, err := manifest.Parse(v.receipt.Manifest)
	if !v.require("manifest", err == nil) {
		return nil
	}
	v.require("manifest_sha256", m.SHA256 == v.receipt.ManifestSHA256)
	return m
}

func (v *invocation) checkRequest(m *manifest.Manifest) {
	var r hound.Request
	good := document.Decode(v.receipt.Request, requestForm, &r) == nil &&
		r.SchemaVersion == hound.SchemaRequest && r.Mode == hound.ModeRead && document.IsObject(r.Input)
	if good && m != nil {
		c, err := m.Operation(r.Operation)
		good = err == nil && c.Effect == hound.EffectRead
	}
	v.require("request", good)
	sum, err := document.Digest(v.receipt.Request)
	v.require("request_sha256", err == nil && sum == v.receipt.RequestSHA256)
}

// checkParts checks what no verifier can compute for its form.
func (v *invocation) checkParts() {
	var repository hound.ReceiptRepository
	v.require("repository", document.Decode(v.parts["repository"], repositoryForm, &repository) == nil &&
		repository.Head != "" && document.IsSHA256(repository.FingerprintSHA256))
	v.require("environment_sha256", document.IsSHA256(v.receipt.EnvironmentSHA256))
	var kernel hound.Kernel
	v.require("kernel", document.Decode(v.parts["kernel"], kernelForm, &kernel) == nil && plan.CheckKernel(kernel) == nil)
	if v.receipt.SchemaVersion != hound.SchemaReceipt {
		return
	}
	var cleanup hound.Cleanup
	v.require("cleanup", document.Decode(v.parts["cleanup"], cleanupForm, &cleanup) == nil && cleanup.Method != "" && cleanup.Killed >= 0)
	v.require("confinement", v.receipt.Confinement == hound.ConfinementPrevented || v.receipt.Confinement == hound.ConfinementDetected)
}
