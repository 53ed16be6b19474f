package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"bridle/hcp"
	hcpspec "bridle/spec/hcp"
)

// verdict is what our own reader says about a document as far as the published
// schema has a say: without what is stricter on purpose, and with what only the
// specification's text allows counted as refused.
func verdict(schema string, document []byte) (bool, []Problem) {
	var d Draft
	switch schema {
	case "surface":
		if p := strict(SurfaceFile, document, surfaceIssue); p != nil {
			return false, []Problem{*p}
		}
		r := readManifest(document)
		d.Manifest = r.m
		d.take(r.reader)
		d.structure(r)
	case "policy":
		if p := strict(PolicyFile, document, policyIssue); p != nil {
			return false, []Problem{*p}
		}
		r, _ := readPolicy(document)
		d.take(r)
	}
	valid := !d.Loose && !slices.ContainsFunc(d.Problems, func(p Problem) bool { return !p.Stricter })
	return valid, d.Problems
}

type schemaCase struct {
	Name     string          `json:"name"`
	Valid    bool            `json:"valid"`
	Document json.RawMessage `json:"document"`
}

func schemaCases(t testing.TB, schema string) []schemaCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "spec", "hcp", "testdata", "schema-cases", schema+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var table struct{ Cases []schemaCase }
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return table.Cases
}

func compileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, _ := hcpspec.Schema(name)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:"+name, doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("mem:" + name)
}

func TestTheReaderAgreesWithTheSchemaTable(t *testing.T) {
	for _, schema := range []string{"surface", "policy"} {
		for _, c := range schemaCases(t, schema) {
			valid, problems := verdict(schema, c.Document)
			if valid != c.Valid {
				t.Errorf("%s: %q: valid should be %v: %s\n%+v", schema, c.Name, c.Valid, c.Document, problems)
			}
			for _, p := range problems {
				checkMessage(t, p)
			}
		}
	}
}

// checkMessage holds every problem to the form of messages.
func checkMessage(t testing.TB, p Problem) {
	t.Helper()
	m := p.Message
	if m == "" || strings.HasSuffix(m, ".") || strings.ContainsAny(m, "\n\r\x1b") || p.Kind == "" || p.Key == "" || p.Code == "" {
		t.Errorf("badly formed problem %+v", p)
	}
}

// The documents of the table are changed at random, and our reader and the
// schema have to come to the same verdict about each result.
func TestTheReaderAgreesWithTheSchemaOnMutatedDocuments(t *testing.T) {
	for _, name := range []string{"surface", "policy"} {
		schema := compileSchema(t, name)
		cases := schemaCases(t, name)
		rapid.Check(t, func(t *rapid.T) {
			var document any
			from := rapid.SampledFrom(cases).Draw(t, "case")
			dec := json.NewDecoder(bytes.NewReader(from.Document))
			dec.UseNumber()
			if err := dec.Decode(&document); err != nil {
				t.Fatal(err)
			}
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				document = change(t, document)
			}
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			want := schema.Validate(instance)
			got, problems := verdict(name, text)
			if got != (want == nil) {
				t.Fatalf("%s\nschema: %v\nreader: %v %+v", text, want, got, problems)
			}
		})
	}
}

var replacements = []any{
	nil, true, false, "", "x", "read", "wrap", "always", "https://example.com", strings.Repeat("é", 65), strings.Repeat("a", 129),
	json.Number("0"), json.Number("1"), json.Number("1.0"), json.Number("10e-1"), json.Number("1.5"), json.Number("-3"), json.Number("2E3"), json.Number("99999999999999999999"),
	[]any{},
	[]any{"x"},
	[]any{nil},
	map[string]any{},
	map[string]any{"x": "y"},
	map[string]any{"ref": "r"},
	map[string]any{"bin": "b"},
	map[string]any{"mode": "user"},
}

var addedNames = []string{"x", "id", "kind", "bin", "mode", "ref", "path", "url", "hcp", "pack_id", "adapter_kind", "verbs", "list", "a.b", "A", "confirm", "land", "cli", "title", "live", "fields", "wrap", "workspace"}

// change replaces, removes or adds one value somewhere in a document.
func change(t *rapid.T, v any) any {
	at := rapid.IntRange(0, 4).Draw(t, "at")
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		switch {
		case at == 0:
			v[rapid.SampledFrom(addedNames).Draw(t, "name")] = replacement(t)
			return v
		case len(names) > 0:
			name := rapid.SampledFrom(names).Draw(t, "member")
			if at == 1 {
				delete(v, name)
			} else {
				v[name] = change(t, v[name])
			}
			return v
		}
	case []any:
		switch {
		case at == 0:
			return append(v, replacement(t))
		case len(v) > 0:
			i := rapid.IntRange(0, len(v)-1).Draw(t, "item")
			if at == 1 {
				return slices.Delete(v, i, i+1)
			}
			v[i] = change(t, v[i])
			return v
		}
	}
	return replacement(t)
}

func replacement(t *rapid.T) any {
	// A fresh value each time: later changes must not reach the samples.
	text, err := json.Marshal(rapid.SampledFrom(replacements).Draw(t, "value"))
	if err != nil {
		t.Fatal(err)
	}
	var out any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// What the reader makes of a valid document is what the vocabulary's own
// decoder makes of it.
func TestTheReaderReadsWhatTheVocabularyReads(t *testing.T) {
	compared := 0
	for _, c := range schemaCases(t, "surface") {
		if !c.Valid || bytes.Contains(c.Document, []byte("1.0")) || bytes.Contains(c.Document, []byte("2.0")) {
			continue // Go's decoder has no integers written as 1.0
		}
		compared++
		var want hcp.Manifest
		if err := jsonv2.Unmarshal(c.Document, &want); err != nil {
			t.Fatal(c.Name, err)
		}
		got := readManifest(c.Document).m
		if diff := cmp.Diff(fmt.Sprintf("%#v", wire(t, want)), fmt.Sprintf("%#v", wire(t, got))); diff != "" {
			t.Errorf("%s: %s", c.Name, diff)
		}
	}
	for _, c := range schemaCases(t, "policy") {
		if !c.Valid || bytes.Contains(c.Document, []byte("1.0")) {
			continue
		}
		compared++
		want := hcp.Policy{Version: 1, Verbs: map[string]hcp.PolicyEntry{}, Stimuli: map[string]hcp.PolicyEntry{}}
		if err := jsonv2.Unmarshal(c.Document, &want); err != nil {
			t.Fatal(c.Name, err)
		}
		if _, got := readPolicy(c.Document); !cmp.Equal(want, got) {
			t.Errorf("%s: %s", c.Name, cmp.Diff(want, got))
		}
	}
	if compared < 150 {
		t.Errorf("only %d documents were compared", compared)
	}
}

func wire(t testing.TB, v any) string {
	t.Helper()
	text, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWholeKnowsIntegersHoweverTheyAreWritten(t *testing.T) {
	for literal, want := range map[string]int{
		"0": 0, "-0": 0, "1": 1, "1.0": 1, "10e-1": 1, "1e0": 1, "2E3": 2000, "-7": -7, "120e-1": 12,
		"1.50e1": 15, "99999999999999999999": 1<<31 - 1, "-1e300": -1 << 31, "0.0e-9": 0,
	} {
		if got, ok := whole(literal); !ok || got != want {
			t.Errorf("whole(%s) = %d, %v, want %d", literal, got, ok, want)
		}
	}
	for _, literal := range []string{"1.5", "1e-1", "15e-1", "1.25e1", "0.5", "1.0000000000000000001", "123e-3"} {
		if got, ok := whole(literal); ok {
			t.Errorf("whole(%s) = %d", literal, got)
		}
	}
}

func TestAFileFullOfFaultsGivesABoundedReport(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"id":"demo"`)
	for i := range 1000 {
		fmt.Fprintf(&text, `,"x%d":1`, i)
	}
	text.WriteString(`,"verbs":{`)
	for i := range 1000 {
		fmt.Fprintf(&text, `"X%d":1,`, i)
	}
	r := readManifest([]byte(strings.TrimSuffix(text.String(), ",") + "}}"))
	if len(r.problems) != mostFindings || len(r.notes) != mostFindings {
		t.Errorf("%d problems, %d notes", len(r.problems), len(r.notes))
	}
}
