package packs

import (
	"bytes"
	"io/fs"
	"testing"

	hcpspec "bridle/spec/hcp"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestEveryFileOfAPackFitsItsPublishedSchema(t *testing.T) {
	parse := func(text []byte) any {
		t.Helper()
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, name := range []string{"surface", "policy", "hcp.eval"} {
		text, ok := hcpspec.Schema(name)
		if !ok {
			t.Fatalf("there is no schema %s", name)
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		if err := compiler.AddResource("mem:schema", parse(text)); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile("mem:schema")
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range IDs() {
			document, err := fs.ReadFile(FS(), id+"/"+name+".json")
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(parse(document)); err != nil {
				t.Errorf("%s/%s.json: %v", id, name, err)
			}
		}
	}
}

// Every command's args is itself a JSON Schema, and its own examples fit it.
func TestEveryExampleFitsItsArgument(t *testing.T) {
	eachPack(t, func(t *testing.T, p loaded) {
		for key, c := range p.manifest.Verbs.All() {
			if c.Args == nil {
				continue
			}
			document, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.Args))
			if err != nil {
				t.Fatal(err)
			}
			compiler := jsonschema.NewCompiler()
			if err := compiler.AddResource("mem:args", document); err != nil {
				t.Fatal(err)
			}
			for name, a := range p.args(t, c).Properties {
				schema, err := compiler.Compile("mem:args#/properties/" + name)
				if err != nil {
					t.Fatal(err)
				}
				for _, example := range a.Examples {
					if err := schema.Validate(example); err != nil {
						t.Errorf("%s %s: %v", key, name, err)
					}
				}
			}
		}
	})
}
