package hcpspec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	hcpspec "bridle/spec/hcp"
)

// table is one file of testdata/schema-cases.
type table struct {
	Schema string `json:"schema"`
	Cases  []struct {
		Name     string          `json:"name"`
		Valid    bool            `json:"valid"`
		Document json.RawMessage `json:"document"`
	} `json:"cases"`
}

func readTable(t *testing.T, name string) table {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "schema-cases", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var tab table
	if err := json.Unmarshal(text, &tab); err != nil {
		t.Fatal(err)
	}
	if tab.Schema != name || len(tab.Cases) == 0 {
		t.Fatalf("the table of %q names schema %q and has %d cases", name, tab.Schema, len(tab.Cases))
	}
	return tab
}

func parse(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func compile(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:schema", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// schemaFolders are the folders whose schemas must give the table's verdicts:
// ours, and the published ones where BRIDLE_PUBLISHED_SCHEMAS names them.
func schemaFolders() []string {
	folders := []string{"schemas"}
	if published := os.Getenv("BRIDLE_PUBLISHED_SCHEMAS"); published != "" {
		folders = append(folders, published)
	}
	return folders
}

func TestSchemasGiveTheVerdictsOfTheTable(t *testing.T) {
	for _, folder := range schemaFolders() {
		for _, name := range hcpspec.Names() {
			text, err := os.ReadFile(filepath.Join(folder, name+".json"))
			if os.IsNotExist(err) {
				text, err = os.ReadFile(filepath.Join(folder, name))
			}
			if err != nil {
				t.Fatal(err)
			}
			schema := compile(t, parse(t, text))
			for _, c := range readTable(t, name).Cases {
				err := schema.Validate(parse(t, c.Document))
				if (err == nil) != c.Valid {
					t.Errorf("%s %s: %q: valid should be %v, got %v", folder, name, c.Name, c.Valid, err)
				}
			}
		}
	}
}

func TestEverySchemaIsServedUnderItsPublishedAddress(t *testing.T) {
	for _, name := range hcpspec.Names() {
		want := "https://harnesscontextprotocol.io/schemas/1/" + name + ".json"
		if name == "hcp.eval" {
			want = "https://harnesscontextprotocol.io/schemas/hcp.eval.json"
		}
		for _, asked := range []string{name, name + ".json"} {
			text, ok := hcpspec.Schema(asked)
			if !ok {
				t.Errorf("no schema %q", asked)
				continue
			}
			schema := parse(t, text).(map[string]any)
			if schema["$id"] != want || schema["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
				t.Errorf("%q has $id %v and $schema %v", asked, schema["$id"], schema["$schema"])
			}
		}
	}
	entries, err := os.ReadDir("schemas")
	if err != nil || len(entries) != len(hcpspec.Names()) {
		t.Errorf("schemas/ holds %d files, Names has %d (%v)", len(entries), len(hcpspec.Names()), err)
	}
	for _, absent := range []string{"", "nothing", "../embed.go", "schemas/policy", "policy.json.json"} {
		if _, ok := hcpspec.Schema(absent); ok {
			t.Errorf("Schema(%q) found something", absent)
		}
	}
}

// A table proves a schema only as far as some case notices when a keyword goes
// missing or a bound moves by one. So every keyword is taken away in turn, and
// at least one verdict has to change.
func TestTheTableNoticesEveryChangeToASchema(t *testing.T) {
	for _, name := range hcpspec.Names() {
		text, _ := hcpspec.Schema(name)
		tab := readTable(t, name)
		documents := make([]any, len(tab.Cases))
		for i, c := range tab.Cases {
			documents[i] = parse(t, c.Document)
		}
		root := parse(t, text).(map[string]any)
		mutations := 0
		mutate(root, root, "", func(where string) {
			mutations++
			schema := compile(t, root)
			for i, c := range tab.Cases {
				if (schema.Validate(documents[i]) == nil) != c.Valid {
					return
				}
			}
			t.Errorf("%s: no case notices %s", name, where)
		})
		if mutations < 10 {
			t.Errorf("%s: only %d mutations were tried", name, mutations)
		}
	}
}

// annotations are the keywords that accept and refuse nothing.
var annotations = []string{"$schema", "$id", "title", "description", "default", "deprecated"}

// asserts reports whether a schema refuses anything by itself.
func asserts(schema map[string]any) bool {
	for keyword := range schema {
		if !slices.Contains(annotations, keyword) {
			return true
		}
	}
	return false
}

// mutate changes the schema at one place after the other, calls check each
// time, and restores it.
func mutate(root, schema map[string]any, at string, check func(where string)) {
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		value, where := schema[keyword], at+"/"+keyword
		if slices.Contains(annotations, keyword) {
			continue
		}
		with := func(changed any, what string) {
			schema[keyword] = changed
			check(where + " " + what)
			schema[keyword] = value
		}
		switch keyword {
		case "properties", "$defs":
			members := value.(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(members)) {
				sub := members[name].(map[string]any)
				if keyword == "properties" && asserts(sub) {
					members[name] = map[string]any{}
					check(where + "/" + name + " accepts anything")
					members[name] = sub
				}
				mutate(root, sub, where+"/"+name, check)
			}
			continue
		case "enum", "required", "anyOf", "oneOf":
			list := value.([]any)
			for i, item := range list {
				if len(list) > 1 {
					with(slices.Delete(slices.Clone(list), i, i+1), fmt.Sprintf("without %v", item))
				}
				if sub, ok := item.(map[string]any); ok {
					mutate(root, sub, fmt.Sprintf("%s/%d", where, i), check)
				}
			}
		case "items", "additionalProperties", "propertyNames", "if", "then":
			if sub, ok := value.(map[string]any); ok {
				mutate(root, sub, where, check)
			}
		case "minLength", "maxLength", "minItems", "maxItems", "minimum":
			n, _ := value.(json.Number).Int64()
			with(json.Number(fmt.Sprint(n+1)), "one higher")
			if n > 0 {
				with(json.Number(fmt.Sprint(n-1)), "one lower")
			}
		}
		delete(schema, keyword)
		check(where + " taken away")
		schema[keyword] = value
	}
}
