package conversation

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/canon"
)

// Bounds of a response. What holds a response, a plan or a receipt, may be
// deeper and longer.
const (
	maxOutput        = 16 << 20
	maxResponseDepth = 200
)

var responseForm = document.Form{
	Required: []string{"schema_version", "ok", "outcome"},
	Optional: []string{"data_schema", "data", "artifacts", "proofs", "diagnostics"},
	Nullable: []string{"data"},
}

// ResponseLimits are the bounds of a response.
func ResponseLimits() canon.Limits {
	return canon.Limits{MaxBytes: maxOutput, MaxDepth: maxResponseDepth}
}

// ParseResponse reads what a driver answered.
func ParseResponse(raw []byte) (*hound.Response, error) {
	object, err := canon.ReadObject(raw, ResponseLimits())
	if e, ok := errors.AsType[*canon.Error](err); ok && e.Kind != canon.KindWrongType {
		return nil, fmt.Errorf("the response is no strict JSON: %w", err)
	}
	var r hound.Response
	if err == nil {
		err = besideData(object.Members)
	}
	if err == nil {
		err = responseForm.Decode(object, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("the response breaks its contract: %w", err)
	}
	if err := checkResponse(&r, object.Members); err != nil {
		return nil, fmt.Errorf("the response breaks its contract: %w", err)
	}
	canonical, err := canon.Canonical(raw, ResponseLimits())
	if err != nil {
		return nil, err
	}
	r.Raw = canonical
	return &r, nil
}

// besideData tells the author of a driver where effects stand: in the proposal.
func besideData(members map[string]json.RawMessage) error {
	for _, name := range [...]string{"expected_effects", "expected_writes"} {
		if _, there := members[name]; there {
			return fmt.Errorf("%q stands in data and not beside it", name)
		}
	}
	return nil
}

func checkResponse(r *hound.Response, members map[string]json.RawMessage) error {
	switch {
	case r.SchemaVersion != hound.SchemaResponse:
		return fmt.Errorf("schema_version is %q, not %q", r.SchemaVersion, hound.SchemaResponse)
	case !r.Outcome.Known():
		return fmt.Errorf("outcome %q is unknown", r.Outcome)
	case r.OK != r.Outcome.OK():
		return fmt.Errorf("ok is %t with the outcome %q", r.OK, r.Outcome)
	}
	if _, there := members["data_schema"]; there && (r.DataSchema == "" || hasControl(r.DataSchema)) {
		return fmt.Errorf("data_schema is empty or has a control character")
	}
	// An absent member and null are two things to a hash, and null stays null.
	if data, there := members["data"]; there && r.Data == nil {
		r.Data = data
	}
	return nil
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// DataObject returns the response's data if it is an object.
func DataObject(r *hound.Response) (json.RawMessage, bool) {
	if len(r.Data) == 0 || !document.IsObject(r.Data) {
		return nil, false
	}
	return r.Data, true
}
