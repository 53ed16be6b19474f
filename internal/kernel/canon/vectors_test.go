package canon

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "spec", "canon", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil { // not our own reader: it is what is tested
		t.Fatal(err)
	}
}

type accepted struct {
	Documents []struct{ Name, Input, Canonical, SHA256 string }
	Floats    [][2]string
}

func TestAcceptedDocumentsHaveTheirCanonicalForm(t *testing.T) {
	var v accepted
	readVectors(t, "accepted.json", &v)
	if len(v.Documents) < 80 {
		t.Fatalf("only %d vectors", len(v.Documents))
	}
	for _, c := range v.Documents {
		t.Run(c.Name, func(t *testing.T) {
			in := []byte(c.Input)
			got, err := Canonical(in, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.Canonical {
				t.Errorf("canonical form\n got %s\nwant %s", got, c.Canonical)
			}
			if string(in) != c.Input {
				t.Error("the argument was changed")
			}
			if sum, err := Digest(in, Limits{}); err != nil || sum != c.SHA256 {
				t.Errorf("digest %s %v, want %s", sum, err, c.SHA256)
			}
			parsed, err := Parse(in, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Encode(parsed); err != nil || string(got) != c.Canonical {
				t.Errorf("Encode of Parse\n got %s %v\nwant %s", got, err, c.Canonical)
			}
			if again, err := Canonical(got, Limits{}); err != nil || !bytes.Equal(again, got) {
				t.Errorf("not a fixed point: %s %v", again, err)
			}
		})
	}
}

func TestFloatsAreWrittenInTheFewestDigits(t *testing.T) {
	var v accepted
	readVectors(t, "accepted.json", &v)
	if len(v.Floats) < 200 {
		t.Fatalf("only %d vectors", len(v.Floats))
	}
	for _, f := range v.Floats {
		if got, err := Canonical([]byte(f[0]), Limits{}); err != nil || string(got) != f[1] {
			t.Errorf("%s: got %s %v, want %s", f[0], got, err, f[1])
		}
	}
}

func TestRefusedDocumentsNameTheRuleAndThePlace(t *testing.T) {
	var v struct {
		Documents []struct {
			Name     string
			Input    string
			InputHex string `json:"input_hex"`
			Kind     Kind
			Pointer  string
			MaxDepth int `json:"max_depth"`
			MaxBytes int `json:"max_bytes"`
		}
	}
	readVectors(t, "refused.json", &v)
	if len(v.Documents) < 70 {
		t.Fatalf("only %d vectors", len(v.Documents))
	}
	for _, c := range v.Documents {
		t.Run(c.Name, func(t *testing.T) {
			in := []byte(c.Input)
			if c.InputHex != "" {
				var err error
				if in, err = hex.DecodeString(c.InputHex); err != nil {
					t.Fatal(err)
				}
			}
			l := Limits{MaxDepth: c.MaxDepth, MaxBytes: c.MaxBytes}
			var decoded any
			_, parseErr := Parse(in, l)
			_, canonErr := Canonical(in, l)
			_, digestErr := Digest(in, l)
			_, openErr := DecodeOpen(in, &decoded, l)
			for call, err := range map[string]error{
				"Check": Check(in, l), "Parse": parseErr, "Canonical": canonErr, "Digest": digestErr,
				"Decode": Decode(in, &decoded, l), "DecodeOpen": openErr,
			} {
				e, ok := errors.AsType[*Error](err)
				if !ok {
					t.Errorf("%s: got %v, want a *canon.Error", call, err)
					continue
				}
				if e.Kind != c.Kind || e.Pointer != c.Pointer {
					t.Errorf("%s: got %s at %q (%s), want %s at %q", call, e.Kind, e.Pointer, e.Reason, c.Kind, c.Pointer)
				}
				if e.Reason == "" || e.Offset < 0 || e.Offset > int64(len(in)) {
					t.Errorf("%s: reason %q, offset %d of %d", call, e.Reason, e.Offset, len(in))
				}
			}
		})
	}
}

func TestRefusalsReadWell(t *testing.T) {
	for _, c := range []struct {
		in, want string
		offset   int64
	}{
		{`{"a":1,"a":2}`, `duplicate name "a" at "/a"`, 7},
		{`{"x":{"a":1,"\u202e":0,"\u202e":2}}`, `duplicate name "\u202e" at "/x/\u202e"`, 23},
		{`[1,{"b":1e999}]`, `number "1e999" is beyond a 64-bit float at "/1/b"`, 8},
		{`{"n":"\ud800"}`, `lone surrogate \ud800 at "/n"`, 6},
		{`{"n":NaN}`, `NaN is not a JSON number at "/n"`, 5},
		{`{} x`, `unexpected "x" after the value`, 3},
		{"[\x01]", `unexpected byte 0x01 where a value should be at "/0"`, 1},
		{"", `text ends where a value should be`, 0},
		{"\"\xff\"", `invalid UTF-8: byte 0xff`, 1},
		{"\xEF\xBB\xBF1", `byte order mark before the value`, 0},
	} {
		err := Check([]byte(c.in), Limits{})
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Error() != c.want || e.Offset != c.offset {
			t.Errorf("%q:\n got %v (%+v)\nwant %s, offset %d", c.in, err, e, c.want, c.offset)
		}
	}
}

func TestLongValuesAreCutInSentences(t *testing.T) {
	long := bytes.Repeat([]byte("é"), 5000)
	doc := []byte(`{"` + string(long) + `":1,"` + string(long) + `":2}`)
	err := Check(doc, Limits{})
	if err == nil || len(err.Error()) > 600 {
		t.Fatalf("got %d bytes of message", len(err.Error()))
	}
	if e, _ := errors.AsType[*Error](err); e.Pointer != "/"+string(long) {
		t.Error("the pointer itself is exact")
	}
}

func TestLimitsHoldAtTheirEdge(t *testing.T) {
	nested := func(n int) []byte {
		return append(bytes.Repeat([]byte("["), n), bytes.Repeat([]byte("]"), n)...)
	}
	if err := Check(nested(DefaultMaxDepth), Limits{}); err != nil {
		t.Errorf("default depth: %v", err)
	}
	if err := Check(nested(3), Limits{MaxDepth: 3}); err != nil {
		t.Errorf("depth 3: %v", err)
	}
	if err := Check(nested(4), Limits{MaxDepth: 3}); err == nil {
		t.Error("depth 4 of 3 is accepted")
	}
	if err := Check([]byte("[1,2]"), Limits{MaxBytes: 5}); err != nil {
		t.Errorf("5 bytes of 5: %v", err)
	}
	if err := Check(bytes.Repeat([]byte(" "), DefaultMaxBytes+1), Limits{MaxBytes: -1}); err == nil {
		t.Error("a negative limit is no limit")
	}
}
