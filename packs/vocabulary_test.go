package packs

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"

	"github.com/go-json-experiment/json"
)

// loaded is one pack in the terms of the vocabulary.
type loaded struct {
	id       string
	manifest hcp.Manifest
	policy   hcp.Policy
	skill    string
}

// argument is what a pack says about one argument of a command.
type argument struct {
	Type        string `json:"type"`
	Description string `json:"description"`
	Examples    []any  `json:"examples"`
	Position    *int   `json:"x-position"`
}

type schema struct {
	Type       string              `json:"type"`
	Properties map[string]argument `json:"properties"`
	Required   []string            `json:"required"`
}

func load(t *testing.T, id string) loaded {
	t.Helper()
	p := loaded{id: id}
	read := func(name string) []byte {
		data, err := fs.ReadFile(FS(), id+"/"+name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if err := json.Unmarshal(read("surface.json"), &p.manifest, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s/surface.json: %v", id, err)
	}
	if err := json.Unmarshal(read("policy.json"), &p.policy, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s/policy.json: %v", id, err)
	}
	p.skill = string(read("HARNESS.md"))
	return p
}

func eachPack(t *testing.T, check func(t *testing.T, p loaded)) {
	for _, id := range IDs() {
		t.Run(id, func(t *testing.T) { check(t, load(t, id)) })
	}
}

func (p loaded) args(t *testing.T, c hcp.Command) schema {
	t.Helper()
	var s schema
	if c.Args == nil {
		return s
	}
	if err := json.Unmarshal(c.Args, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

var placeholder = regexp.MustCompile(`\{\{([^}]*)\}\}`)

func placeholders(text string) []string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

func TestPolicyCoversEveryCommandBothWays(t *testing.T) {
	eachPack(t, func(t *testing.T, p loaded) {
		if p.manifest.ID != p.id || p.policy.SurfaceID != p.id || p.policy.Version != 1 {
			t.Errorf("id %q, surface_id %q, version %d", p.manifest.ID, p.policy.SurfaceID, p.policy.Version)
		}
		for key, c := range p.manifest.Verbs.All() {
			row, ok := p.policy.Verbs[key]
			if !ok {
				t.Errorf("%s has no Policy row", key)
			}
			if c.Policy != "" && c.Policy != string(row.Operation) {
				t.Errorf("%s hints %s and is %s", key, c.Policy, row.Operation)
			}
		}
		for key, row := range p.policy.Verbs {
			if _, ok := p.manifest.Verbs.Get(key); !ok {
				t.Errorf("Policy names %s", key)
			}
			if !slices.Contains([]hcp.Operation{hcp.OperationRead, hcp.OperationWrite}, row.Operation) ||
				!slices.Contains([]hcp.Land{hcp.LandPersonal, hcp.LandBrain, hcp.LandLocal}, row.Privacy.Land) {
				t.Errorf("%s: %+v", key, row)
			}
			if row.Confirm != hcp.ConfirmNone && row.Operation != hcp.OperationWrite {
				t.Errorf("%s confirms a read", key)
			}
		}
		if len(p.policy.Stimuli) != len(p.manifest.StimulusTriggers) {
			t.Errorf("triggers %v, stimuli %v", p.manifest.StimulusTriggers, p.policy.Stimuli)
		}
		for _, trigger := range p.manifest.StimulusTriggers {
			if row, ok := p.policy.Stimuli[trigger.Ref]; !ok || row.Operation != hcp.OperationRead {
				t.Errorf("trigger %s: %+v", trigger.Ref, row)
			}
		}
	})
}

func TestEveryArgumentIsDeclaredAndExplained(t *testing.T) {
	eachPack(t, func(t *testing.T, p loaded) {
		for key, c := range p.manifest.Verbs.All() {
			s := p.args(t, c)
			used := placeholders(strings.Join(c.CLI, " "))
			slices.Sort(used)
			declared := []string{}
			for name, a := range s.Properties {
				declared = append(declared, name)
				if len(a.Description) < 20 || len(a.Examples) == 0 {
					t.Errorf("%s %s: description %q, examples %v", key, name, a.Description, a.Examples)
				}
				want := map[string]string{"string": "string", "integer": "float64", "boolean": "bool"}[a.Type]
				for _, example := range a.Examples {
					if got := fmt.Sprintf("%T", example); got != want {
						t.Errorf("%s %s: example %v of type %s is no %s", key, name, example, got, a.Type)
					}
				}
				if slices.Contains([]string{"confirm", "apply", "mode", "argv"}, name) {
					t.Errorf("%s: argument %s has a reserved name", key, name)
				}
			}
			slices.Sort(declared)
			if !slices.Equal(declared, slices.Compact(used)) && len(declared)+len(used) > 0 {
				t.Errorf("%s: declared %v, used in cli %v", key, declared, used)
			}
			for _, name := range s.Required {
				if _, ok := s.Properties[name]; !ok {
					t.Errorf("%s requires %s", key, name)
				}
			}
		}
	})
}

func TestCommandsAreWordedForPeople(t *testing.T) {
	eachPack(t, func(t *testing.T, p loaded) {
		for key, c := range p.manifest.Verbs.All() {
			if len(c.Description) < 20 || strings.Count(strings.TrimSuffix(c.Description, "."), ". ") > 0 || !strings.HasSuffix(c.Description, ".") {
				t.Errorf("%s: description %q", key, c.Description)
			}
			if len(c.CLI) < 2 || c.CLI[0] != p.manifest.CLIBin {
				t.Errorf("%s: cli %v", key, c.CLI)
			}
			if c.Title == nil || len(c.Title.Live) == 0 || len(c.Title.Done) == 0 {
				t.Errorf("%s has no title", key)
				continue
			}
			args := p.args(t, c).Properties
			for _, form := range [][]string{c.Title.Live, c.Title.Done} {
				if len(placeholders(form[len(form)-1])) != 0 {
					t.Errorf("%s: the last title of %v needs a value", key, form)
				}
				for _, name := range placeholders(strings.Join(form, " ")) {
					_, known := args[name]
					if result := strings.HasPrefix(name, "result."); !known && !(result && &form[0] == &c.Title.Done[0]) {
						t.Errorf("%s: title names %s", key, name)
					}
				}
			}
		}
	})
}

func TestConfirmedCommandsShowACardAndTheirFlag(t *testing.T) {
	kinds := []string{"message", "payment", "event", "removal", "publish", "record", "fields"}
	eachPack(t, func(t *testing.T, p loaded) {
		for key, c := range p.manifest.Verbs.All() {
			gated := p.policy.Verbs[key].Confirm != hcp.ConfirmNone
			if gated != slices.Contains(c.CLI, "--confirm") || gated != (c.Preview != nil) {
				t.Errorf("%s: gated %v, cli %v, preview %v", key, gated, c.CLI, c.Preview)
			}
			if c.Preview == nil {
				continue
			}
			args := p.args(t, c).Properties
			text := c.Preview.Title
			for _, template := range c.Preview.Fields.All() {
				text += " " + template
			}
			for _, name := range placeholders(text) {
				if _, ok := args[name]; !ok {
					t.Errorf("%s: preview names %s", key, name)
				}
			}
			if !slices.Contains(kinds, c.Preview.Kind) {
				t.Errorf("%s: preview kind %q", key, c.Preview.Kind)
			}
		}
	})
}

func TestSkillsTeachExactlyTheCommands(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\| (read|write|write \\+ confirm) \\|$")
	eachPack(t, func(t *testing.T, p loaded) {
		title, rest, _ := strings.Cut(p.skill, "\n")
		if title != "# HCP — "+p.manifest.Name {
			t.Errorf("title %q", title)
		}
		lead, _, found := strings.Cut(rest, "\n## ")
		lead = strings.TrimSpace(lead)
		if n := len([]rune(lead)); !found || n == 0 || n > 480 || !strings.Contains(lead, "login") || !strings.Contains(lead, "Run `") && !strings.Contains(lead, "run `") {
			t.Errorf("lead of %d characters: %q", n, lead)
		}
		teaching, anti, found := strings.Cut(p.skill, "\n## Anti-patterns\n")
		if n := strings.Count(anti, "\n- "); !found || n < 3 || n > 6 {
			t.Errorf("%d anti-patterns", n)
		}
		taught := map[string]bool{}
		for _, m := range row.FindAllStringSubmatch(teaching, -1) {
			key, line, policy := m[1], m[2], m[3]
			taught[key] = true
			entry, ok := p.policy.Verbs[key]
			want := string(entry.Operation)
			if entry.Confirm != hcp.ConfirmNone {
				want += " + confirm"
			}
			if !ok || policy != want {
				t.Errorf("%s is taught as %q, want %q", key, policy, want)
			}
			if !strings.HasPrefix(line, p.manifest.CLIBin+" ") || strings.Contains(want, "confirm") != strings.Contains(line, "--confirm") {
				t.Errorf("%s is taught as %s", key, line)
			}
		}
		for _, key := range p.manifest.Verbs.Keys() {
			if !taught[key] {
				t.Errorf("%s is not in the hot-path table", key)
			}
		}
		if binding := p.manifest.BindingMode(); (binding != hcp.BindingPublic) != strings.Contains(p.skill, "\n## Setup") {
			t.Errorf("Binding %s and the Setup section do not fit", binding)
		}
		if lines := strings.Count(p.skill, "\n"); lines > 80 {
			t.Errorf("%d lines are more than a screen", lines)
		}
		for _, path := range []string{"/Users/", "/home/", "/root/", "/opt/", "/srv/"} {
			if strings.Contains(p.skill, path) {
				t.Errorf("the Skill names %s", path)
			}
		}
	})
}

func TestEvalCasesNameRealCommandsAndRefuseEveryGatedWrite(t *testing.T) {
	type expect struct {
		OK          *bool    `json:"ok"`
		Error       string   `json:"error"`
		Contains    []string `json:"contains"`
		NotContains []string `json:"not_contains"`
		JSON        *bool    `json:"json"`
		MaxMS       float64  `json:"max_ms"`
		MaxTokens   float64  `json:"max_tokens"`
	}
	var file struct {
		Schema string `json:"$schema"`
		Cases  []struct {
			Name   string         `json:"name"`
			Verb   string         `json:"verb"`
			Args   map[string]any `json:"args"`
			Expect expect         `json:"expect"`
		} `json:"cases"`
	}
	eachPack(t, func(t *testing.T, p loaded) {
		data, err := fs.ReadFile(FS(), p.id+"/hcp.eval.json")
		if err != nil {
			t.Fatal(err)
		}
		file.Cases = nil
		if err := json.Unmarshal(data, &file, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		names, refused, reads := map[string]bool{}, map[string]bool{}, 0
		for _, c := range file.Cases {
			entry, ok := p.policy.Verbs[c.Verb]
			if !ok || c.Name == "" || names[c.Name] || c.Expect.OK == nil {
				t.Errorf("case %q of %q", c.Name, c.Verb)
			}
			names[c.Name] = true
			if entry.Operation == hcp.OperationRead && *c.Expect.OK {
				reads++
			}
			if !*c.Expect.OK && c.Expect.Error == "confirm required" && c.Args["confirm"] == nil {
				refused[c.Verb] = true
			}
		}
		if reads == 0 || file.Schema != "https://harnesscontextprotocol.io/schemas/hcp.eval.json" {
			t.Errorf("%d reads, schema %q", reads, file.Schema)
		}
		for key, entry := range p.policy.Verbs {
			if entry.Confirm != hcp.ConfirmNone && !refused[key] {
				t.Errorf("no case refuses %s", key)
			}
		}
	})
}

func TestBootstrapPackHasItsEighteenCommands(t *testing.T) {
	p := load(t, "hcp-cli")
	keys := p.manifest.Verbs.Keys()
	for _, name := range strings.Fields("doctor availability list search install activate connect exec lint generate adopt skill share") {
		if !slices.Contains(keys, "hcp."+name) {
			t.Errorf("hcp.%s is missing", name)
		}
	}
	if len(keys) != 18 {
		t.Errorf("%d commands: %v", len(keys), keys)
	}
}

// What the protocol has the Skill of the command line say about access.
func TestSkillOfTheBootstrapTellsAgentsHowAccessIsAnswered(t *testing.T) {
	data, err := fs.ReadFile(FS(), "hcp-cli/HARNESS.md")
	if err != nil {
		t.Fatal(err)
	}
	skill := strings.Join(strings.Fields(string(data)), " ")
	for _, want := range []string{
		"follow the `hint` of that answer", "Stop at `denied_by_rule` and tell the user", "in named arguments, one risky command in each call",
		"Running `hcpx approve`, `reject`, `mode`, `allow`, `ask`, `deny` or `rules rm`. They belong to a person",
	} {
		if !strings.Contains(skill, want) {
			t.Errorf("the Skill does not say %q", want)
		}
	}
}

func TestProofScriptsAreValidShell(t *testing.T) {
	needs(t, "sh")
	eachPack(t, func(t *testing.T, p loaded) {
		path := script(t, p.id, "../proof.sh")
		if got := start(t, command{path: "/bin/sh", args: []string{"-n", path}}); got.code != 0 {
			t.Error(got.stderr)
		}
		// A runtime that refuses everything must not pass the proof.
		if got := start(t, command{path: "/bin/sh", args: []string{path}, env: []string{"HCPX=/bin/false"}}); got.code == 0 {
			t.Error("the proof passes without a runtime")
		}
	})
}

// Packs are installed one by one, so each carries its own copy of what they have
// in common: the lines that turn bytes into JSON text, and files of one name below
// lib. The copies must not drift.
func TestCommonPartsOfPacksAreTheSame(t *testing.T) {
	block := regexp.MustCompile(`(?s)# --- json text: .*# --- end of json text ---`)
	copies := map[string]map[string]string{} // part → content → a file that has it
	add := func(part, content, file string) {
		if copies[part] == nil {
			copies[part] = map[string]string{}
		}
		copies[part][content] = file
	}
	for _, id := range IDs() {
		walk(t, FS(), id, func(name string, info fs.FileInfo) {
			if info.IsDir() {
				return
			}
			data, err := fs.ReadFile(FS(), name)
			if err != nil {
				t.Fatal(err)
			}
			if found := block.FindString(string(data)); found != "" {
				add("json text", found, name)
			}
			if strings.HasSuffix(name, ".awk") {
				add(name[strings.LastIndex(name, "/"):], string(data), name)
			}
		})
	}
	for part, contents := range copies {
		if len(contents) != 1 {
			t.Errorf("%s differs between %v", part, slices.Collect(maps.Values(contents)))
		}
	}
	if len(copies["json text"]) == 0 || len(copies["/records.awk"]) == 0 {
		t.Errorf("the common parts were not found: %d", len(copies))
	}
}
