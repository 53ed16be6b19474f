package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bridle/hound"
	"bridle/internal/hound/conversation"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/fault"
	houndspec "bridle/spec/hound"
)

func elsewhere(t testing.TB) []byte {
	t.Helper()
	data, err := houndspec.Interop.ReadFile("interop/elsewhere/plan.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// response is a proposal with some data.
func response(t testing.TB, data string) *hound.Response {
	t.Helper()
	r, err := conversation.ParseResponse([]byte(`{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"planned","data":` + data + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	sumA = document.Sum([]byte("a"))
	sumB = document.Sum([]byte("b"))
)

func effect(path, mode, before, after string) string {
	text := func(s string) string {
		if s == "" {
			return "null"
		}
		return `"` + s + `"`
	}
	return fmt.Sprintf(`{"path":%q,"mode":%s,"before_sha256":%s,"after_sha256":%s}`, path, text(mode), text(before), text(after))
}

func effects(list ...string) string { return `{"expected_effects":[` + strings.Join(list, ",") + `]}` }

func TestPlanMadeElsewhereIsReadAndKeepsItsID(t *testing.T) {
	p, err := Parse(elsewhere(t))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(p.Line(), elsewhere(t)) {
		t.Error("the plan is written otherwise than it was read")
	}
	if len(p.Expected.Effects) != 1 || p.Expected.Effects[0].Path != "notes/today.txt" {
		t.Errorf("%+v", p.Expected)
	}
}

// Equal inputs make equal ids, wherever they are made: only kernel and
// fingerprint are taken over.
func TestSealMakesTheIDThatOthersMake(t *testing.T) {
	p, err := Parse(elsewhere(t))
	if err != nil {
		t.Fatal(err)
	}
	bare := p.Plan
	bare.PlanID, bare.InputSHA256, bare.WriteScopeSHA256, bare.SchemaVersion = "", "", "", ""
	again, err := Seal(bare)
	if err != nil || again.PlanID != p.PlanID {
		t.Fatalf("%v, %v", again, err)
	}
}

func TestEveryMemberOfAPlanIsBound(t *testing.T) {
	var members map[string]any
	if err := json.Unmarshal(elsewhere(t), &members); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		for what, change := range map[string]any{"changed": "x", "null": nil} {
			other := maps.Clone(members)
			other[name] = change
			data, err := json.Marshal(other)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Parse(data); !fault.Is(err, hound.CodeBadPlan) {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
		other := maps.Clone(members)
		delete(other, name)
		data, _ := json.Marshal(other)
		if _, err := Parse(data); !fault.Is(err, hound.CodeBadPlan) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"unknown member": strings.Replace(string(elsewhere(t)), `{"as_of"`, `{"extra":1,"as_of"`, 1),
		"member twice":   strings.Replace(string(elsewhere(t)), `{"as_of"`, `{"as_of":"2026-01-02","as_of"`, 1),
		"older version":  strings.Replace(string(elsewhere(t)), "hound.plan.v2", "hound.plan.v1", 1),
		"trailing text":  string(elsewhere(t)) + "{}",
		"another input":  strings.Replace(string(elsewhere(t)), `"good day"}`, `"bad day"}`, 1),
		"other effects":  strings.Replace(string(elsewhere(t)), "notes/today.txt", "notes/other.txt", 1),
	} {
		if _, err := Parse([]byte(text)); !fault.Is(err, hound.CodeBadPlan) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whoever changes a plan and computes its hash anew still has to keep its rules.
func TestPlanWithAProperIDStillKeepsItsRules(t *testing.T) {
	p, err := Parse(elsewhere(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*hound.Plan){
		"gated read":               func(p *hound.Plan) { p.Effect = hound.EffectRead },
		"unknown effect":           func(p *hound.Plan) { p.Effect = "delete" },
		"unknown gate":             func(p *hound.Plan) { p.Gate = "agent" },
		"kernel with dependencies": func(p *hound.Plan) { p.Kernel.Dependencies = map[string]string{"a": "b"} },
		"kernel without hash":      func(p *hound.Plan) { p.Kernel.SHA256 = "" },
		"manifest hash":            func(p *hound.Plan) { p.DriverManifestSHA256 = strings.ToUpper(p.DriverManifestSHA256) },
		"environment hash":         func(p *hound.Plan) { p.DriverEnvironmentSHA256 = "x" },
		"fingerprint":              func(p *hound.Plan) { p.RepoFingerprint.Head = "other" },
		"input that is a list":     func(p *hound.Plan) { p.Input = json.RawMessage("[]") },
		"unsorted scopes":          func(p *hound.Plan) { p.WriteScopes = []string{"z", "notes"} },
		"scope twice":              func(p *hound.Plan) { p.WriteScopes = []string{"notes", "notes"} },
		"scope upwards":            func(p *hound.Plan) { p.WriteScopes = []string{"..", "notes"} },
		"effects out of scope":     func(p *hound.Plan) { p.WriteScopes = []string{"other"} },
		"held proposal": func(p *hound.Plan) {
			p.Proposal = json.RawMessage(`{"schema_version":"hound.driver.response.v1","ok":false,"outcome":"held","data":{}}`)
		},
		"completed proposal": func(p *hound.Plan) {
			p.Proposal = json.RawMessage(`{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"completed","data":{}}`)
		},
		"driver id":    func(p *hound.Plan) { p.DriverID = "a b" },
		"operation id": func(p *hound.Plan) { p.Operation = "" },
	} {
		changed := p.Plan
		change(&changed)
		if _, err := Seal(changed); !fault.Is(err, hound.CodeBadPlan) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEffectsAreStrict(t *testing.T) {
	ok := effect("notes/a", "0644", "", sumA)
	for name, data := range map[string]string{
		"both forms":              `{"expected_effects":[],"expected_writes":[]}`,
		"no list":                 `{"expected_effects":{}}`,
		"null":                    `{"expected_effects":null}`,
		"path twice":              effects(ok, ok),
		"one path in two forms":   effects(ok, effect("./notes//a", "0644", "", sumA)),
		"file and folder":         effects(ok, effect("notes/a/b", "0644", "", sumA)),
		"missing member":          effects(`{"path":"notes/a","mode":"0644","after_sha256":"` + sumA + `"}`),
		"unknown member":          effects(strings.Replace(ok, "{", `{"size":1,`, 1)),
		"both hashes null":        effects(effect("notes/a", "0644", "", "")),
		"deletion with a mode":    effects(effect("notes/a", "0644", sumA, "")),
		"creation without a mode": effects(effect("notes/a", "", "", sumA)),
		"update without a mode":   effects(effect("notes/a", "", sumA, sumB)),
		"three digits":            effects(effect("notes/a", "644", "", sumA)),
		"set-id mode":             effects(effect("notes/a", "4755", "", sumA)),
		"mode of no octal digits": effects(effect("notes/a", "0689", "", sumA)),
		"short hash":              effects(effect("notes/a", "0644", "", sumA[1:])),
		"hash in upper case":      effects(effect("notes/a", "0644", "", strings.ToUpper(sumA))),
		"hash as a number":        effects(`{"path":"notes/a","mode":"0644","before_sha256":1,"after_sha256":"` + sumA + `"}`),
		"out of scope":            effects(effect("other/a", "0644", "", sumA)),
		"beside the scope":        effects(effect("notes2/a", "0644", "", sumA)),
		"upwards":                 effects(effect("notes/../other", "0644", "", sumA)),
		"upwards out of scope":    effects(effect("notes/../../a", "0644", "", sumA)),
		"absolute":                effects(effect("/notes/a", "0644", "", sumA)),
		"the root":                effects(effect(".", "0644", "", sumA)),
		"git's data":              effects(effect("notes/.git/hooks/x", "0755", "", sumA)),
		"a control character":     effects(effect("notes/a\tb", "0644", "", sumA)),
		"empty path":              effects(effect("", "0644", "", sumA)),
		"writes out of scope":     `{"expected_writes":["other"]}`,
		"writes as objects":       `{"expected_writes":[{"path":"notes/a"}]}`,
		"null among writes":       `{"expected_writes":[null]}`,
		"writes into git's data":  `{"expected_writes":["notes/.git/config"]}`,
	} {
		if e, err := ExpectedOf(response(t, data), []string{"notes"}); !fault.Is(err, hound.CodeBadEffects) {
			t.Errorf("%s: %+v, %v", name, e, err)
		} else if fault.From(err).Exit != hound.ExitRefused {
			t.Errorf("%s: exit %d", name, fault.From(err).Exit)
		}
	}
}

func TestEffectsAreSortedAndInOneForm(t *testing.T) {
	e, err := ExpectedOf(response(t, effects(
		effect("notes/z", "", sumA, ""), effect("./notes//b", "0600", sumA, sumB), effect(`notes\a`, "0755", "", sumA))), []string{"./notes/"})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Paths(), " "); got != "notes/a notes/b notes/z" {
		t.Error(got)
	}
	w, err := ExpectedOf(response(t, `{"expected_writes":["b","a","b","./a"]}`), []string{"."})
	if err != nil || strings.Join(w.Paths(), " ") != "a b" {
		t.Errorf("%v, %v", w, err)
	}
	none, err := ExpectedOf(response(t, `{}`), nil)
	if err != nil || len(none.Paths()) != 0 || none.Exact {
		t.Errorf("%v, %v", none, err)
	}
}

// world is a State made of a map.
type world map[string]FileState

func (w world) At(path string) FileState { return w[path] }

func file(sum, mode string) FileState { return FileState{Kind: KindFile, Mode: mode, SHA256: sum} }

func TestBeforeHashesAreComparedAtPlanning(t *testing.T) {
	folder := FileState{Kind: KindDirectory, Mode: "0755"}
	for name, c := range map[string]struct {
		effect string
		now    world
		ok     bool
	}{
		"creation":                  {effect("notes/a", "0644", "", sumA), world{}, true},
		"creation of what is there": {effect("notes/a", "0644", "", sumA), world{"notes/a": file(sumB, "0644")}, false},
		"creation over a folder":    {effect("notes/a", "0644", "", sumA), world{"notes/a": folder}, false},
		"creation over a link":      {effect("notes/a", "0644", "", sumA), world{"notes/a": {Kind: KindSymlink}}, false},
		"creation behind a link":    {effect("notes/a/b", "0644", "", sumA), world{"notes/a": {Kind: KindSymlink}}, false},
		"creation behind a file":    {effect("notes/a/b", "0644", "", sumA), world{"notes/a": file(sumA, "0644")}, false},
		"creation in new folders":   {effect("notes/x/y", "0644", "", sumA), world{"notes": folder}, true},
		"update":                    {effect("notes/a", "0644", sumA, sumB), world{"notes/a": file(sumA, "0600")}, true},
		"update of other bytes":     {effect("notes/a", "0644", sumA, sumB), world{"notes/a": file(sumB, "0644")}, false},
		"update of nothing":         {effect("notes/a", "0644", sumA, sumB), world{}, false},
		"deletion":                  {effect("notes/a", "", sumA, ""), world{"notes/a": file(sumA, "0644")}, true},
		"deletion of nothing":       {effect("notes/a", "", sumA, ""), world{}, false},
		"deletion of a pipe":        {effect("notes/a", "", sumA, ""), world{"notes/a": {Kind: "special"}}, false},
		"twin in another case":      {effect("notes/a", "0644", sumA, sumB), world{"notes/A": file(sumA, "0644")}, false},
		"twin composed otherwise":   {effect("notes/é", "0644", sumA, sumB), world{"notes/e\u0301": file(sumA, "0644")}, false},
	} {
		e, err := ExpectedOf(response(t, effects(c.effect)), []string{"notes"})
		if err != nil {
			t.Fatal(name, err)
		}
		if err := CheckBefore(e, c.now); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	legacy, err := ExpectedOf(response(t, `{"expected_writes":["notes/a"]}`), []string{"notes"})
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckBefore(legacy, world{"notes": {Kind: KindSymlink}}); err == nil {
		t.Error("a path behind a link is accepted in the older form")
	}
}

func TestAfterHashesAndModesAreComparedAtTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		effect string
		after  world
		ok     bool
	}{
		"as planned":        {effect("notes/a", "0640", "", sumA), world{"notes/a": file(sumA, "0640")}, true},
		"other bytes":       {effect("notes/a", "0640", "", sumA), world{"notes/a": file(sumB, "0640")}, false},
		"other mode":        {effect("notes/a", "0640", "", sumA), world{"notes/a": file(sumA, "0644")}, false},
		"set-id mode":       {effect("notes/a", "0755", "", sumA), world{"notes/a": file(sumA, "4755")}, false},
		"not written":       {effect("notes/a", "0640", "", sumA), world{}, false},
		"a link instead":    {effect("notes/a", "0640", "", sumA), world{"notes/a": {Kind: KindSymlink, Mode: "0640", SHA256: sumA}}, false},
		"deleted":           {effect("notes/a", "", sumA, ""), world{}, true},
		"not deleted":       {effect("notes/a", "", sumA, ""), world{"notes/a": file(sumA, "0644")}, false},
		"folder in between": {effect("notes/a/b", "0640", "", sumA), world{"notes/a": {Kind: KindSymlink}, "notes/a/b": file(sumA, "0640")}, false},
	} {
		e, err := ExpectedOf(response(t, effects(c.effect)), []string{"notes"})
		if err != nil {
			t.Fatal(name, err)
		}
		if miss := Misses(e, c.after); (miss == "") != c.ok {
			t.Errorf("%s: %q", name, miss)
		}
	}
}

func TestEveryBoundInputIsNamedWhenItMoved(t *testing.T) {
	p, err := Parse(elsewhere(t))
	if err != nil {
		t.Fatal(err)
	}
	if found := Compare(&p.Plan, &p.Plan); len(found) != 0 {
		t.Errorf("a plan differs from itself: %v", found)
	}
	for input, change := range map[string]func(*hound.Plan){
		"kernel":                    func(p *hound.Plan) { p.Kernel.SHA256 = sumA },
		"driver_id":                 func(p *hound.Plan) { p.DriverID = "x" },
		"driver_manifest_sha256":    func(p *hound.Plan) { p.DriverManifestSHA256 = sumA },
		"driver_environment_sha256": func(p *hound.Plan) { p.DriverEnvironmentSHA256 = sumA },
		"operation":                 func(p *hound.Plan) { p.Operation = "x" },
		"effect":                    func(p *hound.Plan) { p.Effect = "x" },
		"gate":                      func(p *hound.Plan) { p.Gate = "x" },
		"as_of":                     func(p *hound.Plan) { p.AsOf = "x" },
		"input":                     func(p *hound.Plan) { p.Input = json.RawMessage(`{"text":"x"}`) },
		"write_scopes":              func(p *hound.Plan) { p.WriteScopes = nil },
		"proposal":                  func(p *hound.Plan) { p.Proposal = json.RawMessage(`{}`) },

		"repo_fingerprint.head":                       func(p *hound.Plan) { p.RepoFingerprint.Head = "x" },
		"repo_fingerprint.index_state_sha256":         func(p *hound.Plan) { p.RepoFingerprint.IndexStateSHA256 = "x" },
		"repo_fingerprint.refs_state_sha256":          func(p *hound.Plan) { p.RepoFingerprint.RefsStateSHA256 = "x" },
		"repo_fingerprint.git_integrity":              func(p *hound.Plan) { p.RepoFingerprint.GitIntegrity = "x" },
		"repo_fingerprint.git_sensitive_state_sha256": func(p *hound.Plan) { p.RepoFingerprint.GitSensitiveStateSHA256 = "x" },
		"repo_fingerprint.staged_diff_sha256":         func(p *hound.Plan) { p.RepoFingerprint.StagedDiffSHA256 = "x" },
		"repo_fingerprint.unstaged_diff_sha256":       func(p *hound.Plan) { p.RepoFingerprint.UnstagedDiffSHA256 = "x" },
		"repo_fingerprint.tracked":                    func(p *hound.Plan) { p.RepoFingerprint.Tracked = map[string]string{"notes/keep.txt": "x"} },
		"repo_fingerprint.untracked":                  func(p *hound.Plan) { p.RepoFingerprint.Untracked = map[string]string{"new": "x"} },
	} {
		other := p.Plan
		change(&other)
		found := Compare(&p.Plan, &other)
		if len(found) == 0 || !slices.ContainsFunc(found, func(d Difference) bool { return d.Input == input }) {
			t.Errorf("%s: %v", input, found)
		}
		if err := Drifted(found); !fault.Is(err, hound.CodeDrift) || fault.From(err).Exit != hound.ExitRefused {
			t.Errorf("%s: %v", input, err)
		}
	}
}

func TestManyDifferencesAreCounted(t *testing.T) {
	was, is := map[string]string{}, map[string]string{}
	for i := range 100 {
		is[fmt.Sprintf("f%03d", i)] = "x"
	}
	found := comparePaths("untracked", was, is)
	if len(found) != maxNamed+1 || found[maxNamed].Detail != "and 80 more" {
		t.Errorf("%d: %v", len(found), found[len(found)-1])
	}
}

func TestBodiesAreOnlyThoseThatThePlanBinds(t *testing.T) {
	raw := `{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"planned","data":` +
		effects(effect("a", "0644", "", sumA), effect("b", "0644", "", sumB), effect("c", "0644", "", sumA)) + `,"artifacts":[
		{"path":"a","sha256":"` + sumA + `","body_base64":"YQ=="},
		{"path":"b","sha256":"` + sumA + `","body_base64":"YQ=="},
		{"path":"c","sha256":"` + sumA + `","body_base64":"Yg=="},
		{"path":"d","sha256":"` + sumA + `","body_base64":"YQ=="},
		{"any":"thing"}, 1, null]}`
	r, err := conversation.ParseResponse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	e, err := ExpectedOf(r, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	bodies := Bodies(&Plan{Response: r, Expected: e})
	if len(bodies) != 1 || string(bodies["a"]) != "a" {
		t.Errorf("%q", bodies)
	}
}

func TestAcceptedEffectsNeverLeaveTheirScopes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "b", "..", ".", "", ".git", ".GIT", "notes", "\\", "é"})
		path := strings.Join(rapid.SliceOfN(part, 1, 6).Draw(t, "parts"), rapid.SampledFrom([]string{"/", "\\"}).Draw(t, "separator"))
		scope := rapid.SampledFrom([]string{".", "a", "a/b", "notes"}).Draw(t, "scope")
		clean, err := scoped(path, []string{scope})
		if err != nil {
			return
		}
		if scope != "." && clean != scope && !strings.HasPrefix(clean, scope+"/") || strings.Contains("/"+clean+"/", "/../") ||
			strings.Contains(strings.ToLower("/"+clean+"/"), "/.git/") {
			t.Fatalf("%q is taken as %q in the scope %q", path, clean, scope)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(elsewhere(f))
	f.Add([]byte(`{"schema_version":"hound.plan.v1","plan_id":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := Parse(data); err == nil {
			again, err := Parse(p.Canonical)
			if err != nil || again.PlanID != p.PlanID {
				t.Errorf("the canonical form is not a fixed point: %v", err)
			}
		}
		if _, err := ParseRecorded(data); err != nil {
			return
		}
	})
}

func FuzzExpectedOf(f *testing.F) {
	f.Add(effects(effect("notes/a", "0644", "", sumA)))
	f.Add(`{"expected_writes":["a","b/c"]}`)
	f.Add(`{"expected_effects":[{"path":"..","mode":null,"before_sha256":null,"after_sha256":null}]}`)
	f.Fuzz(func(t *testing.T, data string) {
		r, err := conversation.ParseResponse([]byte(`{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"planned","data":` + data + `}`))
		if err != nil {
			return
		}
		e, err := ExpectedOf(r, []string{"notes"})
		if err != nil {
			return
		}
		for _, path := range e.Paths() {
			if path != "notes" && !strings.HasPrefix(path, "notes/") {
				t.Errorf("the path %q lies outside", path)
			}
		}
	})
}
