package mcpserve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"bridle/internal/hcp/command"
	"bridle/internal/kernel/canon"
)

// conversation is a server with a host at its other end.
type conversation struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func talk(t *testing.T, o Options) *conversation {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	c := &conversation{t: t, in: inWrite, out: bufio.NewReader(outRead), done: make(chan error, 1)}
	if o.Resources == nil {
		o.Resources = func(context.Context) []Resource {
			return []Resource{{URI: "hcp://help", Name: "help", MIMEType: "text/plain"}}
		}
	}
	if o.Read == nil {
		o.Read = func(_ context.Context, uri string) (string, bool) { return "text of " + uri, uri == "hcp://help" }
	}
	go func() {
		err := Serve(t.Context(), inRead, outWrite, o)
		_ = outWrite.Close()
		c.done <- err
	}()
	t.Cleanup(func() {
		_ = c.in.Close()
		_, _ = io.Copy(io.Discard, c.out)
		if err := <-c.done; err != nil {
			t.Error(err)
		}
		_ = inRead.Close()
	})
	return c
}

func (c *conversation) send(format string, args ...any) {
	if _, err := fmt.Fprintf(c.in, format+"\n", args...); err != nil {
		c.t.Fatal(err)
	}
}

func (c *conversation) answer() map[string]any {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.t.Fatalf("%q: %v", line, err)
	}
	return m
}

func (c *conversation) wantCode(code int) {
	c.t.Helper()
	m := c.answer()
	e, _ := m["error"].(map[string]any)
	if e == nil || e["code"] != float64(code) {
		c.t.Errorf("%v, want code %d", m, code)
	}
}

func TestVersionIsTheHostsWhereItIsKnown(t *testing.T) {
	c := talk(t, Options{Name: "hcp"})
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "1999-01-01": versions[0],
	} {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, asked)
		if got := c.answer()["result"].(map[string]any)["protocolVersion"]; got != want {
			t.Errorf("%s: %v", asked, got)
		}
	}
}

func TestMessageThatIsNoneIsAnsweredAndEndsNothing(t *testing.T) {
	c := talk(t, Options{})
	for text, code := range map[string]int{
		`{`: codeParse, `{"a":1,"a":2}`: codeParse, "\xff": codeParse,
		`[]`: codeInvalid, `1`: codeInvalid, `{"jsonrpc":"1.0","id":1,"method":"ping"}`: codeInvalid, `{"jsonrpc":"2.0","id":{},"method":"ping"}`: codeInvalid,
		`{"jsonrpc":"2.0","id":1}`: codeInvalid, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`: codeUnknownMethod,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`: codeBadParams, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`: codeBadParams,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`: codeNoResource,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read"}`:                                       codeBadParams,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`:                                           codeBadParams,
		`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", mostBytes) + `"}`:               codeInvalid,
	} {
		c.send("%s", text)
		c.wantCode(code)
	}
	c.send("")
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.send(`{"jsonrpc":"2.0","id":9,"result":{}}`)
	c.send(`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`)
	line, err := c.out.ReadString('\n')
	if err != nil || line != `{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`+"\n" {
		t.Errorf("%q %v", line, err)
	}
}

func TestCallIsCancelledByItsIdAndByTheEndOfTheInput(t *testing.T) {
	started, ended := make(chan string), make(chan string, 2)
	c := talk(t, Options{Run: func(ctx context.Context, words []string) (string, bool) {
		started <- words[0]
		<-ctx.Done()
		ended <- words[0]
		return "", true
	}})
	c.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"hcp","arguments":{"argv":["one"]}}}`)
	<-started
	c.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"hcp","arguments":{"argv":["twice"]}}}`)
	c.wantCode(codeInvalid)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	if got := <-ended; got != "one" {
		t.Error(got)
	}
	// No answer follows a cancelled call: the next one is that of the ping.
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if m := c.answer(); m["id"] != float64(2) {
		t.Error(m)
	}
	c.send(`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"hcp","arguments":{"argv":["two"]}}}`)
	<-started
	_ = c.in.Close()
	if got := <-ended; got != "two" {
		t.Error(got)
	}
}

func TestACallThatIsCancelledBeforeThereIsRoomNeverStarts(t *testing.T) {
	started, goOn := make(chan string, mostCalls+1), make(chan struct{})
	c := talk(t, Options{Run: func(_ context.Context, words []string) (string, bool) {
		started <- words[0]
		<-goOn
		return "", false
	}})
	call := func(id int) {
		c.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"hcp","arguments":{"argv":["%d"]}}}`, id, id)
	}
	for id := range mostCalls {
		call(id)
	}
	for range mostCalls {
		<-started
	}
	call(100)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":100}}`)
	c.send(`{"jsonrpc":"2.0","id":"behind","method":"ping"}`)
	if m := c.answer(); m["id"] != "behind" {
		t.Fatal(m)
	}
	close(goOn)
	for range mostCalls {
		if m := c.answer(); m["id"] == float64(100) {
			t.Error(m)
		}
	}
	call(101)
	c.answer()
	if got := <-started; got != "101" || len(started) != 0 {
		t.Errorf("%q started", got)
	}
}

func TestWhatACancelledCallPrintedIsWithdrawn(t *testing.T) {
	withdrawn, started := make(chan string, 1), make(chan struct{})
	c := talk(t, Options{
		Run: func(ctx context.Context, _ []string) (string, bool) {
			close(started)
			<-ctx.Done()
			return "it asked", true
		},
		Withdraw: func(text string) { withdrawn <- text },
	})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hcp","arguments":{"argv":["x"]}}}`)
	<-started
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if got := <-withdrawn; got != "it asked" {
		t.Error(got)
	}
}

func TestCallsRunBesideEachOther(t *testing.T) {
	meet := make(chan struct{})
	c := talk(t, Options{Run: func(_ context.Context, words []string) (string, bool) {
		if words[0] == "first" {
			<-meet
		} else {
			close(meet)
		}
		return words[0], words[0] == "first"
	}})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hcp","arguments":{"args":"hcpx first"}}}`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hcp","arguments":{"args":"second"}}}`)
	for range 2 {
		m := c.answer()
		result := m["result"].(map[string]any)
		if (m["id"] == float64(1)) != result["isError"].(bool) {
			t.Error(m)
		}
	}
}

func TestReadingToolRunsNothingElse(t *testing.T) {
	var ran []string
	c := talk(t, Options{
		Split: true,
		Reads: func(words []string) bool { return words[0] == "list" },
		Run:   func(_ context.Context, words []string) (string, bool) { ran = append(ran, words...); return "x", false },
	})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hcp_read","arguments":{"argv":["install","x"]}}}`)
	if m := c.answer(); !strings.Contains(fmt.Sprint(m), CodeReadOnly) {
		t.Error(m)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hcp_read","arguments":{"argv":["list"]}}}`)
	c.answer()
	if diff := cmp.Diff([]string{"list"}, ran); diff != "" {
		t.Error(diff)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"hcp","arguments":{"argv":["list"]}}}`)
	c.wantCode(codeBadParams)
}

func TestToolsAreFewAndSayWhatTheyDo(t *testing.T) {
	one := (&server{}).tools()
	if len(one) != 1 || one[0].(object)["name"] != "hcp" || one[0].(object)["annotations"].(object)["readOnlyHint"] != false {
		t.Errorf("%v", one)
	}
	two := (&server{opts: Options{Split: true}}).tools()
	if len(two) != 2 || two[0].(object)["annotations"].(object)["readOnlyHint"] != true || two[1].(object)["annotations"].(object)["readOnlyHint"] != false {
		t.Errorf("%v", two)
	}
	text, err := canon.Marshal(one)
	if err != nil || len(text) > 1600 {
		t.Errorf("the tools take %d bytes of every conversation: %v", len(text), err)
	}
}

func TestLineIsSplitByQuotesAlone(t *testing.T) {
	for line, want := range map[string][]string{
		"":                                  nil,
		"  a\tb ":                           {"a", "b"},
		`exec t p -- from='Museum Quarter'`: {"exec", "t", "p", "--", "from=Museum Quarter"},
		`--args '{"a":"$(b) | c"}'`:         {"--args", `{"a":"$(b) | c"}`},
		`--args "{\"a\":1}"`:                {"--args", `{"a":1}`},
		`a\ b '' "" c\|d`:                   {"a b", "", "", "c|d"},
		`amount=$5 x=~ y=* {z}`:             {"amount=$5", "x=~", "y=*", "{z}"},
		`note="a; b & c > d"`:               {"note=a; b & c > d"},
	} {
		got, err := Split(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q %v", line, got, err)
		}
	}
	for _, line := range []string{"a|b", "a && b", "a;b", "a >b", "a <b", "`a`", "$(a)", "${a}", `"$(a)"`, "\"`a`\"", "a\nb", "a\r", "a\x00", "'a", `"a`, `a\`, "\"a\x00\""} {
		if got, err := Split(line); err == nil {
			t.Errorf("%q became %q", line, got)
		}
	}
	for _, words := range [][]string{{"a", "|", "sh"}, {"a", "&&", "b"}, {"$(a)"}, {"`a`"}, {"a\x00"}, {"a", ">", "f"}} {
		if checkWords(words) == nil {
			t.Errorf("%q passed", words)
		}
	}
	if err := checkWords([]string{"exec", "t", "p", "--", "text=a | b; c && d", "`x`"}); err != nil {
		t.Error(err)
	}
}

// Any words survive the way through a line that quotes them for a shell.
func TestQuotedWordsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[ -~é]{0,12}`), 1, 5).Draw(t, "words")
		line := command.Line(words)
		got, err := Split(line)
		if err != nil || !slices.Equal(got, words) {
			t.Fatalf("%q: %q, %v", line, got, err)
		}
	})
}

func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hcp","arguments":{"args":"a"}}}` + "\n"))
	f.Add([]byte("\n\n{}\n[1]\n{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var out strings.Builder
		err := Serve(t.Context(), strings.NewReader(string(data)), &out, Options{
			Run:       func(context.Context, []string) (string, bool) { return "", false },
			Resources: func(context.Context) []Resource { return nil },
			Read:      func(context.Context, string) (string, bool) { return "", false },
		})
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if err := canon.Check([]byte(line), canon.Limits{}); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		}
	})
}
