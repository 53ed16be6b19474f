package journal

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

type event struct {
	At      string `json:"at"`
	Command string `json:"command"`
	N       int    `json:"n,omitzero"`
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, path string, opts Options) *Journal {
	t.Helper()
	j, err := Open(path, opts)
	must(t, err)
	t.Cleanup(func() { must(t, j.Close()) })
	return j
}

func add(t testing.TB, j *Journal, n int) Head {
	t.Helper()
	head, err := j.Append(context.Background(), event{"2026-03-01T10:00:00.000Z", "ledger.entry.add", n}, NoSync)
	must(t, err)
	return head
}

// written returns the path of a journal of n lines.
func written(t testing.TB, n int, opts Options) (string, []Head) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	j := open(t, path, opts)
	heads := []Head{{}}
	for i := range n {
		heads = append(heads, add(t, j, i+1))
	}
	return path, heads
}

func content(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

// intact fails the test unless the journal is as it was written.
func intact(t testing.TB, path string, kept ...Head) Report {
	t.Helper()
	r, err := Verify(path, kept...)
	must(t, err)
	if r.Problem != nil {
		t.Errorf("problem: %+v", *r.Problem)
	}
	return r
}

func TestLinesHaveTheirNumberTheHashBeforeAndTheEvent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	j := open(t, path, Options{})
	if b := content(t, path); b != "" {
		t.Fatalf("a new journal holds %q", b)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	for _, e := range []any{
		event{At: "t", Command: "<a> & é"},
		map[string]any{"z": json.Number("2.80"), "a": nil},
		struct{}{},
		json.RawMessage(`{"raw":[1, 2]}`),
		Compact(`{"raw":"a b"}`),
		Compact("\n{\"raw\":\n1}\n"),
		Compact(`{}`),
	} {
		if _, err := j.Append(t.Context(), e, Sync); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.SplitAfter(content(t, path), "\n")
	zero := strings.Repeat("0", 64)
	want := []string{
		`{"seq":1,"prev":"` + zero + `","at":"t","command":"<a> & é"}` + "\n",
		`{"seq":2,"prev":"` + hashOf([]byte(strings.TrimSpace(lines[0]))) + `","a":null,"z":2.80}` + "\n",
		`{"seq":3,"prev":"` + hashOf([]byte(strings.TrimSpace(lines[1]))) + `"}` + "\n",
		`{"seq":4,"prev":"` + hashOf([]byte(strings.TrimSpace(lines[2]))) + `","raw":[1,2]}` + "\n",
		`{"seq":5,"prev":"` + hashOf([]byte(strings.TrimSpace(lines[3]))) + `","raw":"a b"}` + "\n",
		`{"seq":6,"prev":"` + hashOf([]byte(strings.TrimSpace(lines[4]))) + `","raw":1}` + "\n",
		`{"seq":7,"prev":"` + hashOf([]byte(strings.TrimSpace(lines[5]))) + `"}` + "\n",
		"",
	}
	for i := range want {
		if lines[i] != want[i] {
			t.Errorf("line %d\n got %swant %s", i+1, lines[i], want[i])
		}
	}
	head, err := j.Head(t.Context())
	must(t, err)
	r := intact(t, path, head)
	if r.Lines != 7 || r.Head != head || head.Seq != 7 || r.From != (Head{}) || r.Healed != 0 || r.Torn != 0 || r.Err() != nil {
		t.Errorf("report %+v", r)
	}
}

func TestEventsThatCannotBeLinesAreRefusedAndNothingIsWritten(t *testing.T) {
	path, heads := written(t, 1, Options{})
	j := open(t, path, Options{})
	before := content(t, path)
	for name, e := range map[string]any{
		"a list":            []int{1},
		"a string":          "x",
		"null":              nil,
		"own seq":           map[string]any{"seq": 1},
		"own prev":          map[string]any{"prev": ""},
		"own healed":        map[string]any{"healed": nil},
		"escaped own name":  json.RawMessage(`{"s\u0065q":7}`),
		"not UTF-8":         event{Command: "\xff"},
		"written not UTF-8": Compact("{\"a\":\"\xff\"}"),
		"written own name":  Compact(`{"prev":""}`),
		"written twice":     Compact(`{"a":1,"a":2}`),
		"two written":       Compact(`{"a":1}{"b":2}`),
		"no object":         Compact(`{"a":1}]}`),
		"written nothing":   Compact(nil),
		"a control":         Compact("{\"a\":\"\n\"}"),
		"twice":             json.RawMessage(`{"a":1,"a":2}`),
		"too long":          event{Command: strings.Repeat("x", MaxLine)},
		"too long, escaped": event{Command: strings.Repeat("\x01", MaxLine/5)},
		"too deep":          json.RawMessage(strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)),
	} {
		if head, err := j.Append(t.Context(), e, Sync); err == nil || head != (Head{}) {
			t.Errorf("%s is accepted: %+v", name, head)
		}
	}
	if got := content(t, path); got != before {
		t.Errorf("the file changed: %q", got)
	}
	if next := add(t, j, 2); next.Seq != heads[1].Seq+1 {
		t.Errorf("next %+v", next)
	}
	long := event{Command: strings.Repeat("x", MaxLine-400)}
	if _, err := j.Append(t.Context(), long, NoSync); err != nil {
		t.Errorf("a long line: %v", err)
	}
	add(t, j, 3)
	intact(t, path)
}

func TestSeveralJournalsOfOneFileTakeTurns(t *testing.T) {
	path, _ := written(t, 3, Options{})
	a, b := open(t, path, Options{}), open(t, path, Options{})
	for i := range 10 {
		if head := add(t, a, i); head.Seq != uint64(4+2*i) {
			t.Fatalf("a: %+v", head)
		}
		if head := add(t, b, i); head.Seq != uint64(5+2*i) {
			t.Fatalf("b: %+v", head)
		}
	}
	if r := intact(t, path); r.Lines != 23 {
		t.Errorf("%d lines", r.Lines)
	}
}

func TestFilesThatOthersCouldHaveWrittenAreRefused(t *testing.T) {
	dir := t.TempDir()
	genuine, _ := written(t, 2, Options{})
	must(t, os.Symlink(genuine, dir+"/link"))
	must(t, os.Symlink("nowhere", dir+"/dangling"))
	must(t, os.Mkdir(dir+"/folder", 0o755))
	for _, mode := range []fs.FileMode{0o620, 0o602, 0o666} {
		name := fmt.Sprintf("%s/%o", dir, mode)
		must(t, os.WriteFile(name, nil, 0o600))
		must(t, os.Chmod(name, mode))
	}
	for _, name := range []string{"link", "dangling", "folder", "620", "602", "666"} {
		path := filepath.Join(dir, name)
		if j, err := Open(path, Options{}); !fault.Is(err, CodeUnsafe) {
			t.Errorf("Open %s: %v %v", name, j, err)
		}
		if _, err := Verify(path); !fault.Is(err, CodeUnsafe) {
			t.Errorf("Verify %s: %v", name, err)
		}
		if _, err := Read(path, nil, 1); !fault.Is(err, CodeUnsafe) {
			t.Errorf("Read %s: %v", name, err)
		}
	}
	if _, err := os.Lstat(dir + "/nowhere"); err == nil {
		t.Error("a file was made through the dangling link")
	}
	if _, err := Open(dir+"/no/journal", Options{}); !fault.Is(err, durable.CodeNotFound) {
		t.Errorf("missing folder: %v", err)
	}
	// A file that becomes a link while it is open is refused at the next line.
	j := open(t, genuine, Options{})
	must(t, os.Rename(genuine, genuine+".moved"))
	must(t, os.Symlink(genuine+".moved", genuine))
	if _, err := j.Append(t.Context(), event{}, NoSync); !fault.Is(err, CodeUnsafe) {
		t.Errorf("Append: %v", err)
	}
}

// tornTails are what a crash can leave behind line 3, whose next line would
// be next.
func tornTails(next string) map[string]string {
	tails := map[string]string{
		"zeros":                       strings.Repeat("\x00", 4096),
		"zeros and the end of a line": strings.Repeat("\x00", 100) + `"n":4}` + "\n",
		"half a line and zeros":       next[:20] + strings.Repeat("\x00", 50),
		"half a character":            next[:80] + "\xc3",
	}
	for n := 1; n < len(next)-1; n++ {
		tails[fmt.Sprintf("%d bytes", n)] = next[:n]
	}
	return tails
}

func TestATornTailIsHealedAndExplained(t *testing.T) {
	path, heads := written(t, 4, Options{})
	whole := content(t, path)
	lines := strings.SplitAfter(whole, "\n")
	three := strings.Join(lines[:3], "")
	for name, torn := range tornTails(lines[3]) {
		must(t, os.WriteFile(path, []byte(three+torn), 0o600))
		if r := intact(t, path, heads[3]); r.Torn != int64(len(torn)) || r.Lines != 3 {
			t.Fatalf("%s, before: %+v", name, r)
		}
		j := open(t, path, Options{})
		if head := add(t, j, 40); head.Seq != 5 {
			t.Errorf("%s: the event is line %d", name, head.Seq)
		}
		add(t, j, 41)
		r := intact(t, path, heads[3])
		if r.Healed != 1 || r.Torn != 0 || r.Lines != 6 {
			t.Errorf("%s: %+v", name, r)
		}
		got := content(t, path)
		if !strings.HasPrefix(got, three) {
			t.Fatalf("%s: an acknowledged line is gone", name)
		}
		line, ok := parse([]byte(strings.SplitAfter(got, "\n")[3][:len(strings.SplitAfter(got, "\n")[3])-1]))
		if !ok || line.healed == nil || line.healed.Bytes != int64(len(torn)) || line.healed.SHA256 != hashOf([]byte(torn)) ||
			!strings.HasPrefix(torn, string(line.healed.Text)) || len(line.healed.Text) != min(len(torn), 1024) {
			t.Errorf("%s: healed by %+v", name, line.healed)
		}
		if found, err := Read(path, nil, 0); err != nil || len(found) != 5 {
			t.Errorf("%s: %d events %v", name, len(found), err)
		}
	}
}

func TestAWholeLineWithoutItsLineFeedIsKept(t *testing.T) {
	for n := 1; n <= 3; n++ {
		path, heads := written(t, n, Options{})
		must(t, os.WriteFile(path, []byte(strings.TrimSuffix(content(t, path), "\n")), 0o600))
		intact(t, path, heads[n])
		if head := add(t, open(t, path, Options{}), 9); head.Seq != uint64(n+1) {
			t.Errorf("after %d lines: %+v", n, head)
		}
		if r := intact(t, path, heads...); r.Healed != 0 || r.Lines != uint64(n+1) {
			t.Errorf("after %d lines: %+v", n, r)
		}
	}
}

func TestAnEndThatNoCrashLeavesStopsAppending(t *testing.T) {
	path, _ := written(t, 3, Options{})
	lines := strings.SplitAfter(content(t, path), "\n")
	for name, text := range map[string]string{
		"another log":                              `{"ts":1,"command":"x"}` + "\n",
		"a last line that was edited":              lines[0] + lines[1] + strings.Replace(lines[2], `{"seq"`, `{"Seq"`, 1),
		"a broken last line":                       lines[0] + lines[1] + strings.TrimSuffix(lines[2], "}\n") + "\n",
		"a text behind the last line":              strings.Join(lines, "") + "see you\n",
		"an empty line":                            strings.Join(lines, "") + "\n",
		"two lines without a journal":              "a\nb",
		"complete JSON without an end":             strings.Join(lines, "") + `{"seq":9}`,
		"a line that does not follow":              lines[0] + strings.TrimSuffix(lines[2], "\n"),
		"zeros before a line that does not follow": lines[0] + lines[1][:90] + "\x00\x00" + lines[1][92:] + strings.TrimSuffix(lines[2], "\n"),
		"much of nothing":                          strings.Repeat("x", 5*MaxLine),
		"zeros without end":                        strings.Join(lines, "") + strings.Repeat("\x00", 3*MaxLine),
	} {
		must(t, os.WriteFile(path, []byte(text), 0o600))
		j := open(t, path, Options{})
		if head, err := j.Append(t.Context(), event{}, NoSync); !fault.Is(err, CodeBroken) {
			t.Errorf("%s: %+v %v", name, head, err)
		}
		if content(t, path) != text {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestAJournalThatShrinksUnderAProcessIsRefused(t *testing.T) {
	path, _ := written(t, 3, Options{})
	j := open(t, path, Options{})
	add(t, j, 4)
	all := content(t, path)
	lines := strings.SplitAfter(all, "\n")
	for name, text := range map[string]string{
		"cut":      strings.Join(lines[:3], ""),
		"emptied":  "",
		"replaced": strings.Replace(all, `"n":4`, `"n":5`, 1),
	} {
		must(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := j.Append(t.Context(), event{}, NoSync); !fault.Is(err, CodeBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, os.Remove(path))
	if _, err := j.Append(t.Context(), event{}, NoSync); !fault.Is(err, CodeBroken) {
		t.Errorf("removed: %v", err)
	}
}

func TestTheLockIsWaitedForNoLongerThanAsked(t *testing.T) {
	path, _ := written(t, 1, Options{})
	unlock, err := durable.Lock(t.Context(), path+".lock", "the other")
	must(t, err)
	j := open(t, path, Options{Wait: 1})
	if _, err := j.Append(t.Context(), event{}, NoSync); !fault.Is(err, durable.CodeLocked) || !strings.Contains(err.Error(), "the other") {
		t.Errorf("got %v", err)
	}
	unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Append(ctx, event{}, NoSync); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a free lock, but %v", err)
	}
}

func TestKeyedDigestIsHMACSHA256(t *testing.T) {
	// RFC 4231, test cases 1 and 2.
	for _, c := range []struct{ key, data, want string }{
		{strings.Repeat("\x0b", 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
		{"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
	} {
		if got := KeyedDigest([]byte(c.key), []byte(c.data)); got != c.want {
			t.Errorf("got %s", got)
		}
	}
}

func TestAKeyIsMadeOnceAndKeptFromOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	keys := make(chan []byte)
	for range 8 {
		go func() {
			key, err := Key(path)
			if err != nil {
				t.Error(err)
			}
			keys <- key
		}()
	}
	first := <-keys
	for range 7 {
		if k := <-keys; !bytes.Equal(k, first) || len(k) != KeySize {
			t.Errorf("two keys: %d bytes and %d bytes", len(first), len(k))
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || content(t, path) != string(first) {
		t.Errorf("%v %v", info, err)
	}
	must(t, os.Chmod(path, 0o644))
	if key, err := Key(path); err != nil || !bytes.Equal(key, first) {
		t.Errorf("a key that others could read: %v", err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("it was not made private again: %v, %v", info.Mode(), err)
	}
	if bytes.Equal(first, make([]byte, KeySize)) {
		t.Error("the key is all zeros")
	}
	for name, spoil := range map[string]func(){
		"writable by others": func() { must(t, os.Chmod(path, 0o602)) },
		"short":              func() { must(t, os.WriteFile(path, first[1:], 0o600)) },
		"long":               func() { must(t, os.WriteFile(path, append(first, 0), 0o600)) },
		"empty":              func() { must(t, os.WriteFile(path, nil, 0o600)) },
		"a link": func() {
			must(t, os.Rename(path, path+"2"))
			must(t, os.Symlink(path+"2", path))
		},
		"a folder": func() { must(t, os.Mkdir(path, 0o700)) },
	} {
		must(t, os.RemoveAll(path))
		must(t, os.WriteFile(path, first, 0o600))
		if name == "a folder" {
			must(t, os.Remove(path))
		}
		spoil()
		key, err := Key(path)
		if !fault.Is(err, CodeBadKey) || key != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), hex.EncodeToString(first)) {
			t.Error("the message holds the key")
		}
	}
}
