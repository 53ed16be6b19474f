package command

import (
	"io/fs"
	"testing"

	"bridle/hcp"
	"bridle/packs"

	"github.com/go-json-experiment/json"
)

// The packs that ship with the tools declare nothing that a call could trip
// over, and their own examples render.
func TestGoldPacksAreCallableByTheirOwnExamples(t *testing.T) {
	files, err := fs.Glob(packs.FS(), "*/surface.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(packs.FS(), file)
		if err != nil {
			t.Fatal(err)
		}
		var m hcp.Manifest
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for key, c := range m.Verbs.All() {
			if err := Verify(&m, key); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if names := Shadowing(c); names != nil {
				t.Errorf("%s: %s declares %v", file, key, names)
			}
			declared, err := Declared(&m, key)
			if err != nil {
				t.Fatal(err)
			}
			args := hcp.Args{}
			for i := range declared {
				if value, ok := exampleOf(&declared[i]); ok {
					args[declared[i].Name] = value
				}
			}
			if _, err := Render(&m, key, args); err != nil {
				t.Errorf("%s: %s with its examples: %v", file, key, err)
			}
		}
	}
}
