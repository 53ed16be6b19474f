package canon

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

type harbour struct {
	Name   string          `json:"name"`
	Depth  json.Number     `json:"depth,omitzero"`
	Berths int8            `json:"berths"`
	Open   bool            `json:"open"`
	Owner  *string         `json:"owner"`
	Tags   []string        `json:"tags"`
	Extra  map[string]any  `json:"extra"`
	Raw    json.RawMessage `json:"raw"`
	Any    any             `json:"any"`
	Place  place           `json:"place"`
	Since  time.Time       `json:"since,omitzero"`
	Blob   []byte          `json:"blob"`
	Mood   mood            `json:"mood"`
}

type place struct {
	Lat float64 `json:"lat"`
}

type mood string

func TestDecodeFillsTheTypeAndKeepsNumberLiterals(t *testing.T) {
	in := `{"name":"Skagen","depth":2.80,"berths":-7,"open":true,"owner":null,"tags":["a"],
		"extra":{"n":12345678901234567890,"deep":[1.50]},"raw":{"b":1.0,"a":"\u0041"},"any":1e2,"place":{"lat":57.5},
		"since":"2026-03-01T10:00:00Z","blob":"AQI=","mood":"calm"}`
	var got harbour
	if err := Decode([]byte(in), &got, Limits{}); err != nil {
		t.Fatal(err)
	}
	want := harbour{
		Name: "Skagen", Depth: "2.80", Berths: -7, Open: true, Tags: []string{"a"},
		Extra: map[string]any{"n": json.Number("12345678901234567890"), "deep": []any{json.Number("1.50")}},
		Raw:   json.RawMessage(`{"b":1.0,"a":"\u0041"}`), Any: json.Number("1e2"), Place: place{57.5},
		Since: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), Blob: []byte{1, 2}, Mood: "calm",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestDecodeRefusesWhatTheTypeDoesNotMean(t *testing.T) {
	for _, c := range []struct {
		in, pointer, reason string
		kind                Kind
	}{
		{`{"nope":1}`, "/nope", `unknown name "nope"`, KindUnknownName},
		{`{"Name":"x"}`, "/Name", `unknown name "Name"`, KindUnknownName},
		{`{"NAME":"x","name":"y"}`, "/NAME", `unknown name "NAME"`, KindUnknownName},
		{`{"place":{"lon":1}}`, "/place/lon", `unknown name "lon"`, KindUnknownName},
		{`{"name":null}`, "/name", `want a string, got null`, KindWrongType},
		{`{"mood":null}`, "/mood", `want a string, got null`, KindWrongType},
		{`{"depth":null}`, "/depth", `want a number, got null`, KindWrongType},
		{`{"berths":null}`, "/berths", `want an integer, got null`, KindWrongType},
		{`{"open":null}`, "/open", `want true or false, got null`, KindWrongType},
		{`{"place":null}`, "/place", `want an object, got null`, KindWrongType},
		{`{"since":null}`, "/since", `want an object, got null`, KindWrongType},
		{`{"tags":["a",null]}`, "/tags/1", `want a string, got null`, KindWrongType},
		{`null`, "", `want an object, got null`, KindWrongType},
		{`{"name":1}`, "/name", `want a string, got a number`, KindWrongType},
		{`{"depth":"2.80"}`, "/depth", `want a number, got a string`, KindWrongType},
		{`{"berths":"7"}`, "/berths", `want an integer, got a string`, KindWrongType},
		{`{"berths":1.5}`, "/berths", `want an integer, got number "1.5"`, KindWrongType},
		{`{"berths":1e2}`, "/berths", `want an integer, got number "1e2"`, KindWrongType},
		{`{"berths":128}`, "/berths", `number "128" does not fit`, KindNumberOverflow},
		{`{"tags":{}}`, "/tags", `want an array, got an object`, KindWrongType},
		{`{"extra":[]}`, "/extra", `want an object, got an array`, KindWrongType},
		{`{"open":"true"}`, "/open", `want true or false, got a string`, KindWrongType},
		{`{"blob":"%"}`, "/blob", `illegal base64 data at input byte 0`, KindBadValue},
		{`[]`, "", `want an object, got an array`, KindWrongType},
	} {
		var v harbour
		err := Decode([]byte(c.in), &v, Limits{})
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != c.kind || e.Pointer != c.pointer || e.Reason != c.reason {
			t.Errorf("%s:\n got %#v\nwant %s at %q: %s", c.in, err, c.kind, c.pointer, c.reason)
		}
	}
}

// A type that reads itself token by token says what null means to it.
type presence struct{ Set bool }

func (p *presence) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	p.Set = true
	if dec.PeekKind() == '0' {
		return errors.New("no numbers here")
	}
	return dec.SkipValue()
}

func TestOwnReadersDecideAndTheirReasonSurvives(t *testing.T) {
	var v struct {
		P presence `json:"p"`
	}
	if err := Decode([]byte(`{"p":null}`), &v, Limits{}); err != nil || !v.P.Set {
		t.Errorf("got %+v, %v", v, err)
	}
	err := Decode([]byte(`{"p":5}`), &v, Limits{})
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != KindBadValue || e.Reason != "no numbers here" || e.Pointer != "/p" || e.Unwrap() == nil {
		t.Errorf("got %#v", err)
	}
}

func TestDecodeOpenNamesUndeclaredTopLevelMembers(t *testing.T) {
	type base struct {
		ID string `json:"id"`
	}
	var v struct {
		base
		Place  place          `json:"place"`
		Hidden string         `json:"-"`
		Rest   map[string]any `json:"rest"`
	}
	in := `{"zeta":1,"id":"x","Place":{},"place":{"lon":1,"lat":2},"-":0,"Hidden":"h","esc\u0061pe":{"a":[]},"rest":{"k":1}}`
	unknown, err := DecodeOpen([]byte(in), &v, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"zeta", "Place", "-", "Hidden", "escape"}; !slices.Equal(unknown, want) {
		t.Errorf("got %q, want %q", unknown, want)
	}
	if v.ID != "x" || v.Place.Lat != 2 || v.Hidden != "" || v.Rest["k"] != json.Number("1") {
		t.Errorf("got %+v", v)
	}
	var m map[string]any
	if unknown, err := DecodeOpen([]byte(`{"a":1}`), &m, Limits{}); err != nil || unknown != nil {
		t.Errorf("a map knows every name: %q %v", unknown, err)
	}
	if _, err := DecodeOpen([]byte(`{"id":3}`), &v, Limits{}); err == nil {
		t.Error("a wrong type is accepted in an open document")
	}
}

func TestMarshalWritesOrdinaryWireJSON(t *testing.T) {
	type inner struct {
		Z, A any
	}
	for _, c := range []struct {
		name string
		v    any
		want string
	}{
		{"struct order", inner{Z: 1, A: "x"}, `{"Z":1,"A":"x"}`},
		{"sorted map", map[string]any{"b": 1, "a": nil, "B": true}, `{"B":true,"a":null,"b":1}`},
		{
			"numbers by their literal",
			[]any{json.Number("2.80"), map[string]any{"n": json.Number("12345678901234567890")}, json.Number("1E2")},
			`[2.80,{"n":12345678901234567890},1E2]`,
		},
		{"raw as it stands", map[string]any{"r": json.RawMessage(`{"b": 1.0, "a": "\u0041"}`)}, `{"r":{"b":1.0,"a":"\u0041"}}`},
		{"no HTML escaping", "<a>&\u2028", "\"<a>&\u2028\""},
		{"nil slice and map", struct {
			S []int
			M map[string]int
			P *int
		}{}, `{"S":[],"M":{},"P":null}`},
		{"typed map of numbers", map[string]json.Number{"x": "0.10"}, `{"x":0.10}`},
		{"pointer to a number", new(json.Number("3.0")), `3.0`},
	} {
		if got, err := Marshal(c.v); err != nil || string(got) != c.want {
			t.Errorf("%s: got %s %v, want %s", c.name, got, err, c.want)
		}
	}
}

func TestMarshalIndentUsesTwoSpaces(t *testing.T) {
	got, err := MarshalIndent(map[string]any{"b": []any{json.Number("1.0")}, "a": map[string]any{}})
	if want := "{\n  \"a\": {},\n  \"b\": [\n    1.0\n  ]\n}"; err != nil || string(got) != want {
		t.Errorf("got %s %v", got, err)
	}
}

func TestWritersRefuseWhatIsNoJSON(t *testing.T) {
	type loop struct{ Next *loop }
	ring := &loop{}
	ring.Next = ring
	for name, v := range map[string]any{
		"invalid UTF-8":         "a\xff",
		"invalid UTF-8 name":    map[string]any{"\xff": 1},
		"NaN":                   math.NaN(),
		"infinity":              map[string]any{"x": math.Inf(-1)},
		"number that is text":   json.Number("two"),
		"empty number":          json.Number(""),
		"number with a comment": json.Number("1 "),
		"number that overflows": json.Number("1e999"),
		"NaN by name":           json.Number("NaN"),
		"raw with a duplicate":  json.RawMessage(`{"a":1,"a":2}`),
		"raw that is broken":    json.RawMessage(`{`),
		"cycle":                 ring,
		"function":              func() {},
	} {
		if b, err := Marshal(v); err == nil {
			t.Errorf("Marshal: %s is written as %s", name, b)
		}
		if b, err := Encode(v); err == nil {
			t.Errorf("Encode: %s is written as %s", name, b)
		}
	}
}

func TestEncodeWritesGoFloatsAsFloats(t *testing.T) {
	type degrees float64
	for _, c := range []struct {
		v    any
		want string
	}{
		{1.0, "1.0"},
		{float32(0.1), "0.1"},
		{degrees(-2), "-2.0"},
		{1e16, "1e+16"},
		{5, "5"},
		{map[string]any{"b": 1e-5, "a": []float64{100}}, `{"a":[100.0],"b":1e-05}`},
		{struct {
			Z json.Number
			A *degrees
		}{"-0", new(degrees(3))}, `{"A":3.0,"Z":0}`},
		{math.Copysign(0, -1), "-0.0"},
		{uint64(math.MaxUint64), "18446744073709551615"},
	} {
		if got, err := Encode(c.v); err != nil || string(got) != c.want {
			t.Errorf("%v: got %s %v, want %s", c.v, got, err, c.want)
		}
	}
}

func TestEncodeAcceptsOwnValuesBeyondTheReadingLimits(t *testing.T) {
	var deep any = "x"
	for range 200 {
		deep = []any{deep}
	}
	if _, err := Encode([]any{deep, strings.Repeat("x", DefaultMaxBytes)}); err != nil {
		t.Error(err)
	}
}
