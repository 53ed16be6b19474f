package canon

import "testing"

// 330 bytes, the shape of a call envelope.
const envelope = `{"verb_key":"ledger.entry.add","args":{"account":"harbour-fees","amount":2.80,"memo":"berth 14, two nights","confirm":true},"context":{"principal_id":"user-71","scopes":["pack.use","pack.write"],"project_id":"p_01h9"},"meta":{"attempt":1,"trace":"4bf92f3577b34da6a3ce929d0e0e4736","at":"2026-03-01T10:00:00.000Z","flags":[]} }`

type call struct {
	Key     string         `json:"verb_key"`
	Args    map[string]any `json:"args"`
	Context struct {
		Principal string   `json:"principal_id"`
		Scopes    []string `json:"scopes"`
		Project   string   `json:"project_id"`
	} `json:"context"`
	Meta struct {
		Attempt int      `json:"attempt"`
		Trace   string   `json:"trace"`
		At      string   `json:"at"`
		Flags   []string `json:"flags"`
	} `json:"meta"`
}

func BenchmarkCheck(b *testing.B) {
	b.SetBytes(int64(len(envelope)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Check([]byte(envelope), Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	b.SetBytes(int64(len(envelope)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse([]byte(envelope), Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	b.SetBytes(int64(len(envelope)))
	b.ReportAllocs()
	for b.Loop() {
		var c call
		if err := Decode([]byte(envelope), &c, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCanonical(b *testing.B) {
	b.SetBytes(int64(len(envelope)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Canonical([]byte(envelope), Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshal(b *testing.B) {
	v, err := Parse([]byte(envelope), Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Marshal(v); err != nil {
			b.Fatal(err)
		}
	}
}
