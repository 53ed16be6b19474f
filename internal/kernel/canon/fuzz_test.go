package canon

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func seed(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.50,-0,"x\ud83e\udda6",null,true]}`, `{"a":1,"\u0061":2}`, `"\ud800"`, `1e400`,
		`[[[[]]]]`, "\xEF\xBB\xBF{}", `{"a":1}}`, `-0.0`, `01`, `"\u00e9\n"`, `NaN`, `{"":{"":0}}`, "\"\xff\"", ` 9007199254740993 `,
	} {
		f.Add([]byte(s))
	}
	for _, name := range []string{"accepted.json", "refused.json"} {
		b, err := os.ReadFile(filepath.Join("..", "..", "..", "spec", "canon", name))
		if err != nil {
			f.Fatal(err)
		}
		var v struct{ Documents []struct{ Input string } }
		if err := stdjson.Unmarshal(b, &v); err != nil {
			f.Fatal(err)
		}
		for _, d := range v.Documents {
			f.Add([]byte(d.Input))
		}
	}
}

// Writing what was read is a fixed point, and nothing that was read is lost.
func FuzzCanonicalIsAFixedPoint(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data, Limits{})
		if checkErr := Check(data, Limits{}); !sameRefusal(err, checkErr) {
			t.Fatalf("Parse says %v, Check says %v", err, checkErr)
		}
		if err != nil {
			return
		}
		once, err := Encode(v)
		if err != nil {
			t.Fatalf("%q is read but not written: %v", data, err)
		}
		if direct, err := Canonical(data, Limits{}); err != nil || !bytes.Equal(direct, once) {
			t.Fatalf("Canonical %q %v, Encode %q", direct, err, once)
		}
		w, err := Parse(once, Limits{MaxBytes: 1 << 30})
		if err != nil {
			t.Fatalf("%q: the canonical form %q is refused: %v", data, once, err)
		}
		if twice, err := Encode(w); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q then %q (%v)", once, twice, err)
		}
		wire, err := Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Parse(wire, Limits{MaxBytes: 1 << 30}); err != nil || !cmp.Equal(v, back) {
			t.Fatalf("Marshal loses something: %q -> %q (%v)", data, wire, err)
		}
	})
}

func sameRefusal(a, b error) bool {
	x, _ := errors.AsType[*Error](a)
	y, _ := errors.AsType[*Error](b)
	if x == nil || y == nil {
		return a == nil && b == nil
	}
	return *x == *y
}

// Two other readers are the oracle for the syntax: we accept what both accept,
// but for the rules that only we have.
func FuzzCheckAgreesWithOtherReaders(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		err := Check(data, Limits{MaxDepth: 5000, MaxBytes: 1 << 30})
		e, _ := errors.AsType[*Error](err)
		if (err == nil) != (e == nil) {
			t.Fatalf("an error that is no *Error: %v", err)
		}
		strict := jsontext.Value(data).IsValid()
		if e == nil {
			if !strict || !stdjson.Valid(data) || !utf8.Valid(data) {
				t.Fatalf("%q is accepted by us alone", data)
			}
			return
		}
		if e.Offset < 0 || e.Offset > int64(len(data)) {
			t.Fatalf("%q: offset %d", data, e.Offset)
		}
		if strict && e.Kind != KindNumberOverflow && e.Kind != KindTooDeep {
			t.Fatalf("%q is refused by us alone: %v", data, e)
		}
	})
}

func FuzzDecodeNeverPanicsAndOnlyNarrows(f *testing.F) {
	seed(f)
	f.Add([]byte(`{"name":"x","depth":1.0,"place":{"lat":0.5},"extra":{"k":[null]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var closed, open harbour
		err := Decode(data, &closed, Limits{})
		unknown, openErr := DecodeOpen(data, &open, Limits{})
		if err == nil && (openErr != nil || len(unknown) > 0 || !cmp.Equal(closed, open)) {
			t.Fatalf("%q: closed is fine, open says %q %v", data, unknown, openErr)
		}
		if err == nil && Check(data, Limits{}) != nil {
			t.Fatalf("%q is decoded without passing Check", data)
		}
	})
}
