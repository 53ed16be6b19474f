package configedit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bridle/internal/kernel/canon"
)

var testMarks, testTOMLMarks = Marks{"<!-- BEGIN OURS -->", "<!-- END OURS -->"}, Marks{"# BEGIN OURS", "# END OURS"}

// settings puts in what callers put in: a member, a member of an object that may
// be there, and items of a list.
func settings(e *Edit) error {
	if err := e.Set([]string{"mcpServers", "hcp"}, `{"type":"stdio","command":"hcpx","args":["mcp"],"env":{"HOME_OF":"/s"}}`); err != nil {
		return err
	}
	if err := e.Set([]string{"env", "AGENT"}, `"1"`); err != nil {
		return err
	}
	return e.AddItems([]string{"permissions", "deny"}, `"Bash(hcpx mode *)"`, `{"matcher": "Edit", "hooks": ["x", 1]}`)
}

func TestEditLooksLikeTheFileItIsIn(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"nothing": {"", "{\n  \"mcpServers\": {\n    \"hcp\": {\n      \"command\": \"hcpx\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n"},
		"tabs and a neighbour": {
			"{\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\"} // mine\n\t}\n}\n",
			"{\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\"}, // mine\n\t\t\"hcp\": {\n\t\t\t\"command\": \"hcpx\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t}\n}\n",
		},
		"one line": {
			`{"mcpServers": {"other": {"command": "x"}}}`,
			`{"mcpServers": {"other": {"command": "x"}, "hcp": {"command":"hcpx","args":["mcp"]}}}`,
		},
		"trailing commas, Windows": {
			"\ufeff{\r\n    \"mcpServers\": {\r\n        \"other\": {},\r\n    },\r\n}\r\n",
			"\ufeff{\r\n    \"mcpServers\": {\r\n        \"other\": {},\r\n        \"hcp\": {\r\n            \"command\": \"hcpx\",\r\n            \"args\": [\r\n                \"mcp\"\r\n            ]\r\n        },\r\n    },\r\n}\r\n",
		},
		"a comment last": {
			"{\n  \"a\": 1\n  // the end\n}",
			"{\n  \"a\": 1,\n  // the end\n  \"mcpServers\": {\n    \"hcp\": {\n      \"command\": \"hcpx\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}",
		},
	} {
		e := Edit{text: c.before}
		if err := e.Set([]string{"mcpServers", "hcp"}, `{"command":"hcpx","args":["mcp"]}`); err != nil || e.text != c.after {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, e.text, c.after)
		}
		if back, ok := revert(e.text, e.splices); !ok || back != c.before {
			t.Errorf("%s: not restored: %q", name, back)
		}
	}
}

func TestWhatCannotBeReadIsNotEdited(t *testing.T) {
	for _, text := range []string{
		`{`, `[]`, `"x"`, `{"a":1,"a":2}`, `{"mcpServers":[]}`, `{'a':1}`, `{a:1}`, `{"a":1} {}`, `{"a":/* `, "{\"a\":\"\x80\"}",
		`{"permissions":{"deny":{}}}`, `{"env":[]}`, "{\"a\":1,,}", `{,}`, "\ufeff\ufeff{}",
	} {
		e := Edit{text: text}
		if err := settings(&e); err == nil {
			t.Errorf("%q became %q", text, e.text)
		}
	}
}

// genDocument draws an object with comments, odd white space and trailing
// commas, as people write them.
func genDocument(t *rapid.T) string {
	space := rapid.SampledFrom([]string{"", " ", "\n", "\n  ", "\r\n\t", " // note\n", " /* a, } */ ", "\t"})
	var value func(depth int) string
	object := func(depth int, extra ...string) string {
		parts := append([]string{}, extra...)
		for i := range rapid.IntRange(0, 3).Draw(t, "members") {
			name := rapid.SampledFrom([]string{"a", "b", "//", "c,}", "é", "\\\""}).Draw(t, "name") + strings.Repeat("_", i)
			parts = append(parts, `"`+name+`"`+space.Draw(t, "s")+":"+space.Draw(t, "s")+value(depth-1))
		}
		text := "{" + space.Draw(t, "s") + strings.Join(parts, space.Draw(t, "s")+","+space.Draw(t, "s"))
		if len(parts) > 0 && rapid.Bool().Draw(t, "trailing") {
			text += space.Draw(t, "s") + ","
		}
		return text + space.Draw(t, "s") + "}"
	}
	value = func(depth int) string {
		kinds := []string{"1", "true", `"x // y"`, `"\\"`, "list", "object"}
		if depth <= 0 {
			kinds = kinds[:4]
		}
		switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
		case "object":
			return object(depth)
		case "list":
			return "[" + space.Draw(t, "s") + value(depth-1) + space.Draw(t, "s") + "]"
		default:
			return kind
		}
	}
	var extra []string
	if rapid.Bool().Draw(t, "servers") {
		extra = append(extra, `"mcpServers":`+object(2))
	}
	if rapid.Bool().Draw(t, "permissions") {
		extra = append(extra, `"permissions":{"deny":[`+space.Draw(t, "s")+`"mine"`+space.Draw(t, "s")+"]}")
	}
	bom := rapid.SampledFrom([]string{"", byteOrderMark}).Draw(t, "mark")
	return bom + space.Draw(t, "s") + object(2, extra...) + space.Draw(t, "s")
}

// withoutOurs is a document's value with our parts taken out.
func withoutOurs(t interface{ Fatal(...any) }, text string) string {
	d, err := parse(text)
	if err != nil {
		t.Fatal(err, text)
	}
	value, err := canon.Parse([]byte(d.plain), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := canon.Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// keepsOrder reports whether all of old occurs in the new text, in order.
func keepsOrder(old, text string) bool {
	at := 0
	for i := range len(old) {
		n := strings.IndexByte(text[at:], old[i])
		if n < 0 {
			return false
		}
		at += n + 1
	}
	return true
}

func checkEdit(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, before string,
) {
	e := Edit{text: before}
	if settings(&e) != nil {
		return
	}
	// Nothing but white space was taken away, and nothing was moved.
	for _, s := range e.splices {
		if strings.Trim(s.Removed, " \t\r\n") != "" {
			t.Fatalf("%q was removed from %q", s.Removed, before)
		}
	}
	if !keepsOrder(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, before), e.text) {
		t.Fatalf("bytes of %q are missing in %q", before, e.text)
	}
	again := Edit{text: e.text}
	if err := settings(&again); err != nil || len(again.splices) != 0 {
		t.Fatalf("a second run changes %q to %q: %v", e.text, again.text, err)
	}
	if back, ok := revert(e.text, e.splices); !ok || back != before {
		t.Fatalf("%q was restored as %q", before, back)
	}
	// With the file changed since, our parts are found by what they are.
	if strings.TrimSpace(strings.TrimPrefix(before, byteOrderMark)) == "" {
		before = "{}"
	}
	moved := Edit{text: e.text}
	if _, err := moved.remove(e.parts); err != nil {
		t.Fatalf("taking out of %q: %v", e.text, err)
	}
	if got, want := withoutOurs(t, moved.text), withoutOurs(t, before); got != want {
		t.Fatalf("%q\nbecame %q\nand back %q", before, e.text, moved.text)
	}
	if strings.Count(moved.text, "note")+strings.Count(moved.text, "/*") != strings.Count(before, "note")+strings.Count(before, "/*") {
		t.Fatalf("a comment of %q is lost in %q", before, moved.text)
	}
}

func TestForeignBytesStayAndUndoIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkEdit(t, genDocument(t)) })
}

func FuzzEditJSON(f *testing.F) {
	for _, seed := range []string{"", "{}", "{ // c\n}", `{"mcpServers":{"a":{},},}`, "\ufeff{\r\n}\r\n", `{"permissions":{"deny":["x"]}}`, `{"env":{"AGENT":"1"}}`, "/**/{}//"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := Edit{text: text}
		if settings(&e) != nil {
			return
		}
		if back, ok := revert(e.text, e.splices); !ok || back != text {
			t.Fatalf("%q was restored as %q", text, back)
		}
		again := Edit{text: e.text}
		if err := settings(&again); err != nil || len(again.splices) != 0 {
			t.Fatalf("a second run changes %q to %q: %v", e.text, again.text, err)
		}
		if _, err := again.remove(e.parts); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBlockStandsOnceAndGoesWithoutATrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SampledFrom([]string{"", "# Title\n", "# Title", "a\r\nb\r\n", "a\n\n", "\ufeff"}).Draw(t, "text")
		e := Edit{text: before}
		if err := e.SetBlock(testMarks, "one\ntwo"); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(e.text, before) {
			t.Fatalf("%q", e.text)
		}
		first := e.text
		if err := e.SetBlock(testMarks, "one\ntwo"); err != nil || e.text != first {
			t.Fatalf("a second run changes %q to %q", first, e.text)
		}
		if back, ok := revert(e.text, e.splices); !ok || back != before {
			t.Fatalf("%q", back)
		}
		after := rapid.SampledFrom([]string{"", "more\n", "\nmore"}).Draw(t, "after")
		changed := Edit{text: e.text + after}
		if err := changed.SetBlock(testMarks, "three"); err != nil || strings.Contains(changed.text, "two") || !strings.HasSuffix(changed.text, after) {
			t.Fatalf("%v %q", err, changed.text)
		}
		if err := changed.removeBlock(testMarks); err != nil || strings.Contains(changed.text, "OURS") ||
			strings.TrimRight(changed.text, "\r\n") != strings.TrimRight(before+after, "\r\n") && strings.ReplaceAll(strings.ReplaceAll(changed.text, "\r", ""), "\n", "") != strings.ReplaceAll(strings.ReplaceAll(before+after, "\r", ""), "\n", "") {
			t.Fatalf("%v: %q from %q", err, changed.text, before+after)
		}
	})
	for _, text := range []string{"<!-- BEGIN OURS -->\n", "<!-- END OURS -->\n<!-- BEGIN OURS -->\n", "<!-- BEGIN OURS -->\n<!-- BEGIN OURS -->\n<!-- END OURS -->\n"} {
		e := Edit{text: text}
		if e.SetBlock(testMarks, "x") == nil {
			t.Errorf("%q was edited", text)
		}
	}
}

func TestTOMLIsNeverMadeInvalid(t *testing.T) {
	body := "[mcp_servers.hcp]\ncommand = \"hcpx\"\n\n[permission]\nallow = [\"x\"]"
	for text, fine := range map[string]bool{
		"":                                  true,
		"# mine\n[other]\nx = 1\n":          true,
		"[mcp_servers.other]\ncommand='x'":  true,
		"[mcp_servers.hcp]\ncommand='x'\n":  false,
		"mcp_servers = {}\n":                false,
		"[permission]\nallow=['x']\n":       false,
		"x = \n":                            false,
		"a = 1\na = 2\n":                    false,
		"# BEGIN OURS\n[permission]\n":      false,
		"\ufeff[other]\r\nx = 1\r\n":        true,
		"# BEGIN OURS\nold=1\n# END OURS\n": true,
		"s = '''\n# BEGIN OURS\n'''\n[t]\n": false,
		"[[mcp_servers]]\nname = \"hcp\"\n": false,
	} {
		e := Edit{text: text}
		err := e.SetTOML(testTOMLMarks, body, "mcp_servers", "hcp")
		if (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil {
			if e.text != text {
				t.Errorf("%q was edited all the same", text)
			}
			continue
		}
		if back, ok := revert(e.text, e.splices); !ok || back != text {
			t.Errorf("%q was restored as %q", text, back)
		}
	}
}

func TestItemsThatMatchAreTakenOutAndNothingElse(t *testing.T) {
	for before, after := range map[string]string{
		`{"a": ["x", "ours", "y"]}`:                      `{"a": ["x", "y"]}`,
		`{"a": ["ours"], "b": 1}`:                        `{ "b": 1}`,
		"{\n  // mine\n  \"a\": [\"ours\", \"ours\"]\n}": "{\n  // mine\n}",
		`{"a": ["x"]}`:                                   `{"a": ["x"]}`,
		`{"a": {"ours": 1}}`:                             `{"a": {"ours": 1}}`,
		`{"b": ["ours"]}`:                                `{"b": ["ours"]}`,
	} {
		e := New(before)
		if err := e.RemoveItems([]string{"a"}, func(item []byte) bool { return string(item) == `"ours"` }); err != nil || e.Text() != after {
			t.Errorf("%q became %q, not %q: %v", before, e.Text(), after, err)
		}
	}
	if e := New("{"); e.RemoveItems([]string{"a"}, func([]byte) bool { return true }) == nil {
		t.Error("what cannot be read was edited")
	}
}
