package pack

import (
	"bytes"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"bridle/hcp"
)

// Whatever the bytes, the reader ends, reports in good form, and agrees with the
// vocabulary's decoder about what it accepts.
func FuzzManifest(f *testing.F) {
	for _, c := range schemaCases(f, "surface") {
		f.Add([]byte(c.Document))
	}
	for _, text := range []string{`{"id":"a\u0062","verbs":{"l\u0069st":{"args":{"a":["}",{"\"":1}]}}}}`, `{"ID":1}`, "\uFEFF{}", `{"verbs":{"a":{},"a":{}}}`, `[`, `"\ud800"`, ` { } `, `-0`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if p := strict(SurfaceFile, data, surfaceIssue); p != nil {
			checkMessage(t, *p)
			salvageID(data)
			return
		}
		r := readManifest(data)
		for _, p := range r.problems {
			checkMessage(t, p)
		}
		if r.Pointer() != "" || r.Kind() != 0 {
			t.Fatalf("the reader stopped at %q of %q", r.Pointer(), data)
		}
		if len(r.problems) > 0 {
			return
		}
		var want hcp.Manifest
		if err := jsonv2.Unmarshal(data, &want); err != nil {
			if !bytes.ContainsAny(data, ".eE") { // 1.0 is an integer in JSON Schema
				t.Fatalf("the vocabulary refuses %q: %v", data, err)
			}
			return
		}
		if got := wire(t, r.m); got != wire(t, want) {
			t.Fatalf("read %s\nwant %s", got, wire(t, want))
		}
		reconcile(&r.m)
		Structure(&r.m)
		deriveMeta(&r.m)
	})
}

func FuzzPolicy(f *testing.F) {
	for _, c := range schemaCases(f, "policy") {
		f.Add([]byte(c.Document))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if p := strict(PolicyFile, data, policyIssue); p != nil {
			checkMessage(t, *p)
			return
		}
		r, got := readPolicy(data)
		for _, p := range r.problems {
			checkMessage(t, p)
		}
		if r.Pointer() != "" || r.Kind() != 0 {
			t.Fatalf("the reader stopped at %q of %q", r.Pointer(), data)
		}
		if len(r.problems) > 0 {
			return
		}
		want := hcp.Policy{Version: 1, Verbs: map[string]hcp.PolicyEntry{}, Stimuli: map[string]hcp.PolicyEntry{}}
		if err := jsonv2.Unmarshal(data, &want, jsonv2.RejectUnknownMembers(true)); err != nil {
			if !bytes.ContainsAny(data, ".eE") {
				t.Fatalf("the vocabulary refuses %q: %v", data, err)
			}
			return
		}
		if wire(t, got) != wire(t, want) {
			t.Fatalf("read %s\nwant %s", wire(t, got), wire(t, want))
		}
	})
}
