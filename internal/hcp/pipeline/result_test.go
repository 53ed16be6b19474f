package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/binding"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/redact"
)

// printed is a world whose command wrote the given output and ended well.
func printed(t *testing.T, stdout string) *world {
	w := newWorld(t)
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		exit := 0
		return adapter.Outcome{
			Started: true, ExitCode: &exit,
			Stdout: &adapter.Stream{Head: []byte(stdout), Size: int64(len(stdout))},
			Stderr: &adapter.Stream{},
		}
	}
	return w
}

func TestResultIsTheOutputOfTheCommand(t *testing.T) {
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	for _, c := range []struct {
		name, stdout, result string
		note                 string
	}{
		{"object", `{"b":1,"a":2}`, `{"b":1,"a":2}`, ""},
		{"order, spaces and digits stay", "{ \"z\": 2.80,\n  \"a\": 12345678901234567890, \"f\": 1e2 }\n", "{ \"z\": 2.80,\n  \"a\": 12345678901234567890, \"f\": 1e2 }", ""},
		{"scalar", "42\n", "42", ""},
		{"null", "null", "null", ""},
		{"string", `"x"`, `"x"`, ""},
		{"text", "hello\n", `"hello\n"`, ""},
		{"nothing", "", `""`, ""},
		{"white space", " \n", `" \n"`, ""},
		{"half a document", `{"a":`, `"{\"a\":"`, "no valid JSON"},
		{"two documents", `{"a":1}{"a":2}`, `"{\"a\":1}{\"a\":2}"`, "no valid JSON"},
		{"duplicate name", `{"a":1,"a":2}`, `"{\"a\":1,\"a\":2}"`, `duplicate`},
		{"too deep", deep, `"` + deep + `"`, "no valid JSON"},
		{"lone surrogate", `{"a":"\ud800"}`, `"{\"a\":\"\\ud800\"}"`, "no valid JSON"},
		{"invalid UTF-8 in JSON", "{\"a\":\"x\xff\"}", "{\"a\":\"x\uFFFD\"}", "1 byte that was no valid UTF-8"},
		{"invalid UTF-8 in text", "x\xff\xfe", "\"x\uFFFD\uFFFD\"", "2 bytes that were no valid UTF-8"},
		{"markup stays", `{"a":"<b>&"}`, `{"a":"<b>&"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := printed(t, c.stdout)
			r := w.exec("desk", "list", nil)
			if !r.OK || string(r.Result) != c.result {
				t.Fatalf("result %s\nwant   %s\n%+v", r.Result, c.result, r)
			}
			if c.note == "" && len(r.Notes) != 0 {
				t.Errorf("notes %q", r.Notes)
			}
			if c.note != "" && !strings.Contains(strings.Join(r.Notes, "\n"), c.note) {
				t.Errorf("notes %q lack %q", r.Notes, c.note)
			}
			if !json.Valid(r.Result) {
				t.Error("the result is no JSON")
			}
			if r.ExitCode == nil || *r.ExitCode != 0 {
				t.Error("no exit code")
			}
		})
	}
}

func TestFailureKeepsStreamsAndSaysWhy(t *testing.T) {
	w := newWorld(t)
	exit := 2
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		return adapter.Outcome{
			Started: true, ExitCode: &exit, Failure: fault.New(adapter.CodeCommandFailed, "broken"),
			Stdout: &adapter.Stream{Head: []byte(`{"state":"warn"}`), Size: 16},
			Stderr: &adapter.Stream{Head: []byte("broken\n"), Size: 7},
		}
	}
	r := w.exec("desk", "list", nil)
	if r.OK || r.Error != "broken" || r.Code != "command_failed" || *r.ExitCode != 2 || r.Stderr != "broken\n" || string(r.Result) != `{"state":"warn"}` {
		t.Fatalf("%+v", r)
	}
	w = newWorld(t)
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		return adapter.Outcome{Started: true, Failure: fault.New("x", " \n"), Stdout: &adapter.Stream{Head: []byte("some text"), Size: 9}}
	}
	if r := w.exec("desk", "list", nil); r.Error == "" || strings.TrimSpace(r.Error) == "" || r.Result != nil || r.Stdout != "some text" {
		t.Fatalf("%+v", r)
	}
}

func TestWhatIsReplacedInTheErrorAndInItsStreamCountsOnce(t *testing.T) {
	w := newWorld(t)
	exit := 3
	for text, want := range map[string]string{
		"bad \xff":     "1 byte that was no valid UTF-8 was replaced",
		"bad \xff\xff": "2 bytes that were no valid UTF-8 were replaced",
	} {
		w.run = func(context.Context, adapter.Request) adapter.Outcome {
			return adapter.Outcome{
				Started: true, ExitCode: &exit, Failure: fault.New(adapter.CodeCommandFailed, text),
				Stdout: &adapter.Stream{}, Stderr: &adapter.Stream{Head: []byte(text), Size: int64(len(text))},
			}
		}
		if r := w.exec("desk", "list", nil); len(r.Notes) != 1 || r.Notes[0] != want {
			t.Errorf("%q: notes %q, want %q", text, r.Notes, want)
		}
	}
}

func TestLongOutputIsCutAndKept(t *testing.T) {
	long := `{"a":"` + strings.Repeat("é", 1<<20) + `"}`
	w := printed(t, long)
	store := &outputsDouble{}
	w.options.Outputs = store
	r := w.exec("desk", "list", nil)
	var head string
	if err := json.Unmarshal(r.Result, &head); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(long, head) || len(head) > maxResult || len(head) < maxResult-3 {
		t.Fatalf("head of %d bytes", len(head))
	}
	want := hcp.ReadMore{Ref: "out_1", Stream: "stdout", Size: int64(len(long)), Offset: int64(len(head))}
	if r.ReadMore == nil || *r.ReadMore != want || string(store.saved) != long {
		t.Fatalf("%+v, %d bytes kept", r.ReadMore, len(store.saved))
	}
	if r.Stdout != "" {
		t.Error("the head is carried twice")
	}
	w.options.Outputs = nil
	if r := w.exec("desk", "list", nil); r.ReadMore != nil || !strings.Contains(r.Notes[0], "2097160 bytes") {
		t.Fatalf("%+v", r.Notes)
	}
	store.err = fault.New("store_io", "no space left")
	w.options.Outputs = store
	if r := w.exec("desk", "list", nil); r.ReadMore != nil || !r.OK || !strings.Contains(strings.Join(r.Notes, " "), "no space left") {
		t.Fatalf("%+v", r.Notes)
	}
}

func TestOutputBeyondWhatIsKeptIsCounted(t *testing.T) {
	w := newWorld(t)
	store := &outputsDouble{}
	w.options.Outputs = store
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		return adapter.Outcome{Started: true, Stdout: &adapter.Stream{Head: []byte(`{"a":1}`), Size: 64 << 20}}
	}
	r := w.exec("desk", "list", nil)
	if string(r.Result) != `"{\"a\":1}"` || r.ReadMore.Size != 7 || !strings.Contains(strings.Join(r.Notes, " "), "67108864 bytes; the first 7 were kept") {
		t.Fatalf("%s %+v %q", r.Result, r.ReadMore, r.Notes)
	}
}

func TestLongValueOfAHandlerIsCut(t *testing.T) {
	w := newWorld(t)
	w.options.Outputs = &outputsDouble{}
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		return adapter.Outcome{Started: true, Value: json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)}
	}
	r := w.exec("desk", "list", nil)
	if len(r.Result) > maxResult+8 || r.ReadMore == nil || r.ReadMore.Stream != "result" {
		t.Fatalf("%d bytes, %+v", len(r.Result), r.ReadMore)
	}
}

func TestLongErrorIsCut(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("e", 1<<20)
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		return adapter.Outcome{Started: true, Failure: fault.New("command_failed", long), Stderr: &adapter.Stream{Head: []byte(long), Size: int64(len(long))}}
	}
	r := w.exec("desk", "list", nil)
	if len(r.Error) != maxStderr || len(r.Stderr) != maxStderr || !strings.Contains(strings.Join(r.Notes, " "), "stderr has 1048576 bytes") {
		t.Fatalf("%d %d %q", len(r.Error), len(r.Stderr), r.Notes)
	}
}

// A minted secret never comes back, whichever way the command sends it.
func TestMintedSecretsAreReplacedEverywhere(t *testing.T) {
	const secret = "s3cr3t-token-value-0123456789"
	w := newWorld(t)
	w.hub.credential = binding.Credential{
		Identity: "hub:office",
		Env:      map[string]redact.Secret{"DESK_TOKEN": redact.NewSecret(secret)},
		Files:    []binding.File{{Name: "key", Var: "DESK_KEY", Content: redact.NewSecret("another-secret-of-the-file")}},
	}
	store := &outputsDouble{}
	w.options.Outputs = store
	out := []byte(`{"token":"` + secret + `","file":"another-secret-of-the-file"}`)
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		f := fault.New("command_failed", "bad token "+secret).WithHint("check %s", secret).WithNext("x " + secret)
		return adapter.Outcome{
			Started: true, Failure: f, Notes: []string{"used " + secret},
			Stdout: &adapter.Stream{Head: bytes.Clone(out), Size: int64(len(out))},
			Stderr: &adapter.Stream{Head: []byte("token=" + secret), Size: 40},
		}
	}
	r := w.exec("desk", "send", nil)
	checkClean := func(r hcp.ExecResult) {
		t.Helper()
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := json.Marshal(w.audit.events)
		if err != nil {
			t.Fatal(err)
		}
		for name, where := range map[string][]byte{"result": text, "audit log": lines, "kept output": store.saved} {
			if bytes.Contains(where, []byte(secret)) || bytes.Contains(where, []byte("another-secret")) {
				t.Errorf("the secret is in the %s: %.200s", name, where)
			}
		}
	}
	checkClean(r)
	if !json.Valid(r.Result) || !strings.Contains(strings.Join(r.Notes, " "), "minted secret") {
		t.Errorf("%+v", r)
	}
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		long := strings.Repeat("x", maxResult-10) + secret + strings.Repeat("y", 100)
		return adapter.Outcome{Started: true, Stdout: &adapter.Stream{Head: []byte(long), Size: int64(len(long))}}
	}
	checkClean(w.exec("desk", "send", nil))
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		return adapter.Outcome{Started: true, Value: json.RawMessage(`"` + secret + `"`)}
	}
	checkClean(w.exec("desk", "send", nil))
}

func TestCutNeverSplitsACharacter(t *testing.T) {
	text := []byte("aé€😀")
	for limit := range len(text) + 2 {
		cut := cutUTF8(text, limit)
		if len(cut) > limit || !bytes.HasPrefix(text, cut) || strings.ContainsRune(string(cut), '\uFFFD') {
			t.Errorf("limit %d: %q", limit, cut)
		}
	}
}

type outputsDouble struct {
	saved []byte
	err   error
}

func (d *outputsDouble) SaveOutput(_ context.Context, data []byte) (string, error) {
	if d.err != nil {
		return "", d.err
	}
	d.saved = bytes.Clone(data)
	return "out_1", nil
}

func TestByteOrderMarkOfAProgramIsNamed(t *testing.T) {
	w := newWorld(t)
	for text, want := range map[string]string{
		"\uFEFF{\"a\":1}": "stdout begins with a byte order mark, which JSON does not allow; the result is its raw text",
		"\uFEFFhello":     "stdout begins with a byte order mark, which JSON does not allow; the result is its raw text",
		"hello":           "",
		"{\"a\":1}":       "",
	} {
		w.run = func(context.Context, adapter.Request) adapter.Outcome {
			return adapter.Outcome{Started: true, Stdout: &adapter.Stream{Head: []byte(text), Size: int64(len(text))}}
		}
		r := w.exec("desk", "list", nil)
		if strings.Join(r.Notes, "") != want || !r.OK {
			t.Errorf("%q: %q, want %q", text, r.Notes, want)
		}
	}
}

func TestNotesCountInWords(t *testing.T) {
	w := newWorld(t)
	for text, want := range map[string]string{
		"a\xff":     "1 byte that was no valid UTF-8 was replaced",
		"\xff-\xff": "2 bytes that were no valid UTF-8 were replaced",
	} {
		w.run = func(context.Context, adapter.Request) adapter.Outcome {
			return adapter.Outcome{Started: true, Stdout: &adapter.Stream{Head: []byte(text), Size: int64(len(text))}}
		}
		if r := w.exec("desk", "list", nil); strings.Join(r.Notes, "") != want {
			t.Errorf("%q: %q", text, r.Notes)
		}
	}
}
