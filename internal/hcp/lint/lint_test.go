package lint_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// A clean pack; the cases below change one thing about it.
const (
	surface = `{"id":"demo","name":"Demo","kind":"wrap","cliBin":"demo","binding":{"mode":"user","hub":"keyring"},"wrap":{"bin":"demo"},
"verbs":{"list":{"description":"Lists.","cli":["demo","list"]},"transfer":{"description":"Pays.","cli":["demo","transfer","{{amount}}","--confirm"]}},
"stimulusTriggers":[{"ref":"new_item"}]}`
	policy = `{"surface_id":"demo","version":1,
"verbs":{"list":{"operation":"read","privacy":{"land":"personal"}},"transfer":{"operation":"write","privacy":{"land":"personal"},"confirm":true}},
"stimuli":{"new_item":{"operation":"read","privacy":{"land":"personal"}}}}`
	skill = "# HCP — Demo\n\nReads and pays. Run `connect` once.\n\n## Hot path\n\n" +
		"| Command | CLI | Policy |\n|---------|-----|--------|\n| `list` | `demo list --json` | read |\n| `transfer` | `demo transfer 2.80 --confirm --json` | write + confirm |\n\n" +
		"## Anti-patterns\n\n- Paying without asking.\n"
)

type files map[string]string

func clean() files {
	return files{"surface.json": surface, "policy.json": policy, "HARNESS.md": skill}
}

// with returns the clean pack with some replacements of old by new in a file.
func with(name string, oldNew ...string) files {
	f := clean()
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(f[name], oldNew[i]) {
			panic(name + " has no " + oldNew[i])
		}
	}
	f[name] = strings.NewReplacer(oldNew...).Replace(f[name])
	return f
}

func (f files) and(name, text string) files {
	f[name] = text
	return f
}

func (f files) without(name string) files {
	delete(f, name)
	return f
}

func (f files) plant(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range f {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// issues writes issues as kind|key|message, which is what the tables hold.
func issues(list []hcp.LintIssue) []string {
	out := []string{}
	for _, i := range list {
		out = append(out, string(i.Kind)+"|"+i.Key+"|"+i.Message)
	}
	return out
}

func check(t *testing.T, f files, want ...string) lint.Report {
	t.Helper()
	report, err := lint.Dir(f.plant(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := issues(report.Issues); !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	if report.OK() != (len(want) == 0) {
		t.Error("OK disagrees with the issues")
	}
	return report
}

func TestACleanPackHasNoIssue(t *testing.T) {
	if r := check(t, clean()); r.PackID != "demo" || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
}

// Every row of the tables of lint issues, with its exact key and words.
func TestEveryPublishedIssueIsReportedInItsWords(t *testing.T) {
	for _, c := range []struct {
		name  string
		files files
		want  []string
	}{
		{"no manifest", clean().without("surface.json"), []string{`missing_surface|surface.json|HCP pack "demo" missing surface.json`}},
		{"no Skill", clean().without("HARNESS.md"), []string{`missing_harness|HARNESS.md|HCP pack "demo" missing HARNESS.md skill`}},
		{"no Policy", clean().without("policy.json"), []string{`missing_policy|policy.json|HCP pack "demo" missing policy.json`}},
		{"command without a row", with("policy.json", `"transfer":{"operation":"write","privacy":{"land":"personal"},"confirm":true}`, `"refund":{"operation":"write","privacy":{"land":"personal"},"confirm":true}`), []string{
			`missing_verb|transfer|verb "transfer" missing from policy.json`,
			`extra_verb|refund|policy verb "refund" not in pack manifest`,
		}},
		{"trigger without a row", with("policy.json", `"new_item"`, `"old"`), []string{
			`missing_stimulus|new_item|stimulus "new_item" missing from policy.json`,
			`extra_stimulus|old|policy stimulus "old" not in stimulusTriggers`,
		}},
		{"trigger that writes", with("policy.json", `"new_item":{"operation":"read"`, `"new_item":{"operation":"write"`), []string{
			`write_stimulus|new_item|policy stimulus "new_item" is a write; a trigger announces a change and is always "read"`,
		}},
		{"another surface_id", with("policy.json", `"surface_id":"demo"`, `"surface_id":"dmo"`), []string{`missing_verb|demo|policy surface_id "dmo" !== "demo"`}},
		{"hcp block that is not right", with("surface.json", `"kind"`, `"hcp":{"hcp":1,"pack_id":"demo","adapter_kind":"wrap","extra":1},"kind"`), []string{
			`invalid_meta|hcp|surface.json /hcp/extra is not a field of hcp`,
		}},
		{"another hcp.pack_id", with("surface.json", `"kind"`, `"hcp":{"hcp":1,"pack_id":"dmo","adapter_kind":"wrap"},"kind"`), []string{
			`invalid_meta|pack_id|hcp.pack_id "dmo" !== "demo"`,
		}},
		{"openapi without a reference", with("surface.json", `"kind":"wrap"`, `"kind":"openapi"`), []string{`invalid_meta|openapi|openapi adapter requires openapi ref`}},
		{"openapi with an empty reference", with("surface.json", `"kind":"wrap"`, `"kind":"openapi","openapi":{}`), []string{`invalid_meta|openapi|openapi adapter requires openapi ref`}},
		{"sense_only without a trigger", with("surface.json", `"kind":"wrap"`, `"kind":"sense_only"`, `{"ref":"new_item"}`, ``).and("policy.json", strings.Replace(policy, `"new_item":{"operation":"read","privacy":{"land":"personal"}}`, "", 1)), []string{
			`invalid_meta|sense_only|sense_only adapter requires at least one stimulus trigger_ref`,
		}},
		{"wrap without wrap", with("surface.json", `"wrap":{"bin":"demo"},`, ``), []string{`binding|wrap|wrap adapter requires wrap.bin`}},
		{"wrap without bin", with("surface.json", `{"bin":"demo"}`, `{}`), []string{`binding|wrap|wrap adapter requires wrap.bin`}},
		{"control plane of a user", with("surface.json", `"kind":"wrap"`, `"kind":"wrap","plane":"control"`), []string{`binding|plane|control plane packs default Binding mothership`}},
		{"wrap without commands", files{"surface.json": `{"id":"demo","kind":"wrap","wrap":{"bin":"demo"},"verbs":{}}`, "policy.json": `{"surface_id":"demo","verbs":{}}`, "HARNESS.md": "# HCP — Demo\n"}, []string{
			`wrap|verbs|wrap requires named commands or pass_through`,
		}},
		{"wrap without verbs", files{"surface.json": `{"id":"demo","kind":"wrap","wrap":{"bin":"demo"}}`, "policy.json": `{"surface_id":"demo","verbs":{}}`, "HARNESS.md": "# HCP — Demo\n"}, []string{
			`wrap|verbs|wrap requires named commands or pass_through`,
		}},
		{"command that the Skill never names", with("HARNESS.md", "`transfer`", "transfer"), []string{
			`skill|transfer|HARNESS.md never names the command "transfer" in backticks`,
		}},
		{"command that the manifest does not declare", with("HARNESS.md", "| `list` |", "| `refund` | `demo refund` | read |\n| `list` |"), []string{
			`skill|refund|HARNESS.md teaches the command "refund", which surface.json does not declare`,
		}},
		{"host path", with("HARNESS.md", "- Paying", "- Running /Users/ann/bin/demo.\n- Paying"), []string{
			`skill|path|HARNESS.md line 14 has the host path "/Users/…"; use a relative path or "~/.hcp/…"`,
		}},
		{"credential", with("HARNESS.md", "- Paying", "- Setting `DEMO_TOKEN=abc`.\n- Paying"), []string{
			`skill|secret|HARNESS.md line 14 holds a value for "DEMO_TOKEN"`,
		}},
		{"MCP as the way in", with("HARNESS.md", "Run `connect` once.", "Add the MCP server first."), []string{
			`skill|mcp|HARNESS.md line 3 presents MCP as the way to install or invoke the pack; teach the command line`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, c.want...) })
	}
}

func TestWhatHasNoPublishedKindIsStillReported(t *testing.T) {
	for _, c := range []struct {
		name  string
		files files
		want  []string
	}{
		{"confirm on a read", with("policy.json", `"list":{"operation":"read",`, `"list":{"operation":"read","confirm":"always",`), []string{
			`invalid_policy|list|policy verb "list" has confirm and is a read; only a write can ask`,
		}},
		{"confirm that asks for nothing on a read", with("policy.json", `"list":{"operation":"read",`, `"list":{"operation":"read","confirm":false,`), nil},
		{"confirm on a trigger", with("policy.json", `"new_item":{"operation":"read"`, `"new_item":{"confirm":true,"operation":"read"`), []string{
			`invalid_policy|new_item|policy stimulus "new_item" has confirm; only a write can ask`,
		}},
		{"folder for a program", with("surface.json", `"bin":"demo"`, `"bin":"./bin"`).and("bin/demo", "#!/bin/sh\n"), []string{
			`wrap|bin|wrap.bin "./bin" is not a file`,
		}},
		{"id of a device", with("surface.json", `"id":"demo"`, `"id":"con"`).and("policy.json", strings.Replace(policy, `"demo"`, `"con"`, 1)), []string{
			`invalid_meta|id|surface.json /id "con" is the name of a device on some systems, so no folder can be called so`,
		}},
		{"unknown Policy field", with("policy.json", `"version":1`, `"version":1,"roles":["admin"]`), []string{
			`invalid_policy|roles|policy.json /roles is not a field of the Policy`,
		}},
		{"unknown field of a row", with("policy.json", `"list":{`, `"list":{"rate":1,`), []string{
			`invalid_policy|list|policy.json /verbs/list/rate is not a field of a Policy row`,
		}},
		{"unknown operation and land", with("policy.json", `"list":{"operation":"read","privacy":{"land":"personal"}}`, `"list":{"operation":"admin","privacy":{"land":"team"}}`), []string{
			`invalid_policy|list|policy.json /verbs/list/operation must be "read" or "write", not "admin"`,
			`invalid_policy|list|policy.json /verbs/list/privacy/land must be "personal", "brain" or "local", not "team"`,
		}},
		{"Policy of another version", with("policy.json", `"version":1`, `"version":2`), []string{`invalid_policy|version|policy.json /version must be 1, not 2`}},
		{"Policy that is no JSON", clean().and("policy.json", `{"surface_id":"demo",}`), []string{
			`invalid_policy|policy.json|policy.json is not strict JSON: unexpected "}" where a member name should be`,
		}},
		{"Policy that is no object", clean().and("policy.json", `[]`), []string{`invalid_policy|policy.json|policy.json must be an object, not an array`}},
		{"another major", clean().and("surface.json", `{"hcp":{"hcp":2},"commands":[]}`), []string{`invalid_meta|hcp|unsupported protocol version 2`}},
		{"no id", with("surface.json", `"id":"demo",`, ``), []string{`invalid_meta|id|surface.json /id is missing`}},
		{"no command in a composite", files{"surface.json": `{"id":"demo","verbs":{}}`, "policy.json": `{"surface_id":"demo","verbs":{}}`, "HARNESS.md": "# HCP — Demo\n"}, []string{
			`invalid_meta|verbs|composite pack declares no command`,
		}},
		{"no verbs in a composite", files{"surface.json": `{"id":"demo"}`, "policy.json": `{"surface_id":"demo","verbs":{}}`, "HARNESS.md": "# HCP — Demo\n"}, []string{
			`invalid_meta|verbs|surface.json /verbs is missing`,
		}},
		{"no command in sense_only", files{
			"surface.json": `{"id":"demo","kind":"sense_only","verbs":{},"stimulusTriggers":[{"ref":"new_item"}]}`,
			"policy.json":  `{"surface_id":"demo","verbs":{},"stimuli":{"new_item":{"operation":"read","privacy":{"land":"local"}}}}`, "HARNESS.md": "# HCP — Demo\n",
		}, nil},
		{"no command with pass_through", files{
			"surface.json": `{"id":"demo","kind":"wrap","wrap":{"bin":"demo"},"pass_through":{"allowedSubcommands":["status"],"maxArgv":6},"verbs":{}}`,
			"policy.json":  `{"surface_id":"demo","verbs":{}}`, "HARNESS.md": "# HCP — Demo\n",
		}, nil},
		{"pass_through of another kind", with("surface.json", `"kind":"wrap"`, `"kind":"composite","pass_through":{"allowedSubcommands":["status"],"maxArgv":6}`), []string{
			`invalid_meta|pass_through|pass_through is for wrap packs, not for composite`,
		}},
		{"control plane without a mode", with("surface.json", `"binding":{"mode":"user","hub":"keyring"},`, `"plane":"control",`), nil},
		{"control plane of an operator", with("surface.json", `"mode":"user"`, `"mode":"mothership"`, `"kind"`, `"plane":"control","kind"`), nil},
		{"kind and alias differ", with("surface.json", `"kind":"wrap"`, `"kind":"wrap","adapter_kind":"composite"`), []string{
			`invalid_meta|adapter_kind|kind "wrap" !== adapter_kind "composite"`,
		}},
		{"kind and block differ", with("surface.json", `"kind":"wrap"`, `"kind":"wrap","hcp":{"hcp":1,"pack_id":"demo","adapter_kind":"composite"}`), []string{
			`invalid_meta|hcp|hcp.adapter_kind "composite" !== kind "wrap"`,
		}},
		{"bin in the block differs", with("surface.json", `"kind":"wrap"`, `"kind":"wrap","hcp":{"hcp":1,"pack_id":"demo","adapter_kind":"wrap","wrap":{"bin":"other"},"binding":{"mode":"public"}}`), []string{
			`invalid_meta|hcp|hcp.binding differs from binding`, `invalid_meta|hcp|hcp.wrap differs from wrap`,
		}},
		{"bin outside the pack", with("surface.json", `"bin":"demo"`, `"bin":"../../bins/demo.mjs"`), []string{`wrap|bin|wrap.bin "../../bins/demo.mjs" leaves the pack`}},
		{"openapi.path outside the pack", with("surface.json", `"wrap":{"bin":"demo"}`, `"wrap":{"bin":"demo"},"openapi":{"path":"../api.json"}`), []string{`invalid_meta|openapi|openapi.path "../api.json" leaves the pack`}},
		{"reserved names", with("surface.json", `"kind"`, `"pack_id":"other","surface_id":"demo","kind"`), []string{
			`invalid_meta|pack_id|surface.json /pack_id is a reserved name: it may only repeat the id "demo"`,
		}},
		{"trigger declared twice", with("surface.json", `[{"ref":"new_item"}]`, `[{"ref":"new_item"},{"ref":"new_item"}]`), []string{
			`invalid_meta|stimulusTriggers|surface.json /stimulusTriggers/1 declares "new_item" a second time`,
		}},
		{"trigger in upper case", with("surface.json", `"new_item"`, `"New_Item"`).and("policy.json", strings.Replace(policy, `"new_item"`, `"New_Item"`, 1)), []string{
			`invalid_meta|stimulusTriggers|surface.json /stimulusTriggers/0/ref must be in lower case, not "New_Item"`,
		}},
		{"trigger with a space", with("surface.json", `"new_item"`, `"new item"`).and("policy.json", strings.Replace(policy, `"new_item"`, `"new item"`, 1)), []string{
			`invalid_meta|stimulusTriggers|surface.json /stimulusTriggers/0/ref must be printable ASCII without spaces, not "new item"`,
		}},
		{"arguments that no call can be checked against", with("surface.json", `"description":"Lists."`, `"args":{"type":"array"}`), []string{
			`invalid_meta|list|the args of demo.list cannot be used: "/type" is not "object"`,
		}},
		{"Skill that is not UTF-8", clean().and("HARNESS.md", "\xff"), []string{`skill|HARNESS.md|HARNESS.md is not UTF-8`}},
		{"empty Skill", clean().and("HARNESS.md", ""), []string{
			`skill|list|HARNESS.md never names the command "list" in backticks`, `skill|transfer|HARNESS.md never names the command "transfer" in backticks`,
		}},
		{"hidden text in the manifest", with("surface.json", `"Lists."`, "\"Lists.\u202e\""), []string{
			`invalid_meta|hidden|surface.json "/verbs/list/description" holds characters that a person cannot see: U+202E`,
		}},
		{"file that no name may be", clean().and("lib/con.txt", ""), []string{`invalid_meta|lib/con.txt|"lib/con.txt" has a name that not every platform allows`}},
		{"environment file", clean().and(".env", "A=1").and("sub/.env.local", "").and(".env.example", ""), []string{
			`binding|secret|".env" is where credentials are kept; the runtime's hub gives them, not the pack`,
			`binding|secret|"sub/.env.local" is where credentials are kept; the runtime's hub gives them, not the pack`,
		}},
		{"folder of secrets", clean().and("secrets/x", ""), []string{`binding|secret|"secrets" is where credentials are kept; the runtime's hub gives them, not the pack`}},
		{"key in a script", clean().and("bin/demo", "#!/bin/sh\n\nexport X=ghp_"+strings.Repeat("a1", 18)+"\n"), []string{
			`binding|secret|"bin/demo" line 3 holds what looks like a GitHub token; the runtime's hub gives credentials, not the pack`,
		}},
		{"key in what others wrote", clean().and("node_modules/x/test.js", "ghp_"+strings.Repeat("a1", 18)), nil},
		{"key in the author's repository", clean().and(".git/config", "ghp_"+strings.Repeat("a1", 18)), nil},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.files, c.want...) })
	}
}

func TestEverythingFindableIsReportedAtOnce(t *testing.T) {
	f := files{
		"surface.json": `{"id":"demo","kind":"wrap","ID":"x","binding":{"mode":"oauth","token":1},"wrap":{},"verbs":{"Bad":{},"a":{"cli":"x"},"b":5}}`,
		"HARNESS.md":   "# HCP — Demo\n\n| Command |\n|---|\n| `zzz` |\n\nSee /home/ann.\n\ntoken=abc\n\nInstall the MCP server.\n\n<!-- hidden -->\n",
	}
	first := check(t, f,
		`invalid_meta|ID|surface.json /ID differs from the field "id" only in case`,
		`invalid_meta|binding|surface.json /binding/mode must be "user", "mothership", "local", "public" or "mock", not "oauth"`,
		`invalid_meta|binding|surface.json /binding/token is not a field of binding`,
		`binding|wrap|wrap adapter requires wrap.bin`,
		`invalid_meta|verbs|surface.json /verbs/Bad must be named in lower-case letters and digits, words joined by dots, not "Bad"`,
		`invalid_meta|verbs|surface.json /verbs/a/cli must be an array, not a string`,
		`invalid_meta|verbs|surface.json /verbs/b must be an object, not a number`,
		`missing_policy|policy.json|HCP pack "demo" missing policy.json`,
		`skill|Bad|HARNESS.md never names the command "Bad" in backticks`,
		`skill|a|HARNESS.md never names the command "a" in backticks`,
		`skill|b|HARNESS.md never names the command "b" in backticks`,
		`skill|zzz|HARNESS.md teaches the command "zzz", which surface.json does not declare`,
		`skill|path|HARNESS.md line 7 has the host path "/home/…"; use a relative path or "~/.hcp/…"`,
		`skill|secret|HARNESS.md line 9 holds a value for "token"`,
		`skill|mcp|HARNESS.md line 11 presents MCP as the way to install or invoke the pack; teach the command line`,
		`skill|hidden|HARNESS.md line 13 has an HTML comment, which an agent reads and a person does not see`,
	)
	for range 5 {
		again, err := lint.Dir(f.plant(t))
		if err != nil || !slices.Equal(issues(again.Issues), issues(first.Issues)) {
			t.Fatal("the order is not stable")
		}
	}
}

func TestTheIDIsKnownWhereAFileTellsIt(t *testing.T) {
	for _, c := range []struct {
		name  string
		files files
		id    string
	}{
		{"all is well", clean(), "demo"},
		{"manifest with a fault after the id", clean().and("surface.json", `{"name":"x","id":"demo","verbs":{`), "demo"},
		{"manifest with a fault before the id", clean().and("surface.json", `{"name":}`), "demo"},
		{"manifest with two ids", clean().and("surface.json", `{"id":"demo","id":"other"}`), "demo"},
		{"only a Policy", clean().without("surface.json"), "demo"},
		{"an id that climbs", clean().and("surface.json", `{"id":"../x","verbs":{}}`), "../x"},
		{"nothing", files{}, ""},
		{"an id that is not one in broken files", files{"surface.json": `{"id":"../x",`}, ""},
	} {
		report, err := lint.Dir(c.files.plant(t))
		if err != nil || report.PackID != c.id {
			t.Errorf("%s: %q, %v", c.name, report.PackID, err)
		}
	}
	report := check(t, files{}, `missing_surface|surface.json|HCP pack "folder" missing surface.json`,
		`missing_policy|policy.json|HCP pack "folder" missing policy.json`, `missing_harness|HARNESS.md|HCP pack "folder" missing HARNESS.md skill`)
	if report.PackID != "" {
		t.Error("a guess is given out as the id")
	}
	if _, err := lint.Dir(filepath.Join(t.TempDir(), "absent")); fault.CodeOf(err) != "no_pack" {
		t.Errorf("%v", err)
	}
}

func TestNotesSayWhatIsNoFault(t *testing.T) {
	for _, c := range []struct {
		name  string
		files files
		note  string
	}{
		{"unknown top-level field", with("surface.json", `"kind"`, `"later":{"x":1},"kind"`), "surface.json /later is not a field of HCP/1.1 and is ignored"},
		{"unknown command field", with("surface.json", `"description":"Lists."`, `"later":1`), "surface.json /verbs/list/later is not a field of a command and is ignored"},
		{"deprecated Skill text", with("surface.json", `"kind"`, `"harness":"# Old","kind"`), "surface.json /harness is deprecated: HARNESS.md holds the Skill"},
		{"pass_through", with("surface.json", `"kind"`, `"pass_through":{"allowedSubcommands":["x"],"maxArgv":1},"kind"`), "surface.json /pass_through is for a bootstrap only: name the commands"},
		{"id by the text alone", with("surface.json", `"id":"demo"`, `"id":"demo_1.x"`).and("policy.json", strings.Replace(policy, `"demo"`, `"demo_1.x"`, 1)), `surface.json /id "demo_1.x" is not an id by the published schema`},
		{"key by the text alone", with("surface.json", `"list":`, `"list_all":`).and("policy.json", strings.Replace(policy, `"list"`, `"list_all"`, 1)).and("HARNESS.md", strings.Replace(skill, "`list`", "`list_all`", 1)), `surface.json /verbs command "list_all" is not a key by the published schema`},
		{"hint against the Policy", with("surface.json", `"description":"Lists."`, `"policy":"write"`), `the manifest calls command "list" a write and the Policy, which decides, a read`},
		{"hint of another word", with("surface.json", `"description":"Lists."`, `"policy":"admin"`), `surface.json /verbs/list/policy is a hint that should be "read" or "write"`},
		{"program that is not in the pack", with("surface.json", `"bin":"demo"`, `"bin":"./bin/demo"`), `wrap.bin "./bin/demo" is not in the pack`},
		{"program that nobody may execute", with("surface.json", `"bin":"demo"`, `"bin":"./bin/demo"`).and("bin/demo", "#!/bin/sh\n"), `wrap.bin "./bin/demo" is not executable, so no command can run; chmod +x makes it so`},
		{"empty command line", with("surface.json", `"cli":["demo","list"]`, `"cli":[]`), `command "list" has an empty cli, which counts as none`},
		{"placeholder of no argument", with("surface.json", `"cli":["demo","list"]`, `"args":{"properties":{"a":{}}},"cli":["demo","list","{{a}}","--at={{zz}}"]`), `cli of command "list" has the placeholder "{{zz}}", which is no argument of it and is always left out`},
		{"reserved argument", with("surface.json", `"description":"Lists."`, `"args":{"type":"object","properties":{"confirm":{"type":"boolean"}}}`), `command "list" declares the argument "confirm", which is reserved and reaches no command`},
		{"command that the table leaves out", with("HARNESS.md", "| `transfer` |", "| … |", "Paying", "`transfer`"), "the table of commands in HARNESS.md leaves out \"transfer\""},
		{"Skill with a byte order mark", clean().and("HARNESS.md", "\uFEFF"+skill), "HARNESS.md begins with a byte order mark"},
		{"section on triggers without any", with("HARNESS.md", "## Anti", "## Sense\n\nNone.\n\n## Anti").and("surface.json", strings.Replace(surface, `{"ref":"new_item"}`, "", 1)).and("policy.json", strings.Replace(policy, `"new_item":{"operation":"read","privacy":{"land":"personal"}}`, "", 1)), "HARNESS.md line 12 has a section on triggers, and the manifest declares none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := check(t, c.files)
			found := slices.ContainsFunc(report.Notes, func(n string) bool { return strings.HasPrefix(n, c.note) })
			if c.name == "hint of another word" {
				// It contradicts the Policy as well.
				found = found && len(report.Notes) == 2
			}
			if !found {
				t.Errorf("notes are %q", report.Notes)
			}
		})
	}
}

func TestAPackInMemoryIsLintedLikeOneOnDisk(t *testing.T) {
	p, err := pack.Load(clean().plant(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := issues(lint.Pack(p)); len(got) > 0 {
		t.Errorf("%q", got)
	}
	delete(p.Policy.Verbs, "transfer")
	p.Manifest.Kind, p.Manifest.Plane = hcp.KindOpenAPI, hcp.PlaneControl
	p.Policy.SurfaceID = "dmo"
	p.Skill = strings.Replace(p.Skill, "`list`", "/opt/list", 1)
	p.Manifest.Wrap.AgentEnv = map[string]string{"DEMO_TOKEN": "x"}
	want := []string{
		`binding|plane|control plane packs default Binding mothership`,
		`invalid_meta|openapi|openapi adapter requires openapi ref`,
		`missing_verb|demo|policy surface_id "dmo" !== "demo"`,
		`missing_verb|transfer|verb "transfer" missing from policy.json`,
		`skill|list|HARNESS.md never names the command "list" in backticks`,
		`skill|path|HARNESS.md line 9 has the host path "/opt/…"; use a relative path or "~/.hcp/…"`,
		`binding|secret|surface.json "/wrap/agent_env/DEMO_TOKEN" holds a value for "DEMO_TOKEN"; the runtime's hub gives credentials, not the pack`,
	}
	if got := issues(lint.Pack(p)); !slices.Equal(got, want) {
		t.Errorf("got\n  %s", strings.Join(got, "\n  "))
	}
	empty := &pack.Pack{ID: "none"}
	if got := issues(lint.Pack(empty)); !slices.Contains(got, `missing_harness|HARNESS.md|HCP pack "none" missing HARNESS.md skill`) {
		t.Errorf("%q", got)
	}
}
