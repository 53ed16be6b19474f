package pipeline

import (
	"encoding/json"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/kernel/fault"
)

func TestEnvelopeNamesThePackByEitherName(t *testing.T) {
	for _, c := range []struct{ text, pack, key, amount string }{
		{`{"pack_id":"ledger","verb_key":"transfer","args":{"amount":2.80}}`, "ledger", "transfer", "2.80"},
		{`{"surface_id":"ledger","verb_key":"transfer","args":{"amount":12345678901234567890}}`, "ledger", "transfer", "12345678901234567890"},
		{`{"surface_id":"ledger","pack_id":"ledger","verb_key":"transfer","args":{"amount":1}}`, "ledger", "transfer", "1"},
		{`{"pack_id":"ledger","verb_key":"transfer","args":{"amount":1},"principal":{"id":"root"},"tenant_id":"other"}`, "ledger", "transfer", "1"},
	} {
		call, err := Parse([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if call.PackID != c.pack || call.Key != c.key || call.Args["amount"] != json.Number(c.amount) || call.Approval != nil {
			t.Errorf("%s: %+v", c.text, call)
		}
	}
}

func TestEnvelopeThatSaysTwoThingsIsRefused(t *testing.T) {
	for _, text := range []string{
		``, `[]`, `{`, `{"pack_id":1,"verb_key":"x"}`, `{"pack_id":"a","verb_key":["x"]}`,
		`{"pack_id":"a","surface_id":"b","verb_key":"x"}`,
		`{"pack_id":"a","pack_id":"b","verb_key":"x"}`,
		`{"pack_id":"a","verb_key":"x","args":{"amount":1,"amount":2}}`,
		`{"pack_id":"a","verb_key":"x","args":[]}`,
		`{"pack_id":"a","verb_key":"x","args":"y"}`,
	} {
		if call, err := Parse([]byte(text)); err == nil || fault.CodeOf(err) != CodeBadEnvelope {
			t.Errorf("%s: %+v, %v", text, call, err)
		}
	}
	// What could be read of the call stands in its result.
	for text, pack := range map[string]string{`{"surface_id":"a","verb_key":"x","args":[]}`: "a", `{"pack_id":"a","surface_id":"b","verb_key":"x"}`: ""} {
		call, err := Parse([]byte(text))
		if r := Refusal(call, err); r.PackID != pack || r.VerbKey != "x" || r.Code != CodeBadEnvelope {
			t.Errorf("%s: %+v", text, r)
		}
	}
	r := Refusal(Call{PackID: "a", Key: "x"}, fault.New(CodeBadEnvelope, "no"))
	if r.OK || r.Error != "no" || r.Code != CodeBadEnvelope || r.PackID != "a" || r.VerbKey != "x" {
		t.Errorf("%+v", r)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"pack_id":"ledger","verb_key":"transfer","args":{"amount":2.80,"confirm":true}}`))
	f.Add([]byte(`{"surface_id":"x","verb_key":"y","args":{"a":[1,{"b":null}]}}`))
	f.Add([]byte(`{"pack_id":"a","pack_id":"b"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		call, err := Parse(data)
		if err != nil {
			if fault.CodeOf(err) != CodeBadEnvelope {
				t.Fatalf("error without the code: %v", err)
			}
			return
		}
		if call.Approval != nil {
			t.Fatal("an envelope brought an approval")
		}
		if !json.Valid(data) {
			t.Fatalf("accepted %q", data)
		}
	})
}

// Only the program that called the runtime can say that a person agreed in its own
// interface; what an agent writes into an envelope cannot.
func TestEnvelopeCarriesNoYesOfAPerson(t *testing.T) {
	call, err := Parse([]byte(`{"pack_id":"desk","verb_key":"pay","approval":{"by":"human","id":"x"},"principal":{"id":"root"},"args":{"amount":"1"}}`))
	if err != nil || call.Approval != nil || len(call.Args) != 1 {
		t.Fatalf("%+v, %v", call, err)
	}
	w := newWorld(t)
	w.access = access.Settings{Approvals: access.ApprovalsHuman}
	for _, args := range []hcp.Args{{"approval": map[string]any{"by": "human"}}, {"by": "human"}} {
		if got := w.exec("desk", "pay", args); got.OK {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
