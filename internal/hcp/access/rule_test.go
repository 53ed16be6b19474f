package access

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
)

type jsonNumber = json.Number

func rule(match string, d Decision, when *hcp.AccessWhen) Rule {
	return Rule{AccessRule: hcp.AccessRule{Match: match, Decision: string(d), When: when}, Origin: User}
}

func decides(t *testing.T, call Request, rules ...Rule) Decision {
	t.Helper()
	if call.Operation == "" {
		call.Operation = hcp.OperationWrite
	}
	return Decide(call, Settings{Rules: rules}).Decision
}

func TestPatternsNameExactlyWhatTheySay(t *testing.T) {
	for _, c := range []struct {
		match, pack, key string
		denied           bool
	}{
		{"notes.delete", "notes", "delete", true},
		{"notes.*", "notes", "delete", true},
		{"*", "notes", "delete", true},
		{"gh.pr.merge", "gh", "pr.merge", true},
		{"echo.say", "echo", "echo.say", true}, // written without repeating the pack
		{"echo.echo.say", "echo", "echo.say", true},
		{"a.b.c", "a.b", "c", true}, // ids with dots: whoever may be meant
		{"a.b.c", "a", "b.c", true},
		{"notes.del", "notes", "delete", false},
		{"notes.delete.all", "notes", "delete", false},
		{"note.*", "notes", "delete", false},
		{"note.*", "note", "delete", true},
		{"Notes.delete", "notes", "delete", false},
		{"notes.Delete", "notes", "delete", false},
		{"n\u043etes.delete", "notes", "delete", false}, // a Cyrillic о
		{"echo.say", "other", "echo.say", false},
		{"", "notes", "delete", false},
	} {
		if got := decides(t, Request{PackID: c.pack, Key: c.key}, rule(c.match, Deny, nil)) == Deny; got != c.denied {
			t.Errorf("deny %q for %s %s: %v", c.match, c.pack, c.key, got)
		}
	}
}

func TestAnAllowNamesOneCommandOnly(t *testing.T) {
	for _, c := range []struct {
		match, pack, key string
		allowed          bool
	}{
		{"ledger.transfer", "ledger", "transfer", true},
		{"echo.echo.say", "echo", "echo.say", true},
		{"echo.say", "echo", "echo.say", false},
		{"a.b.c", "a", "b.c", true},
		{"a.b.c", "a.b", "c", false},
		{"ledger.*", "ledger", "transfer", false}, // wildcards never allow "always"
		{"*", "ledger", "transfer", false},
	} {
		call := Request{PackID: c.pack, Key: c.key, Confirm: hcp.ConfirmAlways}
		if got := decides(t, call, rule(c.match, Allow, nil)) == Allow; got != c.allowed {
			t.Errorf("allow %q for %s %s: %v", c.match, c.pack, c.key, got)
		}
	}
}

func TestPatternsThatAreNone(t *testing.T) {
	for pattern, want := range map[string]bool{
		"*": true, "gh.*": true, "gh.pr.list": true, "a-1.b2": true,
		"": false, ".": false, "gh": false, "gh.": false, ".list": false, "GH.list": false, "gh.List": false,
		"gh.pr.*": false, "g*.list": false, "**": false, "gh.*.list": false, "gh list": false, "gh/list": false,
		"gh\u200b.list": false, "gh.l\u0456st": false, "../x.y": false,
	} {
		if got := IsPattern(pattern); got != want {
			t.Errorf("%q: %v", pattern, got)
		}
	}
	if f := BadPattern("GH.List"); f.Code != "bad_pattern" || !strings.Contains(f.Hint, `"gh.list"`) {
		t.Errorf("%+v", f)
	}
}

func TestConditionsDecideWhetherARuleApplies(t *testing.T) {
	args := func(pairs ...any) hcp.Args {
		out := hcp.Args{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(string)] = pairs[i+1] //nolint:errcheck,forcetypeassert // the table's own names
		}
		return out
	}
	when := func(name string, value any) *hcp.AccessWhen {
		return &hcp.AccessWhen{Args: map[string]any{name: value}}
	}
	most := func(n json.Number) *hcp.AccessWhen {
		return &hcp.AccessWhen{Max: map[string]json.Number{"amount": n}}
	}
	for _, c := range []struct {
		name         string
		when         *hcp.AccessWhen
		args         hcp.Args
		allow, tight bool // does an allow rule apply, does a deny rule
	}{
		{"equal", when("payee", "demo"), args("payee", "demo"), true, true},
		{"other value", when("payee", "demo"), args("payee", "evil"), false, false},
		{"absent", when("payee", "demo"), args(), false, false},
		{"null in the call", when("payee", "demo"), args("payee", nil), false, false},
		{"other case", when("payee", "demo"), args("payee", "Demo"), false, true},
		{"space around", when("payee", "demo"), args("payee", "demo "), false, true},
		{"number as text", when("n", json.Number("5")), args("n", "5"), true, true},
		{"number written otherwise", when("n", "5"), args("n", "5.00"), false, true},
		{"boolean", when("force", true), args("force", "true"), true, true},
		{"one of a list", when("to", "evil@x"), args("to", []any{"a@x", "evil@x"}), false, true},
		{"same list", when("to", []any{"a@x", "b@x"}), args("to", []any{"a@x", "b@x"}), true, true},
		{"shorter list", when("to", []any{"a@x", "b@x"}), args("to", []any{"a@x"}), false, false},
		{"a list for a text", when("to", "a@x"), args("to", []any{"a@x"}), false, true},
		{"an object", when("to", "a@x"), args("to", map[string]any{"x": "a@x"}), false, true},
		{"wanted absent", when("cc", nil), args("to", "a@x"), true, true},
		{"wanted absent, given", when("cc", nil), args("cc", "a@x"), false, false},
		{"below the cap", most("5"), args("amount", "2.80"), true, true},
		{"at the cap", most("5"), args("amount", json.Number("5.00")), true, true},
		{"a cent above", most("5"), args("amount", "5.01"), false, false},
		{"negative", most("5"), args("amount", "-5.01"), true, true},
		{"absent amount", most("5"), args(), false, false},
		{"word", most("5"), args("amount", "five"), false, true},
		{"empty", most("5"), args("amount", ""), false, true},
		{"exponent", most("5"), args("amount", json.Number("1e9")), false, true},
		{"hexadecimal", most("5"), args("amount", "0x1"), false, true},
		{"plus", most("5"), args("amount", "+1"), false, true},
		{"separators", most("5000"), args("amount", "1,000"), false, true},
		{"comma for a point", most("5"), args("amount", "2,80"), false, true},
		{"space", most("5"), args("amount", " 1"), false, true},
		{"leading zero", most("5"), args("amount", "01"), false, true},
		{"no whole part", most("5"), args("amount", ".5"), false, true},
		{"no fraction", most("5"), args("amount", "5."), false, true},
		{"infinity", most("5"), args("amount", "Infinity"), false, true},
		{"nan", most("5"), args("amount", "NaN"), false, true},
		{"other digits", most("5"), args("amount", "\u0661"), false, true},
		{"very long", most("5"), args("amount", strings.Repeat("1", 200)), false, true},
		{"a list of amounts", most("5"), args("amount", []any{"1"}), false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := Request{PackID: "p", Key: "k", Args: c.args, Confirm: hcp.ConfirmAsk}
			if got := decides(t, call, rule("p.k", Allow, c.when)) == Allow; got != c.allow {
				t.Errorf("allow applies: %v", got)
			}
			if got := decides(t, call, rule("p.k", Deny, c.when)) == Deny; got != c.tight {
				t.Errorf("deny applies: %v", got)
			}
			call.Confirm = hcp.ConfirmNone
			if got := decides(t, call, rule("p.k", Ask, c.when)) == Ask; got != c.tight {
				t.Errorf("ask applies: %v", got)
			}
		})
	}
}

func TestOpLimitsARuleToReadsOrWrites(t *testing.T) {
	readOnly := rule("*", Deny, &hcp.AccessWhen{Op: hcp.OperationWrite})
	if decides(t, Request{PackID: "p", Key: "k", Operation: hcp.OperationWrite}, readOnly) != Deny {
		t.Error("a write is not denied")
	}
	if decides(t, Request{PackID: "p", Key: "k", Operation: hcp.OperationRead}, readOnly) != Allow {
		t.Error("a read is denied")
	}
}

func TestDecimalsCompareByValue(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, okX := parseDecimal(a)
		y, okY := parseDecimal(b)
		p, _ := new(big.Rat).SetString(a)
		q, _ := new(big.Rat).SetString(b)
		if !okX || !okY {
			t.Fatalf("%s or %s is no decimal", a, b)
		}
		if got, want := sign(x.compare(y)), p.Cmp(q); got != want {
			t.Fatalf("%s and %s: %d, want %d", a, b, got, want)
		}
	})
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func TestBrokenSettingsNameTheirPlace(t *testing.T) {
	for text, pointer := range map[string]string{
		`{"mode":"yolo"}`:                "/mode",
		`{"mode":"Run"}`:                 "/mode",
		`{"approvals":"nobody"}`:         "/approvals",
		`{"modes":"auto"}`:               "/modes",
		`{"packs":{"a":{"mode":"x"}}}`:   "/packs/a/mode",
		`{"packs":{"a":{}}}`:             "/packs/a/mode",
		`{"packs":{"A":{"mode":"run"}}}`: "/packs/A",
		`{"rules":[{"match":"a.b","decision":"allow"},{"match":"a","decision":"deny"}]}`:          "/rules/1/match",
		`{"rules":[{"match":"a.b","decision":"permit"}]}`:                                         "/rules/0/decision",
		`{"rules":[{"match":"a.b","decision":"deny","wen":{}}]}`:                                  "/rules/0/wen",
		`{"rules":[{"match":"a.b","decision":"deny","when":{"op":"delete"}}]}`:                    "/rules/0/when/op",
		`{"rules":[{"match":"a.b","decision":"deny","when":{"max":{"n":1e3}}}]}`:                  "/rules/0/when/max/n",
		`{"rules":[{"match":"a.b","decision":"deny","when":{"args":{"n":{}}}}]}`:                  "/rules/0/when/args/n",
		`{"rules":[{"match":"a.b","decision":"deny","note":"` + strings.Repeat("x", 600) + `"}]}`: "/rules/0/note",
		`{"rules":[{"match":"a.b","decision":"deny"}],"rules":[]}`:                                "",
		`[]`: "",
	} {
		_, err := ParseConfig([]byte(text))
		at, ok := err.(*canon.Error)
		if !ok {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if pointer != "" && at.Pointer != pointer {
			t.Errorf("%s: at %q, want %q (%s)", text, at.Pointer, pointer, at.Reason)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(`{"mode":"auto","packs":{"transit":{"mode":"run"}},"approvals":"human","rules":[{"match":"ledger.transfer","decision":"allow","when":{"args":{"payee":"demo-transit"},"max":{"amount":5}},"note":"fares"},{"match":"notes.delete","decision":"deny"}]}`))
	f.Add([]byte(`{"rules":[{"match":"*","decision":"deny","when":{"op":"write","args":{"a":null,"b":[1,"x",true]}}}]}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseConfig(data)
		if err != nil {
			return
		}
		again, err := canon.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseConfig(again); err != nil {
			t.Fatalf("%s became %s: %v", data, again, err)
		}
		e := Merge(Layers{User: c, Project: c})
		Decide(Request{PackID: "ledger", Key: "transfer", Operation: hcp.OperationWrite, Args: hcp.Args{"a": "1"}}, e.For("ledger"))
	})
}

// An index only saves looking: with and without one the same rule decides.
func TestIndexChangesNoDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "a.b", "b.a"})
		var rules []Rule
		for i := range rapid.IntRange(0, 40).Draw(t, "rules") {
			r := hcp.AccessRule{
				Match:    rapid.SampledFrom([]string{"*", "a.*", "b.*", "a.a", "a.b", "b.a", "a.b.a", "a.a.b", "b.b"}).Draw(t, "match"),
				Decision: rapid.SampledFrom([]string{"allow", "allow", "ask", "ask", "deny", "odd"}).Draw(t, "decision"),
			}
			switch rapid.IntRange(0, 3).Draw(t, "when") {
			case 0:
				r.When = &hcp.AccessWhen{Op: rapid.SampledFrom([]hcp.Operation{"read", "write"}).Draw(t, "op")}
			case 1:
				r.When = &hcp.AccessWhen{Max: map[string]json.Number{"n": json.Number(rapid.SampledFrom([]string{"1", "2", "x"}).Draw(t, "most"))}}
			}
			rules = append(rules, NewRule(r, User, i))
		}
		call := Request{
			PackID: word.Draw(t, "pack"), Key: word.Draw(t, "key"), Operation: rapid.SampledFrom([]hcp.Operation{"read", "write"}).Draw(t, "operation"),
			Confirm: rapid.SampledFrom([]hcp.Confirm{hcp.ConfirmNone, hcp.ConfirmAsk, hcp.ConfirmAlways}).Draw(t, "confirm"),
			Args:    hcp.Args{"n": rapid.SampledFrom([]any{"1", "2", "3", nil, []any{"1"}}).Draw(t, "n")},
		}
		index := make(Index)
		for i := range rules {
			index[rules[i].Match] = append(index[rules[i].Match], i)
		}
		plain, quick := Decide(call, Settings{Rules: rules}), Decide(call, Settings{Rules: rules, Index: index})
		if plain != quick {
			t.Fatalf("%+v\n%+v", plain, quick)
		}
	})
}
