package ledger

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	hopspec "bridle/spec/hop"
)

// TestRecordsFollowTheirSchema checks what is written against the published
// schema, and that the schema refuses what the decoder refuses.
func TestRecordsFollowTheirSchema(t *testing.T) {
	text, err := hopspec.Schemas.ReadFile("schemas/record.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("record.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("record.json")
	if err != nil {
		t.Fatal(err)
	}
	data, err := sample().encode()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(data) {
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(instance); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		for member := range instance.(map[string]any) {
			seen[member] = true
		}
	}
	var published struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(text, &published); err != nil {
		t.Fatal(err)
	}
	for member := range published.Properties {
		if !seen[member] {
			t.Errorf("no record of kind %q was checked", member)
		}
	}
	for _, bad := range []string{`{}`, `{"accepted":"C_06H2QKJ033E4FZFW77FFDWG"}`, `{"operation":{"version":2}}`, `{"other":1}`} {
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(bad)))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(instance) == nil {
			t.Errorf("the schema admits %s", bad)
		}
	}
}
