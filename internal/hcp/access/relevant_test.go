package access

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bridle/hcp"
)

// sameDecision holds the short reading against the full one: both fail alike, or
// both decide alike about the command, with the same rule at the same place.
func sameDecision(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, call Request,
) {
	t.Helper()
	full, fullErr := ParseConfig([]byte(text))
	short, at, shortErr := ParseConfigFor([]byte(text), call.PackID, call.Key)
	if fmt.Sprint(fullErr) != fmt.Sprint(shortErr) {
		t.Fatalf("%s\nin full: %v\nin short: %v", text, fullErr, shortErr)
	}
	if fullErr != nil {
		return
	}
	for _, project := range []bool{false, true} {
		var one, other Layers
		if project {
			one.Project = full
			other.Project, other.ProjectAt = short, at
		} else {
			one.User = full
			other.User, other.UserAt = short, at
		}
		a, b := Merge(one), Merge(other)
		want, got := Decide(call, a.For(call.PackID)), Decide(call, b.For(call.PackID))
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("%s\nabout %+v\nin full: %+v\nin short: %+v", text, call, want, got)
		}
	}
}

// settingsText draws an access.json as a person or a program may have written
// it: mostly valid, laid out in any way.
func settingsText(t *rapid.T) string {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	gap := func() string { return pick("gap", "", "", "", " ", "\n\t") }
	list := func(label string, most int, item func() string) string {
		var items []string
		for range rapid.IntRange(0, most).Draw(t, label) {
			items = append(items, gap()+item()+gap())
		}
		return strings.Join(items, ",")
	}
	value := func() string {
		return pick("value", `"x"`, `"X "`, `"\u0078"`, `"ü"`, `1`, `1.0`, `-3`, `007`, `1e3`, `true`, `false`, `null`, `["x",1]`, `[]`, `{}`, "\"\x80\"", `"a"b`)
	}
	member := func() string { return pick("name", `"a"`, `"b"`, `"c"`, `"\u0061"`) + gap() + ":" + gap() + value() }
	when := func() string {
		return "{" + list("conditions", 3, func() string {
			switch pick("condition", "args", "max", "op", "other") {
			case "args":
				return `"args":{` + list("args", 2, member) + "}"
			case "max":
				return `"max":{` + list("max", 2, member) + "}"
			case "op":
				return `"op":` + pick("op", `"read"`, `"write"`, `""`, `"both"`)
			}
			return `"not":1`
		}) + "}"
	}
	rule := func() string {
		if pick("kind", "rule", "rule", "rule", "rule", "odd") == "odd" {
			return pick("odd", `{}`, `null`, `[]`, `7`, `{"match":"*"}`, `{"match":"*","decision":"deny"`, `"]"`, `{"note":"]},{"}`)
		}
		parts := []string{
			`"match":` + pick("match", `"*"`, `"p.*"`, `"p.k"`, `"q.k"`, `"q.*"`, `"k.l"`, `"p.k.l"`, `"q.p.k"`, `"P.k"`, `"p.\u006b"`, `""`),
			`"decision":` + pick("decision", `"allow"`, `"ask"`, `"deny"`, `"Deny"`),
		}
		switch pick("more", "", "", "note", "when", "when", "twice") {
		case "note":
			parts = append(parts, `"note":`+pick("note", `"fares"`, `"für \"alle\""`, `"\ud800"`, "\"\x01\"", `"für"`, `"`+strings.Repeat("x", 501)+`"`))
		case "when":
			parts = append([]string{`"when":` + when()}, parts...)
		case "twice":
			parts = append(parts, parts[0])
		}
		return "{" + gap() + strings.Join(parts, gap()+","+gap()) + gap() + "}"
	}
	rules := func() string { return `"rules"` + gap() + ":" + gap() + "[" + list("rules", 6, rule) + gap() + "]" }
	text := gap() + "{" + list("members", 3, func() string {
		switch pick("member", "rules", "rules", "mode", "packs", "projects", "other") {
		case "rules":
			return rules()
		case "mode":
			return `"mode":` + pick("mode", `"auto"`, `"run"`, `"manual"`, `"ruin"`)
		case "packs":
			return `"packs":{"p":{"mode":"manual"}}`
		case "projects":
			return `"projects":["a]","\"rules\":[","{"]`
		}
		return pick("other", `"rul\u0065s":[]`, `"x":1`, `"rules":{}`, `"approvals":"human"`)
	}) + "}" + gap()
	if pick("cut", "no", "no", "no", "no", "yes") == "yes" {
		return text[:rapid.IntRange(0, len(text)).Draw(t, "at")]
	}
	return text
}

func TestSettingsReadForACommandDecideAsAllOfThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := settingsText(t)
		call := Request{
			PackID:    rapid.SampledFrom([]string{"p", "q", "p.k"}).Draw(t, "pack"),
			Key:       rapid.SampledFrom([]string{"k", "l", "k.l", "p.k", "p"}).Draw(t, "key"),
			Operation: rapid.SampledFrom([]hcp.Operation{"read", "write"}).Draw(t, "call op"),
			Confirm:   rapid.SampledFrom([]hcp.Confirm{"", "true", "always"}).Draw(t, "confirm"),
			Confirmed: rapid.Bool().Draw(t, "confirmed"),
		}
		if rapid.Bool().Draw(t, "with arguments") {
			call.Args = hcp.Args{"a": "x", "b": json.Number("1")}
		}
		sameDecision(t, text, call)
	})
}

// What is read without the general decoder is what that decoder reads.
func TestPlainSettingsAreWhatTheDecoderReads(t *testing.T) {
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		text := settingsText(t)
		got, ok := plainConfig([]byte(text))
		if !ok {
			return
		}
		plain++
		want, err := ParseConfig([]byte(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nplainly: %+v\ndecoded: %+v, %v", text, got, want, err)
		}
	})
	if plain == 0 {
		t.Error("no settings were plain")
	}
	for text, want := range map[string]bool{
		`{"mode":"auto","approvals":"human","rules":[]}`: true,
		` { "rules" : [ {"match":"p.k","decision":"deny","note":"für","when":{"op":"write","max":{"a":-5,"b":-0},"args":{"b":"x","c":null,"d":7,"e":true}}} , {"match":"*","decision":"ask","when":{"max":{},"args":{}}} ] } `: true,
		`{}`:                           true,
		`{"mode":"auto","mode":"run"}`: false,
		`{"mode":"ruin"}`:              false,
		`{"mode":"auto"} x`:            false,
		`{"mode":"a\u0075to"}`:         false,
		`{"approvals":"human","x":1}`:  false,
		`{"rules":[{"match":"p.k"}]}`:  false,
		`{"rules":[{"match":"p.k","decision":"ask"},]}`:                                 false,
		`{"rules":[{"match":"p.k","decision":"ask"} {"match":"p.k","decision":"ask"}]}`: false,
		`{"rules":null}`:          false,
		`{"mode":"auto"`:          false,
		"{\"mode\":\"auto\x80\"}": false,
	} {
		got, ok := plainConfig([]byte(text))
		if ok != want {
			t.Errorf("%s is plain: %v", text, ok)
		}
		if full, err := ParseConfig([]byte(text)); ok && (err != nil || !reflect.DeepEqual(got, full)) {
			t.Errorf("%s\nplainly: %+v\ndecoded: %+v, %v", text, got, full, err)
		}
	}
}

func FuzzSettingsReadForACommand(f *testing.F) {
	for _, text := range []string{
		`{"mode":"auto","rules":[{"match":"q.k","decision":"deny"},{"match":"p.*","decision":"ask","when":{"max":{"a":5},"args":{"b":"x"}},"note":"n"}]}`,
		`{"rules":[{"match":"p.k","decision":"allow"}],"rules":[]}`,
		`{"projects":["]"],"rules":[{"match":"q.k","decision":"deny","when":{"op":"read"}},]}`,
		`{"rules":[{"match":"q.k","decision":"deny","when":{"max":{"a":1e400}}}]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, key := range []string{"k", "p.k", "l"} {
			sameDecision(t, text, Request{PackID: "p", Key: key, Operation: "read", Args: hcp.Args{"a": "x", "b": json.Number("1")}})
		}
	})
}

func TestRulesAboutOtherCommandsAreLeftOut(t *testing.T) {
	var rules []string
	for i := range 1000 {
		rules = append(rules, fmt.Sprintf(`{"match":"pack%d.command","decision":"ask","when":{"max":{"amount":%d},"args":{"to":"x","free":true}},"note":"für %d"}`, i, i, i))
	}
	text := `{"mode":"run","rules":[` + strings.Join(rules, ", ") + `],"approvals":"human"}`
	c, at, err := ParseConfigFor([]byte(text), "pack7", "command")
	if err != nil || len(c.Rules) != 1 || !reflect.DeepEqual(at, []int{7}) || c.Mode != "run" || c.Approvals != "human" {
		t.Fatalf("%v %v %+v", err, at, c)
	}
	verdict := Decide(Request{PackID: "pack7", Key: "command", Operation: "read", Args: hcp.Args{"amount": json.Number("3"), "to": "x", "free": true}},
		func() Settings { e := Merge(Layers{User: c, UserAt: at}); return e.For("pack7") }())
	if verdict.Decision != Ask || !strings.Contains(verdict.Reason, "user rule 7 ") {
		t.Fatalf("%+v", verdict)
	}
}

func BenchmarkSettingsForOneCommand(b *testing.B) {
	var rules []string
	for i := range 1000 {
		rules = append(rules, fmt.Sprintf(`{"match":"pack%d.command","decision":"ask","when":{"max":{"amount":%d}}}`, i, i))
	}
	text := []byte(`{"mode":"auto","rules":[` + strings.Join(rules, ",") + `]}`)
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			if _, err := ParseConfig(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := ParseConfigFor(text, "transit", "status"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestWhatIsPlainlyAPatternIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`\.?[a-z0-9.*_-]{0,12}\.[a-z0-9.*-]{0,12}|(con|com1|nul)\.[a-z]|[a-z0-9-]{1,140}\.[a-z]{1,3}`).Draw(t, "text")
		if isPlainPattern([]byte(text)) && !IsPattern(text) {
			t.Fatalf("%q", text)
		}
	})
	if !isPlainPattern([]byte("transit.status")) {
		t.Error("no pattern is plain")
	}
}
