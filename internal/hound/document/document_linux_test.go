package document

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"bridle/internal/kernel/fault"
)

var form = Form{Required: []string{"a"}, Optional: []string{"b", "c"}, Nullable: []string{"c"}}

type example struct {
	A int             `json:"a"`
	B string          `json:"b,omitzero"`
	C json.RawMessage `json:"c,omitzero"`
}

func TestDocumentsAreClosedObjects(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"a":1}`:                              true,
		"\t{\"a\":1,\"b\":\"x\",\"c\":null}\n": true,
		`{"a":1,"c":[1,{"x":1.50}]}`:           true,
		`{}`:                                   false,
		`{"a":null}`:                           false,
		`{"a":1,"b":null}`:                     false,
		`{"a":1,"A":1}`:                        false,
		`{"a":1,"d":1}`:                        false,
		`{"a":1,"a":1}`:                        false,
		`{"a":1,"\u0061":1}`:                   false,
		`{"a":"1"}`:                            false,
		`{"a":1.5}`:                            false,
		`{"a":1}{"a":1}`:                       false,
		`{"a":1,}`:                             false,
		`[]`:                                   false,
		`null`:                                 false,
		`1`:                                    false,
		``:                                     false,
		"\ufeff{\"a\":1}":                      false,
		`{"a":1,"c":{"x":1,"x":2}}`:            false,
		`{"a":1,"c":"\ud800"}`:                 false,
		`{"a":1,"c":1e999}`:                    false,
		`{"a":1,"c":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`: false,
	} {
		var v example
		if err := Decode([]byte(text), form, &v); (err == nil) != ok {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

func TestSelfHashIsTheHashOfTheRest(t *testing.T) {
	for _, c := range [][2]string{
		{`{"a":1,"id":"x","z":[1.0,"é"]}`, `{"a":1,"z":[1.0,"é"]}`},
		{`{"id":"x"}`, `{}`},
		{`{"\"":1,"id":2}`, `{"\"":1}`},
		{`{"b":{"id":1}}`, `{"b":{"id":1}}`},
	} {
		if got, err := SelfHash(json.RawMessage(c[0]), "id"); err != nil || got != Sum([]byte(c[1])) {
			t.Errorf("%s: %s, %v", c[0], got, err)
		}
	}
}

func TestLinesAreCanonicalAndEndInALineFeed(t *testing.T) {
	for text, ok := range map[string]bool{
		"{\"a\":1}\n": true, "{}\n": true, "{\"a\":1}": false, "{\"a\":1}\n\n": false, "{\"a\": 1}\n": false, "{\"b\":1,\"a\":1}\n": false,
		"{\"a\":1e2}\n": false, "{\"a\":100.0}\n": true, "[]\n": false, "{\"a\":1}\r\n": false, "": false, "\n": false,
	} {
		if got := IsCanonicalLine([]byte(text)); got != ok {
			t.Errorf("%q: %v", text, got)
		}
	}
	line, err := Line(example{A: 1, C: json.RawMessage(`{"b": 1E2, "a": "ü"}`)})
	if err != nil || string(line) != "{\"a\":1,\"c\":{\"a\":\"ü\",\"b\":100.0}}\n" || !IsCanonicalLine(line) {
		t.Errorf("%q, %v", line, err)
	}
}

func TestOnlyRegularFilesAreReadAndNeverWaitedFor(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, dir, os.DevNull, filepath.Join(dir, "none"), filepath.Join(pipe, "x")} {
		if _, err := Read(path, "code", 2); !fault.Is(err, "code") || fault.From(err).Exit != 2 {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What a shell hands over with <(command) is a pipe, which has an end.
func TestDescriptorsHandedOverAreRead(t *testing.T) {
	for _, size := range []int{0, 10, 1 << 17} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat("x", size)
		go func() {
			_, _ = w.WriteString(text)
			_ = w.Close()
		}()
		got, err := Read("/dev/fd/"+strconv.Itoa(int(r.Fd())), "code", 2)
		if err != nil || string(got) != text {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
		_ = r.Close()
	}
	for _, path := range []string{"/dev/fd/../zero", "/dev/fd/x/../../zero", "/dev/fd/", "/dev/fd/-1"} {
		if _, err := Read(path, "code", 2); !fault.Is(err, "code") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestHashesAreLowerCaseHexadecimal(t *testing.T) {
	sum := Sum(nil)
	for text, ok := range map[string]bool{
		sum: true, strings.ToUpper(sum): false, sum[1:]: false, sum + "0": false, strings.Repeat("g", 64): false, "": false,
	} {
		if IsSHA256(text) != ok {
			t.Errorf("%q: %v", text, !ok)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":"x","c":null}`))
	f.Add([]byte(`{"a":1,"c":{"x":[1.50,"\ud83d\ude00"]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v example
		if Decode(data, form, &v) != nil {
			return
		}
		line, err := Line(json.RawMessage(data))
		if err != nil || !IsCanonicalLine(line) {
			t.Fatalf("%q has no line: %v", data, err)
		}
		var again example
		if err := Decode(line, form, &again); err != nil || again.A != v.A || again.B != v.B {
			t.Errorf("%q reads back as %+v, %v", data, again, err)
		}
		if sum, err := SelfHash(line[:len(line)-1], "none"); err != nil || sum != Sum(line[:len(line)-1]) {
			t.Errorf("%q: %v", data, err)
		}
	})
}
