package command

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"bridle/hcp"
)

func TestDeclaredArgumentsKeepTheirOrderAndFacts(t *testing.T) {
	m := wrapOf(t, `{"find":{"cli":["tool","find"],"args":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
		"zone":{"type":"string","description":"Zone id from zones","examples":["z-1","z-2"],"enum":["z-1","z-2"],"default":"z-1","x-position":0,"x-note":1},
		"limit":{"type":"integer","minimum":1,"exclusiveMaximum":100},
		"tags":{"type":"array","items":{"type":"string"},"minItems":1,"uniqueItems":true},
		"any":true},"required":["limit","extra"],"additionalProperties":false}}}`)
	got, err := Declared(m, "find")
	if err != nil {
		t.Fatal(err)
	}
	zero := 0
	want := []Argument{
		{Name: "zone", Description: "Zone id from zones", Example: "z-1", Type: "string", Enum: []any{"z-1", "z-2"}, Default: "z-1", Position: &zero},
		{Name: "limit", Required: true, Type: "integer", Limits: "at least 1, below 100"},
		{Name: "tags", Type: "array", Limits: "at least 1 item, each item a string, no item twice"},
		{Name: "any"},
		{Name: "extra", Required: true},
	}
	for i := range got {
		got[i].schema = nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
}

func TestWithoutDeclaredArgumentsThePlaceholdersAreThem(t *testing.T) {
	names := func(m *hcp.Manifest, key string) string {
		t.Helper()
		declared, err := Declared(m, key)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range declared {
			if a.Required {
				t.Errorf("%s is required", a.Name)
			}
			names = append(names, a.Name)
		}
		return strings.Join(names, " ")
	}
	m := wrapOf(t, `{
		"a":{"cli":["{{bin}}","x","{{from}}","--to={{to}}/{{sub}}","{{from}}","{{confirm}}","{{.ID}}","{{json .}}","{{verb}}"]},
		"b.tail":{},
		"c":{"cli":[],"args":{"type":"object"}},
		"d":{"cli":["tool","{{x}}"],"args":{"properties":{}}},
		"e":{"cli":["tool","{{x}}"],"args":{"additionalProperties":false}}}`)
	m.Wrap.ArgvTemplate = []string{"{{verb}}", "--in={{where}}"}
	for key, want := range map[string]string{"a": "from to sub verb", "b.tail": "where", "c": "where", "d": "", "e": ""} {
		if got := names(m, key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

func TestReservedNamesAreNeverArguments(t *testing.T) {
	m := wrapOf(t, `{"x":{"cli":["tool","--confirm={{confirm}}","{{apply}}","{{a}}"],"args":{"properties":{
		"confirm":{"type":"string"},"a":{"type":"string"},"mode":{"enum":["fast"]}},"required":["confirm","mode"]}}}`)
	declared, err := Declared(m, "x")
	if err != nil || len(declared) != 1 || declared[0].Name != "a" {
		t.Fatalf("%+v, %v", declared, err)
	}
	c, _ := m.Verbs.Get("x")
	if got := Shadowing(c); !reflect.DeepEqual(got, []string{"confirm", "apply", "mode"}) {
		t.Errorf("Shadowing = %v", got)
	}
	argv, err := Render(m, "x", hcp.Args{"a": "1", "confirm": "true", "apply": "yes", "mode": "fast"})
	if err != nil {
		t.Fatal(err)
	}
	if got := argv.Args(); !reflect.DeepEqual(got, []string{"1", "--json"}) {
		t.Fatalf("reserved values reached argv: %q", got)
	}
}

func TestUnknownArgumentNamesTheValidOnes(t *testing.T) {
	e := faultOf(t, second(Check(ledger(t), "transfer", hcp.Args{"amont": "2.80", "payee": "x"})), CodeUnknownArgument)
	if e.Message != `unknown argument "amont" for ledger.transfer` {
		t.Error(e.Message)
	}
	if want := `did you mean "amount" instead of "amont"? ledger.transfer takes: amount, payee, memo`; e.Hint != want {
		t.Errorf("hint %q, want %q", e.Hint, want)
	}
	if len(e.Next) != 1 || e.Next[0] != "hcpx commands ledger --json" {
		t.Error(e.Next)
	}
	e = faultOf(t, second(Check(ledger(t), "transfer", hcp.Args{"zzz": 1, "Confirm": true})), CodeUnknownArgument)
	if e.Message != `unknown arguments "Confirm", "zzz" for ledger.transfer` || !strings.Contains(e.Hint, `"confirm"`) {
		t.Errorf("%s (%s)", e.Message, e.Hint)
	}
	e = faultOf(t, second(Check(ledger(t), "setup.apply", hcp.Args{"x": 1})), CodeUnknownArgument)
	if e.Hint != "ledger.setup.apply takes no arguments" {
		t.Error(e.Hint)
	}
}

func TestMissingArgumentListsEveryArgument(t *testing.T) {
	for _, args := range []hcp.Args{
		{"amount": "2.80"},
		{"amount": "2.80", "payee": ""},
		{"amount": "2.80", "payee": nil},
		{"amount": "2.80", "payee": []any{}},
		{"amount": "2.80", "payee": []any{""}},
	} {
		e := faultOf(t, second(Check(ledger(t), "transfer", args)), CodeMissingArgument)
		if e.Message != `missing argument "payee" for ledger.transfer` {
			t.Error(e.Message)
		}
		want := `ledger.transfer takes amount (required): Amount in the account currency, for example amount=2.80; ` +
			`payee (required): Payee id from payees, for example payee=demo-transit; memo (optional): Optional note`
		if e.Hint != want {
			t.Errorf("hint %q\nwant %q", e.Hint, want)
		}
	}
	e := faultOf(t, second(Check(ledger(t), "transfer", nil)), CodeMissingArgument)
	if e.Message != `missing arguments "amount", "payee" for ledger.transfer` {
		t.Error(e.Message)
	}
}

func TestUnknownCommandSuggestsOne(t *testing.T) {
	e := faultOf(t, second(Check(ledger(t), "transfers", nil)), CodeUnknownCommand)
	if e.Message != `pack "ledger" has no command "transfers"` || e.Hint != `did you mean "transfer"? its commands: setup.apply, connect, transfer` {
		t.Errorf("%s (%s)", e.Message, e.Hint)
	}
}

// The words of a command line and the members of an object are two faces of the
// same arguments.
func TestTextThatIsReadAsItsTypeIsTheValueOfThatType(t *testing.T) {
	m := wrapOf(t, `{"v":{"cli":["v","--a","{{a}}","--n","{{n}}"],"args":{"type":"object","properties":{"a":{"type":"array"},"n":{"type":"number"},"i":{"type":"integer"}}}},
		"w":{"cli":["w","--only","{{a}}"],"args":{"type":"object","properties":{"a":{"type":"array"}},"required":["a"]}}}`)
	for text, value := range map[string]any{"[]": []any{}, `[""]`: []any{""}, "[[]]": []any{[]any{}}, "[1]": []any{json.Number("1")}} {
		typed, typedErr := Check(m, "v", hcp.Args{"a": value})
		worded, err := Check(m, "v", hcp.Args{"a": text})
		if err != nil || typedErr != nil || !reflect.DeepEqual(worded, typed) {
			t.Errorf("%s: %v (%v), want %v (%v)", text, worded, err, typed, typedErr)
		}
	}
	if _, err := Check(m, "w", hcp.Args{"a": "[]"}); err == nil || !strings.Contains(err.Error(), "missing argument") {
		t.Errorf("an empty list is taken for a required one: %v", err)
	}
	for _, name := range []string{"n", "i"} {
		if got, err := Check(m, "v", hcp.Args{name: "1e400"}); err == nil {
			t.Errorf("a number that no JSON argument can be is taken: %v", got)
		}
	}
	if got, err := Check(m, "v", hcp.Args{"n": "1e300"}); err != nil || got["n"] != json.Number("1e300") {
		t.Error(got, err)
	}
}

func TestEmptyValuesAreLeftOut(t *testing.T) {
	args := hcp.Args{"amount": "2.80", "payee": "x", "memo": ""}
	got, err := Check(ledger(t), "transfer", args)
	if err != nil || !reflect.DeepEqual(got, hcp.Args{"amount": "2.80", "payee": "x"}) {
		t.Fatalf("%v, %v", got, err)
	}
	if _, still := args["memo"]; !still {
		t.Fatal("the caller's arguments were changed")
	}
}

func TestTextBecomesADeclaredTypeOnlyAsItsLiteral(t *testing.T) {
	m := wrapOf(t, `{"x":{"args":{"properties":{
		"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},
		"l":{"type":"array","items":{"type":"integer"}},"o":{"type":"object"},"any":{},
		"either":{"type":["integer","string"]},"numbers":{"type":["boolean","number"]},"e":{"enum":[1,2]},"k":{"const":true}}}}}`)
	n := func(s string) json.Number { return json.Number(s) }
	for _, c := range []struct {
		name string
		in   any
		want any // nil: refused
	}{
		{"s", "2.80", "2.80"},
		{"s", "true", "true"},
		{"s", "null", "null"},
		{"s", n("2.80"), "2.80"},
		{"s", n("0e1"), "0e1"},
		{"s", 5, "5"},
		{"s", true, nil},
		{"s", []any{"a"}, nil},
		{"i", "5", n("5")},
		{"i", "-5", n("-5")},
		{"i", "0", n("0")},
		{"i", "9007199254740993", n("9007199254740993")},
		{"i", n("1.0"), n("1.0")},
		{"i", 7, n("7")},
		{"i", uint8(7), n("7")},
		{"i", "05", nil},
		{"i", "+5", nil},
		{"i", " 5", nil},
		{"i", "1.0", n("1.0")}, // as --args has it
		{"i", "5.5", nil},
		{"i", n("5.5"), nil},
		{"i", "1e3", n("1e3")},
		{"i", n("1e3"), n("1e3")},
		{"i", "1e-3", nil},
		{"i", "1e999999999", nil},
		{"i", "0x10", nil},
		{"i", "5;", nil},
		{"i", "٣", nil},
		{"i", 1.5, nil},
		{"n", "2.80", n("2.80")},
		{"n", "1e3", n("1e3")},
		{"n", "-0.5E-2", n("-0.5E-2")},
		{"n", 2.8, n("2.8")},
		{"n", float32(0.1), n("0.1")},
		{"n", 1e21, n("1e+21")},
		{"n", 1e-7, n("1e-7")},
		{"n", 0.0, n("0")},
		{"n", ".5", nil},
		{"n", "5.", nil},
		{"n", "NaN", nil},
		{"n", "Infinity", nil},
		{"n", "1_000", nil},
		{"n", "1e9999", nil},
		{"n", math.Inf(1), nil},
		{"n", math.NaN(), nil},
		{"n", n("abc"), nil},
		{"b", "true", true},
		{"b", "false", false},
		{"b", true, true},
		{"b", "True", nil},
		{"b", "1", nil},
		{"b", "yes", nil},
		{"b", n("1"), nil},
		{"l", "[1,2]", []any{n("1"), n("2")}},
		{"l", []any{1}, []any{n("1")}},
		{"l", "1,2", nil},
		{"l", `["a"]`, nil},
		{"l", "[1] [2]", nil},
		{"l", "[1,]", nil},
		{"l", "{}", nil},
		{"o", `{"a":1}`, map[string]any{"a": n("1")}},
		{"o", map[string]any{"a": 1}, map[string]any{"a": n("1")}},
		{"o", hcp.Args{"a": "b"}, map[string]any{"a": "b"}},
		{"o", `{"a":1,"a":2}`, nil},
		{"o", "[]", nil},
		{"any", "5", "5"},
		{"any", n("5"), n("5")},
		{"any", []string{"a"}, []any{"a"}},
		{"any", struct{}{}, nil},
		{"any", map[int]any{}, nil},
		{"either", "5", "5"},
		{"either", n("5"), n("5")},
		{"numbers", "5", n("5")},
		{"numbers", "true", true},
		{"e", "2", n("2")},
		{"e", "3", nil},
		{"e", n("2.0"), n("2.0")},
		{"k", "true", true},
		{"k", "false", nil},
	} {
		got, err := Check(m, "x", hcp.Args{c.name: c.in})
		if c.want == nil {
			if err == nil {
				t.Errorf("%s=%#v was accepted as %#v", c.name, c.in, got[c.name])
			} else {
				faultOf(t, err, CodeBadArgument)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got[c.name], c.want) {
			t.Errorf("%s=%#v: %#v, %v; want %#v", c.name, c.in, got[c.name], err, c.want)
		}
		again, err := Check(m, "x", got)
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s=%#v: checking again gives %#v, %v", c.name, c.in, again, err)
		}
	}
}

func TestBadArgumentPointsAtThePlaceAndKeepsTheValueToItself(t *testing.T) {
	m := wrapOf(t, `{"x":{"args":{"minProperties":2,"properties":{
		"a/b":{"type":"object","properties":{"list":{"type":"array","items":{"type":"integer","minimum":3}}},"additionalProperties":false,"required":["list"]},
		"w":{"type":"string","pattern":"^[a-z]+$","minLength":2,"maxLength":4},
		"u":{"type":"array","uniqueItems":true},
		"never":false,
		"one":{"enum":["x",1,null]},
		"m":{"type":"number","multipleOf":0.1,"exclusiveMinimum":0,"maximum":1}}}}}`)
	for _, c := range []struct {
		args hcp.Args
		want string
	}{
		{hcp.Args{"a/b": map[string]any{"list": []any{5, "hunter2"}}, "w": "ab"}, `argument "a/b" at "/list/1" must be an integer, not a string`},
		{hcp.Args{"a/b": map[string]any{"list": []any{2}}, "w": "ab"}, `argument "a/b" at "/list/0" must be at least 3`},
		{hcp.Args{"a/b": map[string]any{}, "w": "ab"}, `argument "a/b" must have the member "list"`},
		{hcp.Args{"a/b": map[string]any{"list": []any{}, "x~/": 1}, "w": "ab"}, `argument "a/b" at "/x~0~1" must be left out: the pack allows no value here`},
		{hcp.Args{"w": "Hunter2", "m": 1}, `argument "w" must have at most 4 characters`},
		{hcp.Args{"w": "h", "m": 1}, `argument "w" must have at least 2 characters`},
		{hcp.Args{"w": "hu2", "m": 1}, `argument "w" must match the pattern "^[a-z]+$"`},
		{hcp.Args{"u": []any{"a", "b", "a"}, "m": 1}, `argument "u" at "/2" must differ from the items before it`},
		{hcp.Args{"u": []any{1, json.Number("1.0")}, "m": 1}, `argument "u" at "/1" must differ from the items before it`},
		{hcp.Args{"never": 1, "m": 1}, `argument "never" must be left out: the pack allows no value here`},
		{hcp.Args{"one": "y", "m": 1}, `argument "one" must be one of "x", 1, null`},
		{hcp.Args{"m": json.Number("0.35"), "w": "ab"}, `argument "m" must be a multiple of 0.1`},
		{hcp.Args{"m": 0, "w": "ab"}, `argument "m" must be above 0`},
		{hcp.Args{"m": 1.1, "w": "ab"}, `argument "m" must be at most 1`},
		{hcp.Args{"w": "ab"}, `the arguments of tool.x must have at least 2 members`},
	} {
		e := faultOf(t, second(Check(m, "x", c.args)), CodeBadArgument)
		if e.Message != c.want {
			t.Errorf("%v: %s\nwant %s", c.args, e.Message, c.want)
		}
		if strings.Contains(strings.ToLower(e.Message+e.Hint), "hunter2") {
			t.Errorf("the value stands in the message: %s (%s)", e.Message, e.Hint)
		}
	}
	if _, err := Check(m, "x", hcp.Args{"m": json.Number("0.3"), "w": "ab"}); err != nil {
		t.Errorf("0.3 is a multiple of 0.1: %v", err)
	}
}

func TestWhatNoArgumentCanCarryIsRefused(t *testing.T) {
	m := wrapOf(t, `{"x":{"args":{"properties":{"a":{},"b":{},"c":{},"d":{},"e":{},"f":{},"g":{},"h":{},"i":{}}}}}`)
	deep := any("x")
	for range maxDepth + 1 {
		deep = []any{deep}
	}
	big := strings.Repeat("x", maxValueBytes)
	for name, args := range map[string]hcp.Args{
		"NUL":              {"a": "x\x00y"},
		"NUL in a list":    {"a": []any{map[string]any{"k": "\x00"}}},
		"NUL in a name":    {"a": map[string]any{"\x00": 1}},
		"not UTF-8":        {"a": "\xff"},
		"too deep":         {"a": deep},
		"too large":        {"a": big + "y"},
		"too large in all": {"a": big, "b": big, "c": big, "d": big, "e": big, "f": big, "g": big, "h": big, "i": big},
	} {
		e := faultOf(t, second(Check(m, "x", args)), CodeBadArgument)
		if len(e.Message) > 200 {
			t.Errorf("%s: message of %d bytes", name, len(e.Message))
		}
	}
	if _, err := Check(m, "x", hcp.Args{"a": big}); err != nil {
		t.Error(err)
	}
}

func TestSchemaOutsideTheSupportedPartIsRefusedByName(t *testing.T) {
	for text, want := range map[string]string{
		`{"properties":{"a":{"$ref":"#/x"}}}`:         `"/properties/a/$ref" uses the keyword "$ref", which is outside the supported part of JSON Schema`,
		`{"oneOf":[]}`:                                `"/oneOf" uses the keyword "oneOf", which is outside the supported part of JSON Schema`,
		`{"properties":{"a":{"items":{"not":{}}}}}`:   `"/properties/a/items/not" uses the keyword "not", which is outside the supported part of JSON Schema`,
		`{"properties":{"a":{"prefixItems":[]}}}`:     `"/properties/a/prefixItems" uses the keyword "prefixItems", which is outside the supported part of JSON Schema`,
		`{"properties":{"a":{"Type":"string"}}}`:      `"/properties/a/Type" uses the keyword "Type", which is outside the supported part of JSON Schema`,
		`{"properties":{"a":{"type":"text"}}}`:        `"/properties/a/type" names the unknown type "text"`,
		`{"properties":{"a":{"type":[]}}}`:            `"/properties/a/type" names no type`,
		`{"properties":{"a":{"type":5}}}`:             `"/properties/a/type" is no list`,
		`{"properties":{"a":{"type":[5]}}}`:           `"/properties/a/type" is no list of strings`,
		`{"properties":{"a":{"minLength":-1}}}`:       `"/properties/a/minLength" is no whole number from 0 up`,
		`{"properties":{"a":{"maximum":"9"}}}`:        `"/properties/a/maximum" is no number`,
		`{"properties":{"a":{"maximum":1e-401}}}`:     `"/properties/a/maximum" is a number out of range`,
		`{"properties":{"a":{"multipleOf":0}}}`:       `"/properties/a/multipleOf" is not above 0`,
		`{"properties":{"a":{"uniqueItems":1}}}`:      `"/properties/a/uniqueItems" is neither true nor false`,
		`{"properties":{"a":{"enum":"x"}}}`:           `"/properties/a/enum" is no list`,
		`{"properties":{"a":{"description":5}}}`:      `"/properties/a/description" is no string`,
		`{"properties":{"a":{"x-position":"first"}}}`: `"/properties/a/x-position" is no whole number from 0 up`,
		`{"properties":{"a":5}}`:                      `"/properties/a" is not a schema`,
		`{"properties":{"a b":{}}}`:                   `"/properties/a b" has a name that no command line can carry`,
		`{"properties":{"-rf":{}}}`:                   `"/properties/-rf" has a name that no command line can carry`,
		`{"properties":[]}`:                           `"/properties" is no object`,
		`{"type":"string"}`:                           `"/type" is not "object"`,
		`[]`:                                          `"/" is not an object with a JSON Schema`,
		`true`:                                        `"/" is not an object with a JSON Schema`,
		`{"properties":{"a":{}},"properties":{}}`:     `"/" is no JSON: duplicate name "properties" at "/properties"`,
		`{"properties":` + strings.Repeat(`{"a":{"items":`, 70) + `{}` + strings.Repeat(`}}`, 70) + `}`: "",
	} {
		m := wrapOf(t, `{"x":{}}`)
		c, _ := m.Verbs.Get("x")
		c.Args = json.RawMessage(text)
		m.Verbs.Set("x", c)
		for _, err := range []error{second(Declared(m, "x")), second(Check(m, "x", nil)), second(Render(m, "x", nil)), Verify(m, "x")} {
			e := faultOf(t, err, CodeBadSchema)
			if want != "" && e.Message != "the args of tool.x cannot be used: "+want {
				t.Errorf("%s:\n%s\nwant %s", text, e.Message, want)
			}
		}
	}
}

func TestUnusablePatternIsFoundByVerifyAndByTheCall(t *testing.T) {
	for _, text := range []string{
		`{"x":{"args":{"properties":{"a":{"pattern":"^(?=x)"}}}}}`,
		`{"x":{"args":{"properties":{"a":{"items":{"pattern":"(a)\\1"}}}}}}`,
		`{"x":{"args":{"properties":{"a":{"additionalProperties":{"pattern":"("}}}}}}`,
	} {
		m := wrapOf(t, text)
		if _, err := Declared(m, "x"); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		faultOf(t, Verify(m, "x"), CodeBadSchema)
	}
	m := wrapOf(t, `{"x":{"args":{"properties":{"a":{"pattern":"^(?=x)"}}}}}`)
	faultOf(t, second(Check(m, "x", hcp.Args{"a": "x"})), CodeBadSchema)
	if err := Verify(ledger(t), "transfer"); err != nil {
		t.Error(err)
	}
}

func TestControlIsTakenOutAndNeverGuessed(t *testing.T) {
	for _, c := range []struct {
		args hcp.Args
		want Control
		bad  bool
	}{
		{args: nil},
		{args: hcp.Args{"a": "confirm"}},
		{args: hcp.Args{"confirm": true}, want: Control{Confirmed: true}},
		{args: hcp.Args{"confirm": "true"}, bad: true}, // a JSON text is no yes
		{args: hcp.Args{"apply": true}, want: Control{Confirmed: true}},
		{args: hcp.Args{"apply": true, "confirm": false}, want: Control{Confirmed: true}},
		{args: hcp.Args{"apply": "true", "confirm": false}, bad: true},
		{args: hcp.Args{"confirm": false}},
		{args: hcp.Args{"confirm": "false"}, bad: true},
		{args: hcp.Args{"mode": "mock"}, want: Control{Mock: true}},
		{args: hcp.Args{"confirm": "True"}, bad: true},
		{args: hcp.Args{"confirm": "yes"}, bad: true},
		{args: hcp.Args{"confirm": ""}, bad: true},
		{args: hcp.Args{"confirm": nil}, bad: true},
		{args: hcp.Args{"confirm": json.Number("1")}, bad: true},
		{args: hcp.Args{"confirm": []any{true}}, bad: true},
		{args: hcp.Args{"apply": 1, "confirm": true}, bad: true},
		{args: hcp.Args{"mode": "live"}, bad: true},
		{args: hcp.Args{"mode": "Mock"}, bad: true},
		{args: hcp.Args{"mode": true}, bad: true},
		{args: hcp.Args{"mode": nil}, bad: true},
	} {
		before := len(c.args)
		rest, control, err := SplitControl(c.args)
		if c.bad {
			faultOf(t, err, CodeBadArgument)
			continue
		}
		if err != nil || control != c.want {
			t.Errorf("%v: %+v, %v", c.args, control, err)
		}
		for name := range rest {
			if IsReserved(name) {
				t.Errorf("%v: %q is still there", c.args, name)
			}
		}
		if len(c.args) != before {
			t.Error("the caller's arguments were changed")
		}
	}
}

func second[T any](_ T, err error) error { return err }
