package hcpx

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
)

// envelopes draws envelopes that have the members of a call that ran by itself, every
// one of them sometimes, so that one that is added and forgotten is found.
func envelopes(t *rapid.T) hcp.ExecResult {
	text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.StringMatching("[a-z]{1,3}[\x01\"\\\\\t\u2028<\x7f/]?"))
	result := rapid.SampledFrom([]string{
		"", "null", " true ", `"a \\ \" b\/\u00e9"`, "[1, 2.50,\t-0 , 1e9]", `{ "a" : {"b": [ ] , "c" :{ } }, "\\\"": "\u2028 <" }`, "{\r\n}",
	})
	var r hcp.ExecResult
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i); field.Interface().(type) {
		case bool:
			field.SetBool(rapid.Bool().Draw(t, "truth"))
		case string:
			field.SetString(text.Draw(t, "text"))
		case []string:
			field.Set(reflect.ValueOf(rapid.SliceOfN(text, 0, 3).Draw(t, "list")))
		case *int:
			if rapid.Bool().Draw(t, "there") {
				n := rapid.Int().Draw(t, "number")
				field.Set(reflect.ValueOf(&n))
			}
		}
	}
	if raw := result.Draw(t, "result"); raw != "" {
		r.Result = []byte(raw)
	}
	return r
}

func TestALineOfAResultIsWhatTheEncoderWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := envelopes(t)
		want, err := canon.Marshal(r)
		if got := execLine(&r); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%+v\nline:    %s\nencoder: %s (%v)", r, got, want, err)
		}
	})
	for _, r := range []hcp.ExecResult{
		{Preview: &hcp.CallPreview{}},
		{Approval: &hcp.ApprovalRequest{}},
		{Access: &hcp.AccessNote{}},
		{ReadMore: &hcp.ReadMore{}},
		{Stdout: "\xff"},
		{Notes: []string{"\xff"}},
		{Result: []byte{}},
		{Result: []byte(`{"a":1,"a":2}`)},
		{Result: []byte("[1")},
		{Result: []byte("\"\xff\"")},
	} {
		if got := execLine(&r); got != nil {
			t.Errorf("%+v is written as %s", r, got)
		}
	}
}
