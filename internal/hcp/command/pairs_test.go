package command

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"bridle/hcp"
)

func TestPairsAreTextSplitAtTheFirstEqualsSign(t *testing.T) {
	got, err := ParsePairs([]string{"from=Central", "query=a=b", "memo=", "amount=2.80", "confirm=true", "tags=[1]", "x-y.z_1= é\n"})
	want := hcp.Args{"from": "Central", "query": "a=b", "memo": "", "amount": "2.80", "confirm": true, "tags": "[1]", "x-y.z_1": " é\n"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, %v", got, err)
	}
	if got, err := ParsePairs(nil); err != nil || len(got) != 0 {
		t.Fatalf("%v, %v", got, err)
	}
}

func TestWordsThatAreNoPairSayWhereAndHow(t *testing.T) {
	for _, c := range []struct{ word, message, hint string }{
		{"Central", `argument 2 after "--" is not name=value`, "write each argument as name=value"},
		{"=Central", `argument 2 after "--" has no name before "="`, "write each argument as name=value"},
		{"--from=Central", `argument 2 after "--" begins with a dash`, "write from=… without dashes"},
		{"--=x", `argument 2 after "--" has no name before "="`, "write each argument as name=value"},
		{"fr om=x", `argument 2 after "--" has a name that no argument can have`, "visible ASCII"},
		{"fr\x1bom=x", `argument 2 after "--" has a name that no argument can have`, "visible ASCII"},
		{"größe=x", `argument 2 after "--" has a name that no argument can have`, "visible ASCII"},
		{strings.Repeat("x", 129) + "=x", `argument 2 after "--" has a name that no argument can have`, "visible ASCII"},
		{"ok=hunter2", `argument "ok" is given twice`, `give "ok" once`},
		{"k=hunter2\x00", `argument "k" has a NUL character, which no argument can carry`, "UTF-8"},
		{"k=\xffhunter2", `argument "k" is not valid UTF-8`, "UTF-8"},
	} {
		e := faultOf(t, second(ParsePairs([]string{"ok=1", c.word})), CodeBadArgument)
		if e.Message != c.message || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%q: %s (%s)", c.word, e.Message, e.Hint)
		}
		if strings.Contains(e.Message+e.Hint, "hunter2") {
			t.Errorf("the value stands in the message: %s (%s)", e.Message, e.Hint)
		}
	}
}

func TestJSONArgumentsAreAnObjectReadStrictly(t *testing.T) {
	got, err := ParseJSON([]byte(` {"a":2.80,"n":9007199254740993,"b":true,"l":["x",null],"o":{"k":1e2}} `))
	want := hcp.Args{
		"a": json.Number("2.80"), "n": json.Number("9007199254740993"), "b": true,
		"l": []any{"x", nil}, "o": map[string]any{"k": json.Number("1e2")},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%#v, %v", got, err)
	}
	for text, reason := range map[string]string{
		``: "", `[]`: "must be a JSON object, not an array", `null`: "must be a JSON object, not null", `"x"`: "must be a JSON object, not a string",
		`{"a":1,"a":2}`: `duplicate name "a"`, `{"a":1,"\u0061":2}`: `duplicate name "a"`, `{"a":1}{}`: "", `{a:1}`: "", `{'a':1}`: "",
		"{\"a\":\"\xff\"}": "", `{"a":"\ud800"}`: "", `{"a":1e999}`: "", `{"a":NaN}`: "", "\ufeff{}": "", `{"a":01}`: "", `{"a":1,}`: "",
	} {
		e := faultOf(t, second(ParseJSON([]byte(text))), CodeBadArgsJSON)
		if !strings.Contains(e.Message, reason) || e.Hint == "" {
			t.Errorf("%s: %s (%s)", text, e.Message, e.Hint)
		}
	}
}

func TestAnArgumentIsGivenOneWayOnly(t *testing.T) {
	got, err := Merge(hcp.Args{"a": "1"}, hcp.Args{"b": "2"})
	if err != nil || !reflect.DeepEqual(got, hcp.Args{"a": "1", "b": "2"}) {
		t.Fatalf("%v, %v", got, err)
	}
	e := faultOf(t, second(Merge(hcp.Args{"a": "1", "confirm": "false"}, hcp.Args{"confirm": "true"})), CodeBadArgument)
	if e.Message != `argument "confirm" is given twice` {
		t.Error(e.Message)
	}
}
