package pack_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// The files of a small pack that is right.
const (
	goodSurface = `{"id":"demo","kind":"wrap","cliBin":"demo","binding":{"mode":"public"},"wrap":{"bin":"demo"},
 "verbs":{"list":{"description":"Lists.","cli":["demo","list"]},"add":{"cli":["demo","add","{{name}}"]}}}`
	goodPolicy = `{"surface_id":"demo","version":1,"verbs":{"list":{"operation":"read","privacy":{"land":"personal"}},
 "add":{"operation":"write","privacy":{"land":"personal"},"confirm":true}}}`
	goodSkill = "# HCP — Demo\n\nA demo. No login.\n\n| Command | CLI |\n|---|---|\n| `list` | `demo list` |\n| `add` | `demo add x` |\n"
)

// write makes a pack directory; an empty text leaves the file out.
func write(t testing.TB, surface, policy, skill string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"surface.json": surface, "policy.json": policy, "HARNESS.md": skill} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadReadsAPack(t *testing.T) {
	dir := write(t, goodSurface, goodPolicy, goodSkill)
	p, err := pack.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if p.ID != "demo" || p.Kind != "wrap" || p.Dir != dir || p.Skill != goodSkill || !p.SkillPresent || len(p.Notes) != 0 {
		t.Errorf("%+v", p)
	}
	if keys := strings.Join(p.Keys(), " "); keys != "list add" {
		t.Errorf("keys are %q, not in declared order", keys)
	}
	c, ok := p.Command("add")
	if !ok || len(c.CLI) != 3 {
		t.Errorf("add is %+v, %v", c, ok)
	}
	e, ok := p.Entry("add")
	if !ok || e.Confirm != "true" || e.Operation != "write" {
		t.Errorf("the row of add is %+v, %v", e, ok)
	}
	if _, ok := p.Command("Add"); ok {
		t.Error("a command answers to another case")
	}
	if m := p.Meta; m.HCP != 1 || m.PackID != "demo" || m.AdapterKind != "wrap" || m.Wrap.Bin != "demo" {
		t.Errorf("derived metadata is %+v", m)
	}
	light, err := pack.LoadForExec(dir)
	if err != nil {
		t.Fatal(err)
	}
	if light.Skill != "" || !light.SkillPresent || light.ID != "demo" || len(light.Keys()) != 2 {
		t.Errorf("%+v", light)
	}
}

func TestLoadRefusesWithACodeAndASentence(t *testing.T) {
	for _, c := range []struct {
		name, surface, policy, skill string
		code, message                string
	}{
		{"no manifest", "", goodPolicy, goodSkill, "no_pack", `HCP pack "demo" missing surface.json`},
		{"no Policy", goodSurface, "", goodSkill, "bad_pack", `HCP pack "demo" missing policy.json`},
		{"no Skill", goodSurface, goodPolicy, "", "bad_pack", `HCP pack "demo" missing HARNESS.md skill`},
		{"another major", `{"hcp":{"hcp":2,"new":true}}`, `[]`, goodSkill, "unsupported_version", "unsupported protocol version 2"},
		{"another major without a block", `{"hcp":2}`, `[]`, goodSkill, "unsupported_version", "unsupported protocol version 2"},
		{"duplicate name", strings.Replace(goodSurface, `"kind"`, `"id":"x","kind"`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /id is not strict JSON: duplicate name "id"`},
		{"duplicate command", strings.Replace(goodSurface, `"add"`, `"list"`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /verbs/list is not strict JSON: duplicate name "list"`},
		{"name in another case", strings.Replace(goodSurface, `"kind"`, `"ID":"x","kind"`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /ID differs from the field "id" only in case`},
		{"command field in another case", strings.Replace(goodSurface, `"description"`, `"CLI":["evil"],"description"`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /verbs/list/CLI differs from the field "cli" only in case`},
		{"Policy field in another case", goodSurface, strings.Replace(goodPolicy, `"confirm"`, `"Confirm"`, 1), goodSkill, "bad_pack", `policy.json /verbs/add/Confirm differs from the field "confirm" only in case`},
		{"byte order mark", "\uFEFF" + goodSurface, goodPolicy, goodSkill, "bad_pack", "surface.json is not strict JSON: byte order mark"},
		{"invalid UTF-8", strings.Replace(goodSurface, "Lists.", "\xff", 1), goodPolicy, goodSkill, "bad_pack", "surface.json /verbs/list/description is not strict JSON: "},
		{"Skill that is not UTF-8", goodSurface, goodPolicy, "\xff", "bad_pack", "HARNESS.md is not UTF-8"},
		{"deep nesting", strings.Replace(goodSurface, `"kind"`, `"x":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`,"kind"`, 1), goodPolicy, goodSkill, "bad_pack", "surface.json /x/"},
		{"wrong type", strings.Replace(goodSurface, `"public"`, `["public"]`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /binding/mode must be "user", "mothership", "local", "public" or "mock", not an array`},
		{"unknown binding field", strings.Replace(goodSurface, `"mode"`, `"token":"x","mode"`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /binding/token is not a field of binding`},
		{"unknown Policy field", goodSurface, strings.Replace(goodPolicy, `"version"`, `"roles":[],"version"`, 1), goodSkill, "bad_pack", "policy.json /roles is not a field of the Policy"},
		{"fourth land", goodSurface, strings.Replace(goodPolicy, `"land":"personal"`, `"land":"team"`, 1), goodSkill, "bad_pack", `policy.json /verbs/list/privacy/land must be "personal", "brain" or "local", not "team"`},
		{"other surface_id", goodSurface, strings.Replace(goodPolicy, "demo", "dmo", 1), goodSkill, "bad_pack", `policy surface_id "dmo" !== "demo"`},
		{"id that climbs", strings.Replace(goodSurface, `"demo"`, `"../x"`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /id must be lower-case letters, digits and hyphens, not "../x"`},
		{"id that matches all", strings.Replace(goodSurface, `"demo"`, `"*"`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /id must be lower-case letters, digits and hyphens, not "*"`},
		{"id of a device", strings.Replace(goodSurface, `"demo"`, `"CON"`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /id must be lower-case letters, digits and hyphens, not "CON"`},
		{"id of look-alikes", strings.Replace(goodSurface, `"demo"`, `"dеmo"`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /id must be lower-case letters, digits and hyphens, not "d\u0435mo"`},
		{"bin outside", strings.Replace(goodSurface, `"bin":"demo"`, `"bin":"../../bins/demo"`, 1), goodPolicy, goodSkill, "bad_pack", `wrap.bin "../../bins/demo" leaves the pack`},
		{"bin at an absolute path", strings.Replace(goodSurface, `"bin":"demo"`, `"bin":"/usr/bin/demo"`, 1), goodPolicy, goodSkill, "bad_pack", `wrap.bin "/usr/bin/demo" is absolute and so leaves the pack`},
		{"bin that is a flag", strings.Replace(goodSurface, `"bin":"demo"`, `"bin":"-demo"`, 1), goodPolicy, goodSkill, "bad_pack", `wrap.bin "-demo" is not the name of a program`},
		{"NUL in an argument", strings.Replace(goodSurface, `["demo","list"]`, `["demo","a\u0000b"]`, 1), goodPolicy, goodSkill, "bad_pack", `surface.json /verbs/list/cli/1 holds a NUL character`},
		{"variable that cannot be", strings.Replace(goodSurface, `"bin":"demo"`, `"bin":"demo","agent_env":{"A=B":"c"}`, 1), goodPolicy, goodSkill, "bad_pack", `wrap.agent_env names a variable "A=B", which no environment can hold`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.surface, c.policy, c.skill)
			for _, load := range []func(string) (*pack.Pack, error){pack.Load, pack.LoadForExec} {
				p, err := load(dir)
				if c.name == "Skill that is not UTF-8" && err == nil && p.Skill == "" {
					continue // LoadForExec does not look into the Skill
				}
				if p != nil || fault.CodeOf(err) != c.code || !strings.HasPrefix(err.Error(), c.message) {
					t.Errorf("got %v, %s: %v\nwant %s: %s", p, fault.CodeOf(err), err, c.code, c.message)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := typical(b)
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			if _, err := pack.Load(dir); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("for exec", func(b *testing.B) {
		for b.Loop() {
			if _, err := pack.LoadForExec(dir); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// typical is a pack of ten commands with arguments, titles and previews.
func typical(t testing.TB) string {
	var verbs, rows, skill strings.Builder
	for i, key := range strings.Fields("setup.status setup.apply connect status list get search send reply transfer") {
		if i > 0 {
			verbs.WriteByte(',')
			rows.WriteByte(',')
		}
		verbs.WriteString(`"` + key + `":{"description":"One sentence that says what goes in and what comes out.","cli":["demo","` + key + `","{{amount}}","--to","{{payee}}"],
 "args":{"type":"object","properties":{"amount":{"type":"string","description":"Amount in the account's currency","examples":["2.80"]},"payee":{"type":"string","description":"Payee id"}},"required":["amount","payee"]},
 "title":{"live":["Paying {{amount}} to {{payee}}","Paying"],"done":["Paid {{amount}}","Paid"]},"preview":{"kind":"payment","title":"Pay {{payee}}","fields":{"amount":"{{amount}}","to":"{{payee}}"}}}`)
		rows.WriteString(`"` + key + `":{"operation":"write","privacy":{"land":"personal"},"confirm":true}`)
		skill.WriteString("| `" + key + "` | `demo " + key + "` |\n")
	}
	return write(t, `{"id":"demo","name":"Demo","kind":"wrap","cliBin":"demo","binding":{"mode":"public","hub":"public"},"wrap":{"bin":"demo"},"verbs":{`+verbs.String()+`}}`,
		`{"surface_id":"demo","version":1,"verbs":{`+rows.String()+`},"stimuli":{}}`, "# HCP — Demo\n\n"+skill.String())
}
