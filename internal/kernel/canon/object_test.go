package canon

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is recognised as canonical is what the long way round leaves as it is.
func FuzzCanonicalTextIsRecognised(f *testing.F) {
	seed(f)
	for _, s := range []string{`{"a":1,"b":[1.5,1e-05,1e+16,-0.0]}`, `"\u001f\u0000\b"`, `"\u0008"`, `"\u001F"`, `"\/"`, `{"\n":1,"a":2}`, `{"b":1,"a":2}`, `[1,]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, l := range []Limits{{}, {MaxDepth: 2}, {MaxBytes: 16}} {
			long, err := rewritten(data, l)
			want := err == nil && bytes.Equal(long, data)
			if IsCanonical(data, l) != want {
				t.Fatalf("%q (%+v) is canonical: %t, want %t", data, l, !want, want)
			}
			short, shortErr := Canonical(data, l)
			if !bytes.Equal(short, long) || !sameRefusal(err, shortErr) {
				t.Fatalf("%q becomes %q %v, and the long way %q %v", data, short, shortErr, long, err)
			}
			if sum, _ := Digest(data, l); err == nil {
				if want, _ := Digest(long, Limits{MaxBytes: 1 << 30, MaxDepth: 1 << 20}); sum != want {
					t.Fatalf("the digest of %q is not that of %q", data, long)
				}
			}
		}
	})
}

// The parts of a value are those that the ordinary decoder finds, and it is
// refused for the same reason.
func FuzzPartsAreThoseOfTheWhole(f *testing.F) {
	seed(f)
	f.Add([]byte(" { \"a\" : [ 1 , 2 ] , \"\\u0062\" : { \"c\" : null } } \n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		object, err := ReadObject(data, Limits{})
		list, listErr := ReadList(data, Limits{})
		if checkErr := Check(data, Limits{}); checkErr != nil {
			if !sameRefusal(err, checkErr) || !sameRefusal(listErr, checkErr) {
				t.Fatalf("%q: Check says %v, ReadObject %v, ReadList %v", data, checkErr, err, listErr)
			}
			return
		}
		if err == nil {
			want := map[string]json.RawMessage{}
			if e := object.Decode(&want); e != nil || !maps.EqualFunc(object.Members, want, sameText) {
				t.Fatalf("%q has the members %v, want %v (%v)", data, object.Members, want, e)
			}
		}
		if listErr == nil {
			want := []json.RawMessage{}
			if e := Decode(data, &want, Limits{}); e != nil || !slices.EqualFunc(list, want, sameText) {
				t.Fatalf("%q has the items %v, want %v (%v)", data, list, want, e)
			}
		}
		kind := bytes.TrimLeft(data, " \t\r\n")[0]
		if (err == nil) != (kind == '{') || (listErr == nil) != (kind == '[') {
			t.Fatalf("%q: ReadObject %v, ReadList %v", data, err, listErr)
		}
	})
}

func sameText(a, b json.RawMessage) bool { return bytes.Equal(a, b) }

func TestPartsOfOtherValuesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`[1]`: "want an object, got an array", `null`: "want an object, got null", `"x"`: "want an object, got a string", `1`: "want an object, got a number",
	} {
		_, err := ReadObject([]byte(text), Limits{})
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != KindWrongType || e.Reason != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ReadList([]byte(`{}`), Limits{}); err == nil || !strings.Contains(err.Error(), "want an array, got an object") {
		t.Error(err)
	}
}

// Parts that are appended to leave their document as it is.
func TestPartsDoNotRunIntoOneAnother(t *testing.T) {
	data := []byte(`{"a":1,"b":2}`)
	object, err := ReadObject(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_ = append(object.Members["a"], "999"...)
	if diff := cmp.Diff(`{"a":1,"b":2}`, string(data)); diff != "" {
		t.Error(diff)
	}
}

func TestRecognisingBuildsNothing(t *testing.T) {
	data := []byte(`{"a":[1,2.5,true,null,"text"],"b":{"c":"d"},"e":"` + strings.Repeat("x", 1000) + `"}`)
	if n := testing.AllocsPerRun(100, func() {
		if !IsCanonical(data, Limits{}) {
			t.Fatal("it is canonical")
		}
	}); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
