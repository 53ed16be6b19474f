package canon

import (
	"bytes"
	stdjson "encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// What is written without the general encoder is what that encoder writes, and what
// it refuses is left to it.
func TestPlainValuesAreWrittenAsTheEncoderWritesThem(t *testing.T) {
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](false), rapid.Just[any](1), rapid.Just[any](1.0), rapid.Just[any]([]string{"a"}),
		rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "text") }),
		rapid.Custom(func(t *rapid.T) any { return string(rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(t, "bytes")) }),
		rapid.Custom(func(t *rapid.T) any {
			return stdjson.Number(rapid.StringMatching(`-?[0-9]{0,17}|-?[0-9]{1,3}\.[0-9]{1,2}|1e[0-9]{1,3}|[a-z]`).Draw(t, "number"))
		}),
	)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return leaf
		}
		below := value(depth - 1)
		return rapid.OneOf(leaf,
			rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(below, 0, 3).Draw(t, "list") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.MapOfN(rapid.String(), below, 0, 3).Draw(t, "map") }),
		)
	}
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		got, ok := appendPlain(nil, v, 0)
		want, err := encodeAny(v)
		if ok && (err != nil || !bytes.Equal(got, want)) {
			t.Fatalf("%#v\nplainly: %s\nencoded: %s, %v", v, got, want, err)
		}
		if ok {
			plain++
		}
	})
	if plain == 0 {
		t.Error("no value was plain")
	}
	for _, v := range []any{map[string]any(nil), []any(nil), map[string]any{}, map[string]any{"b": stdjson.Number("-12"), "a\u2028": []any{"x\x01\x7f<>"}}} {
		got, ok := appendPlain(nil, v, 0)
		if want, err := encodeAny(v); !ok || err != nil || !bytes.Equal(got, want) {
			t.Errorf("%#v: %s, %v; encoded: %s, %v", v, got, ok, want, err)
		}
	}
	for _, v := range []any{"\xff", map[string]any{"\xff": 1}, stdjson.Number("-0"), stdjson.Number("01"), stdjson.Number(""), stdjson.Number("1.0"), 7, struct{}{}} {
		if _, ok := appendPlain(nil, v, 0); ok {
			t.Errorf("%#v is not plain", v)
		}
	}
	deep := any("x")
	for range 40 {
		deep = []any{deep}
	}
	if _, ok := appendPlain(nil, deep, 0); ok {
		t.Error("a deep value is plain")
	}
}
