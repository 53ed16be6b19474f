package hcpspec_test

import (
	"encoding/json"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"bridle/hcp"
	hcpspec "bridle/spec/hcp"
)

func TestWhatTheVocabularyWritesIsValid(t *testing.T) {
	zero := 0
	for _, c := range []struct {
		schema string
		value  any
	}{
		{"exec", hcp.ExecRequest{PackID: "ledger", VerbKey: "list"}},
		{"exec", hcp.ExecRequest{PackID: "ledger", VerbKey: "transfer", Args: hcp.Args{"amount": "2.80", hcp.ArgConfirm: true, hcp.ArgMode: hcp.ModeMock}}},
		{"result", hcp.ExecResult{OK: true, PackID: "ledger", VerbKey: "list", Result: json.RawMessage(`[1]`), ExitCode: &zero}},
		{"result", hcp.ExecResult{
			PackID: "ledger", VerbKey: "transfer", Error: "confirm required", Code: "confirm_required",
			Preview:  &hcp.CallPreview{Command: "transfer", Args: hcp.Args{"amount": "2.80"}},
			Approval: &hcp.ApprovalRequest{PackID: "ledger", Command: "transfer", Operation: hcp.OperationWrite, Confirm: hcp.ConfirmAlways, Args: []hcp.CallArg{}},
			Access:   &hcp.AccessNote{Mode: "auto", Reason: "policy"},
		}},
		{"grant", hcp.PermissiveGrants()[0]},
		{"grant", hcp.Grant{Capability: hcp.CapExecRead, PackID: "ledger", VerbKeys: []string{}}},
		{"availability", hcp.Availability{
			PackID: "ledger", Status: []hcp.Stage{hcp.StageAvailable}, AdapterKind: hcp.KindWrap,
			BindingMode: hcp.BindingLocal, Verbs: []hcp.CommandStatus{{VerbKey: "list", Operation: hcp.OperationRead, Land: hcp.LandLocal, Reason: "not activated"}},
			Capabilities: []hcp.CapabilityStatus{{Capability: hcp.CapSense}},
		}},
		{"availability", hcp.Availability{PackID: "none"}},
		{"policy", hcp.Policy{SurfaceID: "ledger", Version: 1, Verbs: map[string]hcp.PolicyEntry{
			"transfer": {Operation: hcp.OperationWrite, Privacy: hcp.Privacy{Land: hcp.LandLocal}, Confirm: hcp.ConfirmAlways},
		}}},
		{"surface", hcp.Manifest{ID: "ledger", HCP: &hcp.Meta{HCP: hcp.Version, PackID: "ledger", AdapterKind: hcp.KindComposite}}},
	} {
		text, err := jsonv2.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		schema, _ := hcpspec.Schema(c.schema)
		if err := compile(t, parse(t, schema)).Validate(parse(t, text)); err != nil {
			t.Errorf("%s: %s\n%v", c.schema, text, err)
		}
	}
}
