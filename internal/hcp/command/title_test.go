package command

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"bridle/hcp"
)

// mail is the pack of the Titles section.
func mail(t reporter) *hcp.Manifest {
	t.Helper()
	return manifest(t, `{"id":"mail","kind":"wrap","wrap":{"bin":"mail"},"verbs":{
		"find":{"cli":["mail","find","--query","{{q}}","--from","{{from}}"],"title":{
			"live":["Searching the Inbox for “{{q}}”","Searching the Inbox"],
			"done":["Searched the Inbox for “{{q}}”","Searched the Inbox for mail from {{from}}","Searched the Inbox"]}},
		"read":{"cli":["mail","read","{{id}}"],"title":{"live":"Reading {{result.mail.subject}}","done":["Read {{result.mail.subject}} ({{result.mail.parts.1}})","Read {{result.mail.subject}}","Read {{id}}"]}},
		"plain":{"cli":["mail","plain"]},
		"half":{"title":{"done":"Done with {{to}}"}}}}`)
}

func TestEveryRowOfTheTitleTable(t *testing.T) {
	for _, c := range []struct {
		args       hcp.Args
		live, done string
	}{
		{hcp.Args{"q": "Laura"}, "Searching the Inbox for “Laura”", "Searched the Inbox for “Laura”"},
		{hcp.Args{"from": "anna@acme.example"}, "Searching the Inbox", "Searched the Inbox for mail from anna@acme.example"},
		{nil, "Searching the Inbox", "Searched the Inbox"},
	} {
		if got := Title(mail(t), "find", c.args, nil); got == nil || got.Live != c.live || got.Done != c.done {
			t.Errorf("%v: %+v", c.args, got)
		}
	}
}

func TestResultFillsDoneOnly(t *testing.T) {
	args := hcp.Args{"id": json.Number("7"), "result.mail.subject": "forged"}
	for result, want := range map[string]string{
		``:                               "Read 7",
		`not JSON`:                       "Read 7",
		`"text"`:                         "Read 7",
		`{"mail":{}}`:                    "Read 7",
		`{"mail":{"subject":null}}`:      "Read 7",
		`{"mail":{"subject":{"a":1}}}`:   "Read 7",
		`{"mail":{"subject":" \n"}}`:     "Read 7",
		`{"mail":{"subject":"Hi"}}`:      "Read Hi",
		`{"mail":{"subject":2.80}}`:      "Read 2.80",
		`{"mail":{"subject":["a","b"]}}`: "Read a, b",
		`{"mail":{"subject":["a",1]}}`:   "Read 7",
		`{"mail":{"subject":"Hi","parts":["x","y"]}}`: "Read Hi (y)",
		`{"mail":{"subject":"Hi","parts":["x"]}}`:     "Read Hi",
		`{"mail":{"subject":"Hi","parts":{"1":"z"}}}`: "Read Hi (z)",
	} {
		got := Title(mail(t), "read", args, json.RawMessage(result))
		if got == nil || got.Live != "" || got.Done != want {
			t.Errorf("%s: %+v, want %q", result, got, want)
		}
	}
}

func TestUndeclaredTitleIsNone(t *testing.T) {
	for _, key := range []string{"plain", "no such command"} {
		if got := Title(mail(t), key, nil, nil); got != nil {
			t.Errorf("%s: %+v", key, got)
		}
	}
	if got := Title(mail(t), "half", hcp.Args{"confirm": true}, nil); got == nil || *got != (Titles{}) {
		t.Errorf("%+v", got)
	}
	if got := Title(mail(t), "half", hcp.Args{"to": []any{"a", "b"}}, nil); got.Done != "Done with a, b" {
		t.Errorf("%+v", got)
	}
}

func TestReservedNamesFillNoTitle(t *testing.T) {
	m := wrapOf(t, `{"x":{"title":{"live":["Paying {{confirm}}","Paying"]}}}`)
	if got := Title(m, "x", hcp.Args{"confirm": "5 EUR"}, nil); got.Live != "Paying" {
		t.Errorf("%+v", got)
	}
}

func TestTitleValuesStayShortAndOnOneLine(t *testing.T) {
	title := func(value any) string {
		return strings.TrimPrefix(Title(mail(t), "half", hcp.Args{"to": value}, nil).Done, "Done with ")
	}
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		value any
		want  string
	}{
		{"a\n\tb\r\n  c ", "a b c"},
		{"a\u2028b\u0085c\x7fd\x1b[31me", "a b c d [31me"},
		{"a\u202eb\u200bc", `a\u202eb\u200bc`},
		{"{{to}}", "{{to}}"},
		{true, "true"},
		{x(60), x(60)},
		{x(61), x(59) + "…"},
		{x(58) + " " + x(9), x(58) + "…"},
		{x(58) + "e\u0301" + x(9), x(58) + "…"},
		{x(57) + "e\u0301" + x(9), x(57) + "e\u0301…"},
		{x(58) + "\U0001F44D\U0001F3FD" + x(9), x(58) + "…"},
		{x(58) + "\U0001F1E9\U0001F1EA" + x(9), x(58) + "…"},
		{x(57) + "\U0001F1E9\U0001F1EA" + x(9), x(57) + "\U0001F1E9\U0001F1EA…"},
		{strings.Repeat("\u0301", 70), "…"},
	} {
		got := title(c.value)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.value, got, c.want)
		}
		if utf8.RuneCountInString(got) > 60 {
			t.Errorf("%q has more than 60 characters", got)
		}
	}
}

func TestPackCannotHideCharactersInATitle(t *testing.T) {
	m := wrapOf(t, `{"x":{"title":{"live":"Paying\n\u202e5\u202c EUR"}}}`)
	if got, want := Title(m, "x", nil, nil).Live, `Paying \u202e5\u202c EUR`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
