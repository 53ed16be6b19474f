package houndspec_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	houndspec "bridle/spec/hound"
)

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := houndspec.Schemas.ReadFile("schemas/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(name, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:"+name, document); err != nil {
		t.Fatal(name, err)
	}
	s, err := c.Compile("mem:" + name)
	if err != nil {
		t.Fatal(name, err)
	}
	return s
}

// examples are documents by the name of their schema.
func examples(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{
		"response": []byte(`{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"completed"}`),
		"error":    []byte(`{"schema_version":"hound.error.v1","error":"x"}`),
	}
	for name, file := range map[string]string{
		"manifest": "hound-driver.json", "plan": "plan.json", "approval": "approval.json", "invocation": "invoke.json",
		"request":    "run/ed2aa55077cd4b89f9553589016ba54dc1b2fa31a0e87ed23c339b81de72dac8/request.json",
		"run-result": "run/ed2aa55077cd4b89f9553589016ba54dc1b2fa31a0e87ed23c339b81de72dac8/result.json",
		"run-index":  "run/ed2aa55077cd4b89f9553589016ba54dc1b2fa31a0e87ed23c339b81de72dac8/index.json",
	} {
		data, err := houndspec.Interop.ReadFile("interop/elsewhere/" + file)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = data
	}
	var plan struct {
		Proposal struct {
			Data json.RawMessage `json:"data"`
		} `json:"proposal"`
	}
	if err := json.Unmarshal(all["plan"], &plan); err != nil {
		t.Fatal(err)
	}
	all["effects"] = plan.Proposal.Data
	return all
}

func valid(t *testing.T, s *jsonschema.Schema, data []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestEverySchemaAcceptsItsDocument(t *testing.T) {
	entries, err := houndspec.Schemas.ReadDir("schemas")
	if err != nil {
		t.Fatal(err)
	}
	all := examples(t)
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".json")
		data, there := all[name]
		if !there {
			t.Errorf("%s has no document", name)
			continue
		}
		if err := valid(t, compile(t, name), data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemasAcceptOurOwnDocuments(t *testing.T) {
	const run = "run/9c4b6ae576d93f176b001dce20b5253ecb47cd34afbe0ed4b1b0b447b29577ba/"
	for file, name := range map[string]string{
		"hound-driver.json": "manifest", "plan.json": "plan", "approval.json": "approval", "invoke.json": "invocation", "invoke-v1.json": "invocation",
		run + "request.json": "request", run + "result.json": "run-result", run + "index.json": "run-index",
	} {
		data, err := houndspec.Interop.ReadFile("interop/here/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, compile(t, name), data); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// A schema refuses its document without any one required member, with a member
// more, and with null for any member that is there.
func TestSchemasAreClosed(t *testing.T) {
	all := examples(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == "effects" {
			continue // a part of an open object
		}
		s := compile(t, name)
		var members map[string]any
		if err := json.Unmarshal(all[name], &members); err != nil {
			t.Fatal(err)
		}
		try := func(what string, change func(map[string]any)) {
			other := maps.Clone(members)
			change(other)
			data, err := json.Marshal(other)
			if err != nil {
				t.Fatal(err)
			}
			if valid(t, s, data) == nil {
				t.Errorf("%s %s is accepted", name, what)
			}
		}
		try("with a member more", func(m map[string]any) { m["unknown_member"] = 1 })
		for _, member := range s.Required {
			try("without "+member, func(m map[string]any) { delete(m, member) })
		}
		for member := range members {
			if member != "data" && member != "expires_at" {
				try("with null for "+member, func(m map[string]any) { m[member] = nil })
			}
		}
	}
}

func TestSchemasKnowTheRulesBetweenMembers(t *testing.T) {
	sum := strings.Repeat("a", 64)
	effect := func(mode, before, after string) string {
		return `{"expected_effects":[{"path":"a","mode":` + mode + `,"before_sha256":` + before + `,"after_sha256":` + after + `}]}`
	}
	for _, c := range []struct {
		schema, document string
		ok               bool
	}{
		{"effects", effect(`"0644"`, "null", `"`+sum+`"`), true},
		{"effects", effect("null", `"`+sum+`"`, "null"), true},
		{"effects", effect("null", "null", "null"), false},
		{"effects", effect(`"0644"`, `"`+sum+`"`, "null"), false},
		{"effects", effect("null", "null", `"`+sum+`"`), false},
		{"effects", effect(`"4755"`, "null", `"`+sum+`"`), false},
		{"effects", `{"expected_effects":[],"expected_writes":[]}`, false},
		{"effects", `{"expected_writes":["a"],"more":1}`, true},
		{"response", `{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"held"}`, false},
		{"response", `{"schema_version":"hound.driver.response.v1","ok":false,"outcome":"held"}`, true},
		{"request", `{"schema_version":"hound.driver.request.v1","mode":"check"}`, true},
		{"request", `{"schema_version":"hound.driver.request.v1","mode":"check","operation":"a"}`, false},
		{"request", `{"schema_version":"hound.driver.request.v1","mode":"read","operation":"a","input":{}}`, true},
		{"request", `{"schema_version":"hound.driver.request.v1","mode":"plan","operation":"a","input":{}}`, false},
		{"run-result", `{"schema_version":"hound.run.result.v2","plan_id":"` + sum + `","ok":false,"outcome":"failed","changed_paths":[],"driver_response":null,"error":"x"}`, true},
		{"run-result", `{"schema_version":"hound.run.result.v2","plan_id":"` + sum + `","ok":false,"outcome":"failed","changed_paths":[],"driver_response":null}`, false},
		{"run-result", `{"schema_version":"hound.run.result.v2","plan_id":"` + sum + `","ok":true,"outcome":"failed","changed_paths":[],"driver_response":null,"data":{}}`, false},
	} {
		if err := valid(t, compile(t, c.schema), []byte(c.document)); (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.schema, c.document, err)
		}
	}
}
