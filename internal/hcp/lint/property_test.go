package lint_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	hcpspec "bridle/spec/hcp"
)

// edits are changes to the clean pack, harmless and harmful ones; an edit does
// nothing where its text is not.
var edits = []struct{ file, old, new string }{
	{"surface.json", `"kind":"wrap"`, `"kind":"composite"`},
	{"surface.json", `"kind":"wrap",`, ``},
	{"surface.json", `"kind":"wrap"`, `"adapter_kind":"wrap"`},
	{"surface.json", `"kind":"wrap"`, `"kind":"openapi"`},
	{"surface.json", `"kind":"wrap"`, `"kind":"sense_only"`},
	{"surface.json", `"kind"`, `"Kind"`},
	{"surface.json", `"wrap":{"bin":"demo"},`, ``},
	{"surface.json", `"bin":"demo"`, `"bin":"./bin/demo"`},
	{"surface.json", `"bin":"demo"`, `"bin":"../demo"`},
	{"surface.json", `"bin":"demo"`, `"bin":"demo","json_flag":[]`},
	{"surface.json", `"bin":"demo"`, `"bin":"demo","agent_env":{"A":"b"}`},
	{"surface.json", `"bin":"demo"`, `"bin":"demo","x":1`},
	{"surface.json", `"id":"demo"`, `"id":"demo_1"`},
	{"surface.json", `"id":"demo"`, `"id":"Demo"`},
	{"surface.json", `"id"`, `"later":[{}],"id"`},
	{"surface.json", `"id"`, `"hcp":{"hcp":1,"pack_id":"demo","adapter_kind":"wrap"},"id"`},
	{"surface.json", `"id"`, `"hcp":{"hcp":2},"id"`},
	{"surface.json", `"id"`, `"openapi":{"path":"api.json"},"id"`},
	{"surface.json", `"id"`, `"plane":"control","id"`},
	{"surface.json", `"id"`, `"id":"demo","id"`},
	{"surface.json", `"mode":"user"`, `"mode":"mothership"`},
	{"surface.json", `"mode":"user",`, ``},
	{"surface.json", `"mode":"user"`, `"mode":"oauth"`},
	{"surface.json", `"Lists."`, `"Lists.\u200b"`},
	{"surface.json", `"list"`, `"list_all"`},
	{"surface.json", `"list"`, `"List"`},
	{"surface.json", `[{"ref":"new_item"}]`, `[]`},
	{"surface.json", `"ref":"new_item"`, `"ref":"new item"`},
	{"surface.json", `{`, `{ `},
	{"surface.json", `}`, ``},
	{"policy.json", `"surface_id":"demo"`, `"surface_id":"demo_1"`},
	{"policy.json", `"list"`, `"list_all"`},
	{"policy.json", `"version":1,`, ``},
	{"policy.json", `"version":1`, `"version":1.0`},
	{"policy.json", `"confirm":true`, `"confirm":"always"`},
	{"policy.json", `"confirm":true`, `"confirm":1`},
	{"policy.json", `"read"`, `"write"`},
	{"policy.json", `"write"`, `"read"`},
	{"policy.json", `"personal"`, `"brain"`},
	{"policy.json", `"personal"`, `"team"`},
	{"policy.json", `"new_item":{"operation":"read","privacy":{"land":"personal"}}`, ``},
	{"HARNESS.md", "`list`", "`list_all`"},
	{"HARNESS.md", "`list`", "list"},
	{"HARNESS.md", "connect", "token=abc"},
	{"HARNESS.md", "\n", "\r\n"},
	{"HARNESS.md", "Paying", "Reading /home/x"},
	{"HARNESS.md", "Paying", "<!-- x -->"},
	{"HARNESS.md", "Paying", "Use MCP"},
	{"HARNESS.md", "Reads", "Use MCP. Reads"},
}

// What lint finds clean loads, in memory and from disk alike, is valid by the
// published schemas unless an id or key needs the text's wider rule, and hashes
// the same every time. What does not load is not clean.
func TestWhatLintFindsCleanLoadsAndHashesStably(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{}
	for _, name := range []string{"surface", "policy"} {
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
		schemas[name] = c.MustCompile("mem:" + name)
	}
	clean, refused := 0, 0
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		f := files{"surface.json": surface, "policy.json": policy, "HARNESS.md": skill, "bin/demo": "#!/bin/sh\n"}
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			e := rapid.SampledFrom(edits).Draw(t, "edit")
			f[e.file] = strings.Replace(f[e.file], e.old, e.new, rapid.SampledFrom([]int{1, -1}).Draw(t, "times"))
		}
		dir, err := os.MkdirTemp(base, "p")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range f {
			if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		report, err := lint.Dir(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, loadErr := pack.Load(dir)
		if !report.OK() {
			refused++
			return
		}
		clean++
		if loadErr != nil {
			t.Fatalf("clean and does not load: %v", loadErr)
		}
		if again := lint.Pack(p); len(again) > 0 {
			t.Fatalf("clean on disk and not in memory: %+v", again)
		}
		light, err := pack.LoadForExec(dir)
		if err != nil || wire(t, light.Manifest) != wire(t, p.Manifest) || !cmp.Equal(light.Policy, p.Policy) || wire(t, light.Meta) != wire(t, p.Meta) {
			t.Fatalf("LoadForExec reads something else: %v", err)
		}
		d, err := pack.Examine(dir)
		if err != nil {
			t.Fatal(err)
		}
		for name, schema := range schemas {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(f[name+".json"]))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil && !d.Loose {
				t.Fatalf("clean and not valid by the schema: %v", err)
			}
		}
		content, err := pack.Hash(dir)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := pack.Hash(dir); err != nil || second.Digest != content.Digest {
			t.Fatalf("%s and then %s, %v", content.Digest, second.Digest, err)
		}
		if changed, _, err := content.Changed(dir); err != nil || len(changed) > 0 {
			t.Fatalf("%v, %v", changed, err)
		}
	})
	if clean < 5 || refused < 5 {
		t.Errorf("%d clean packs and %d others: the edits are not mixed", clean, refused)
	}
}

func wire(t *rapid.T, v any) string {
	text, err := canon.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
