package local

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
)

// fill gives every field of a struct a drawn value, so that a field that is added to
// an event and forgotten in its line is found.
func fill(t *rapid.T, v reflect.Value) {
	text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.StringMatching("[a-z]{1,3}[\x01\"\\\\\t\u2028<\x7f]?"))
	switch v.Kind() {
	case reflect.String:
		v.SetString(text.Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "truth"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "number"))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.ValueOf(rapid.SliceOfN(text, 0, 3).Draw(t, "list")))
	case reflect.Map:
		v.Set(reflect.ValueOf(rapid.MapOfN(text, text, 0, 3).Draw(t, "map")))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	default:
		t.Fatalf("an event has a field of a kind %s", v.Kind())
	}
}

func TestALineOfTheLogIsWhatTheEncoderWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e hcp.AuditEvent
		fill(t, reflect.ValueOf(&e).Elem())
		want, err := canon.Marshal(e)
		got, ok := auditLine(&e)
		if err != nil || !ok || !bytes.Equal(got, want) {
			t.Fatalf("%+v\nline:    %s (%v)\nencoder: %s (%v)", e, got, ok, want, err)
		}
	})
	for _, e := range []hcp.AuditEvent{{PackID: "\xff"}, {ArgNames: []string{"\xff"}}, {Labels: map[string]string{"\xff": ""}}, {Binding: &hcp.AuditBinding{Family: "\xff"}}} {
		if _, ok := auditLine(&e); ok {
			t.Errorf("%+v is text", e)
		}
	}
}
