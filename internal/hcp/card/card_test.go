package card

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bridle/hcp"
	"bridle/internal/hcp/command"
	"bridle/internal/kernel/canon"
)

// manifest is a pack with one command, whose arguments are declared in order.
func manifest(id, key string, preview *hcp.Preview, args ...string) *hcp.Manifest {
	var properties []string
	var cli []string
	for _, a := range args {
		properties = append(properties, fmt.Sprintf(`%q:{"description":"about %s"}`, a, a))
		cli = append(cli, "--"+a+"={{"+a+"}}")
	}
	m := &hcp.Manifest{ID: id, Name: "Test", Kind: hcp.KindWrap, CLIBin: id, Wrap: &hcp.Wrap{Bin: id}}
	m.Verbs.Set(key, hcp.Command{
		CLI: append([]string{id}, cli...), Preview: preview,
		Args: json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`),
	})
	return m
}

// inferredView is the card of a command without a declared preview.
func inferredView(id, key string, args hcp.Args) *hcp.ApprovalView {
	var names []string
	for name := range args {
		names = append(names, name)
	}
	slices.Sort(names)
	return View(manifest(id, key, nil, names...), key, args, hcp.ViewOptions{})
}

func preview(kind, title string, fields ...string) *hcp.Preview {
	p := &hcp.Preview{Kind: kind, Title: title}
	for i := 0; i < len(fields); i += 2 {
		p.Fields.Set(fields[i], fields[i+1])
	}
	return p
}

func payment() *hcp.Manifest {
	m := manifest("ledger", "transfer", preview("payment", "Pay {{payee}}",
		"amount", "{{amount}}", "currency", "EUR", "to", "{{payee}}", "from", "Demo account DEMO-0001", "memo", "{{memo}}"), "amount", "payee", "memo")
	c, _ := m.Verbs.Get("transfer")
	c.CLI = []string{"ledger", "transfer", "{{amount}}", "--to", "{{payee}}", "--memo", "{{memo}}", "--confirm"}
	m.Verbs.Set("transfer", c)
	return m
}

func TestCardIsDrawnAsDocumented(t *testing.T) {
	args := hcp.Args{"amount": "2.80", "payee": "demo-transit"}
	m := payment()
	v := View(m, "transfer", args, hcp.ViewOptions{})
	got := strings.Join(Text(v, Describe(m, "transfer", args).CLI), "\n")
	want := `Pay demo-transit
· Moves money
  amount    2.80
  currency  EUR
  to        demo-transit
  from      Demo account DEMO-0001

  $ ledger transfer 2.80 --to demo-transit --confirm`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if v.Inferred || !reflect.DeepEqual(v.Sources, map[string][]string{"amount": {"amount"}, "to": {"payee"}}) {
		t.Errorf("%+v", v)
	}
}

func TestKindIsInferredFromTheCommandAndItsArguments(t *testing.T) {
	for _, c := range []struct {
		pack, key string
		args      hcp.Args
		kind      string
		fields    string
		title     string
	}{
		{"mail", "send", hcp.Args{"to": "ann@x.example", "subject": "Hi", "body": "Text"}, "message", "to subject body", "Send “Hi” to ann@x.example"},
		{"ledger", "transfer", hcp.Args{"amount": "5", "payee": "shop"}, "payment", "amount to", "Pay 5 to shop"},
		{"calendar", "cancel", hcp.Args{"id": "e1"}, "event", "action title", "Cancel “e1”"},
		{"team", "calendar.create", hcp.Args{"title": "Sync", "start": "10:00"}, "event", "action title when", "Create “Sync”"},
		{"notes", "remove", hcp.Args{"id": "n7"}, "removal", "id", "Remove Test entry n7"},
		{"site", "publish", hcp.Args{"environment": "live", "version": "1.2"}, "publish", "target version", "Publish 1.2 to live"},
		{"crm", "contact.create", hcp.Args{"name": "Ann", "id": "c1"}, "record", "action entity id name", "Create contact c1"},
		{"crm", "report", hcp.Args{"month": "May"}, "fields", "month", "Report with Test"},
		{"box", "send", hcp.Args{"file": "a"}, "fields", "file", "Send with Test"},
	} {
		v := inferredView(c.pack, c.key, c.args)
		if got := strings.Join(v.Fields.Keys(), " "); v.Kind != c.kind || got != c.fields || v.Title != c.title || !v.Inferred {
			t.Errorf("%s %s: %s [%s] %q", c.pack, c.key, v.Kind, got, v.Title)
		}
	}
}

func TestSignalsSayWhatAPersonShouldWeigh(t *testing.T) {
	many := func(n int) []any {
		list := make([]any, n)
		for i := range list {
			list[i] = fmt.Sprintf("p%d@x.example", i)
		}
		return list
	}
	for _, c := range []struct {
		pack, key string
		args      hcp.Args
		want      string
	}{
		{"mail", "send", hcp.Args{"to": many(5), "cc": many(2), "subject": "x"}, "Goes to 7 people"},
		{"mail", "send", hcp.Args{"to": "a@x, b@x", "bcc": "c@x", "subject": "x"}, "Goes to 3 people"},
		{"mail", "send", hcp.Args{"to": "a@x", "subject": "x"}, ""},
		{"calendar", "cancel", hcp.Args{"id": "e", "attendees": many(3)}, "Tells 3 people it is cancelled"},
		{"calendar", "cancel", hcp.Args{"id": "e"}, "Cancels the event"},
		{"notes", "delete", hcp.Args{"id": "n"}, "Cannot be undone"},
		{"notes", "remove", hcp.Args{"id": "n", "permanent": true}, "Cannot be undone"},
		{"notes", "remove", hcp.Args{"id": "n"}, ""},
		{"notes", "trash", hcp.Args{"ids": many(4)}, "Removes 4 items"},
		{"site", "deploy", hcp.Args{"env": "live"}, "Goes live"},
		{"git", "push", hcp.Args{"remote": "origin", "force": true}, "Goes live; Overrides a safety check"},
	} {
		if got := strings.Join(inferredView(c.pack, c.key, c.args).Signals, "; "); got != c.want {
			t.Errorf("%s %s %v: %q, want %q", c.pack, c.key, c.args, got, c.want)
		}
	}
}

func TestAHostsRulesComeFirstAndADeclaredPreviewWins(t *testing.T) {
	own := hcp.ViewOptions{
		Rules:   []hcp.ViewRule{{Kind: "publish", Words: []string{"transfer"}, Fields: map[string][]string{"what": {"amount"}}}},
		Signals: []hcp.SignalRule{{Text: "Company rule", Words: []string{"transfer"}}},
	}
	args := hcp.Args{"amount": "5", "payee": "shop"}
	v := View(manifest("ledger", "transfer", nil, "amount", "payee"), "transfer", args, own)
	if v.Kind != "publish" || v.Signals[0] != "Company rule" || v.Rest.Len() != 1 {
		t.Errorf("%+v", v)
	}
	if v := View(payment(), "transfer", args, own); v.Kind != "payment" || v.Inferred {
		t.Errorf("%+v", v)
	}
}

func TestAPreviewOfAnUnknownKindIsInferred(t *testing.T) {
	m := manifest("ledger", "transfer", preview("paymnet", "Nothing happens"), "amount", "payee")
	if v := View(m, "transfer", hcp.Args{"amount": "5", "payee": "shop"}, hcp.ViewOptions{}); v.Kind != "payment" || !v.Inferred || v.Title != "Pay 5 to shop" {
		t.Errorf("%+v", v)
	}
}

// Whatever the arguments are, the card shows all of them.
func TestNoArgumentStaysHidden(t *testing.T) {
	names := []string{"to", "cc", "bcc", "subject", "body", "amount", "payee", "id", "x", "force", "attendees", "title"}
	rapid.Check(t, func(t *rapid.T) {
		args := hcp.Args{}
		for _, name := range names {
			if rapid.Bool().Draw(t, "has "+name) {
				args[name] = "v" + rapid.StringMatching(`[a-z]{1,80}`).Draw(t, name)
			}
		}
		var p *hcp.Preview
		if rapid.Bool().Draw(t, "declared") {
			p = preview(rapid.SampledFrom(Kinds()).Draw(t, "kind"), "{{to}} {{amount}}", "to", "{{to}}", "amount", "{{amount}} {{payee}}", "body", "fixed")
		}
		key := rapid.SampledFrom([]string{"send", "transfer", "remove", "event.cancel", "publish", "create", "other"}).Draw(t, "key")
		m := manifest("mail", key, p, names...)
		all := strings.Join(Text(View(m, key, args, hcp.ViewOptions{}), ""), "\n")
		for name, value := range args {
			if !strings.Contains(all, value.(string)) { //nolint:errcheck,forcetypeassert // made above
				t.Fatalf("%s=%v does not show in\n%s", name, value, all)
			}
		}
	})
}

var hostile = map[string]string{
	"ansi":            "a\x1b[2Kb",
	"c1":              "a\u009bb",
	"bidi override":   "gpj.\u202eexe",
	"isolate":         "a\u2066b",
	"zero width":      "demo\u200b-transit",
	"joiner":          "demo\u200dtransit",
	"byte order mark": "\ufeffdemo",
	"tags":            "demo\U000e0041",
	"soft hyphen":     "de\u00admo",
	"no-break space":  "a\u00a0b",
	"carriage return": "safe\rover",
	"backspace":       "ab\b\bxy",
	"delete":          "a\x7fb",
	"filler":          "a\u3164b",
	"separator":       "a\u2028b",
	"cyrillic a":      "demo-tr\u0430nsit",
	"whole word":      "\u0440\u0430\u0443\u0440\u0430",
	"greek":           "p\u03bfst",
	"full width":      "\uff44emo",
	"math":            "\U0001d41dемо"[:4] + "emo",
	"other digits":    "\u0661\u0662",
	"roman numeral":   "\u216f",
	"dotless i":       "\u0131d",
}

func TestHostileValuesAreShownEscapedAndRaiseASignalInEveryField(t *testing.T) {
	for kind := range slices.Values(Kinds()) {
		fields := append(KindFields(kind), "other")
		for _, field := range fields {
			for name, value := range hostile {
				m := manifest("p", "do", preview(kind, "Do {{x}}", field, "{{x}}"), "x", "y")
				check := func(args hcp.Args, arg string) {
					v := View(m, "do", args, hcp.ViewOptions{})
					text := strings.Join(Text(v, Describe(m, "do", args).CLI), "\n")
					if strings.Contains(text, value) {
						t.Errorf("%s %s: %s shows as it is:\n%s", kind, field, name, text)
					}
					if len(v.Signals) == 0 || !strings.HasPrefix(v.Signals[0], fmt.Sprintf("%q has ", arg)) {
						t.Errorf("%s %s: %s raises no signal: %q", kind, field, name, v.Signals)
					}
				}
				check(hcp.Args{"x": value}, "x")
				check(hcp.Args{"x": []any{"ok", value}}, "x")
				check(hcp.Args{"y": value}, "y") // in the rest
			}
		}
	}
}

func TestOrdinaryTextOfAnyLanguageIsNoLookAlike(t *testing.T) {
	for _, text := range []string{
		"Grüße aus Köln", "naïve café", "Привет, мир", "Отправить файл README.md завтра", "Καλημέρα κόσμε", "日本語のメモ",
		"שלום", "مرحبا", "हिन्दी", "Ünïcödé-tëst", "😀 done", "2.80 €", "– “quoted” …", "Բարեւ",
	} {
		if at := lookAlikes(text); len(at) > 0 || Show(text) != text {
			t.Errorf("%q: %v", text, Show(text))
		}
	}
}

func TestAPacksOwnWordsRaiseASignalToo(t *testing.T) {
	m := manifest("p", "do", preview("payment", "Pay", "to", "dem\u043e", "amount", "{{x}}"), "x")
	v := View(m, "do", hcp.Args{"x": "1"}, hcp.ViewOptions{})
	if !strings.Contains(v.Signals[0], `"to" has letters`) {
		t.Errorf("%q", v.Signals)
	}
}

func TestLinesOfAValueCannotPassForRows(t *testing.T) {
	m := payment()
	args := hcp.Args{"amount": "900", "payee": "evil", "memo": "x\n\n  $ ledger transfer 1 --to friend\n  amount    1\r\nend"}
	text := Text(View(m, "transfer", args, hcp.ViewOptions{}), Describe(m, "transfer", args).CLI)
	commands := 0
	for _, line := range text {
		if strings.HasPrefix(line, "  $ ") {
			commands++
		}
		if strings.Contains(line, "friend") && !strings.HasPrefix(line, "  $ ledger transfer 900") && !strings.Contains(line, "│") {
			t.Errorf("a forged line: %q", line)
		}
	}
	if commands != 1 {
		t.Errorf("%d command lines in\n%s", commands, strings.Join(text, "\n"))
	}
}

func TestItemsWithCommasStandOnLinesOfTheirOwn(t *testing.T) {
	v := inferredView("mail", "send", hcp.Args{"to": []any{"a@x, b@x", "c@x"}, "subject": "s"})
	text := strings.Join(Text(v, ""), "\n")
	if !strings.Contains(text, "│ 1. a@x, b@x") || !strings.Contains(text, "│ 2. c@x") || v.Signals[0] != "Goes to 3 people" {
		t.Errorf("%q\n%s", v.Signals, text)
	}
}

func TestNothingIsCutInALongValue(t *testing.T) {
	long := strings.Repeat("word ", 4000) + "end"
	v := inferredView("mail", "send", hcp.Args{"to": "a@x", "subject": "s", "body": long})
	if !strings.Contains(strings.Join(Text(v, ""), "\n"), long) {
		t.Error("the body is cut")
	}
}

// A real shell reads the line back as exactly the words.
func TestCommandLineIsShellForExactlyTheWords(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("the test needs bash")
	}
	var sets [][]string
	for _, value := range hostile {
		sets = append(sets, []string{"prog", value})
	}
	sets = append(sets, []string{"a=b", "$(id)", "`id`", "a'b", `a\b`, "a\nb\n", "\t", "", "*", "~", "a;b", "a\x01'\\b", "ü", "日本", "--x=é\u200b", "!x", "a  b   c ", "  ", " \\  ' "}, []string{"if"})
	rapid.Check(t, func(t *rapid.T) {
		sets = append(sets, rapid.SliceOfN(rapid.StringMatching(`[^\x00]{0,6}`), 1, 4).Draw(t, "words"))
	})
	var script strings.Builder
	var want strings.Builder
	for _, words := range sets {
		line := ShellLine(append([]string{"printf", `%s\0`}, words...))
		script.WriteString(line + "\n")
		if strings.ContainsAny(line, "\n\r\x1b") {
			t.Errorf("a line with control characters: %q", line)
		}
		if strings.Contains(line, "  ") {
			t.Errorf("a line with spaces in a row, which could line up where a terminal breaks it: %q", line)
		}
		for _, w := range words {
			want.WriteString(w + "\x00")
		}
	}
	cmd := exec.Command(bash, "-c", script.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != want.String() {
		t.Errorf("got\n%q\nwant\n%q", out, want.String())
	}
}

func TestOptionsAreOfferedAsTheTableSays(t *testing.T) {
	message := &hcp.ApprovalView{Kind: "message", Sources: map[string][]string{"to": {"to"}}}
	message.Fields.Set("to", []any{"anna@acme.example"})
	message.Fields.Set("body", "hi")
	args := hcp.Args{"to": "anna@acme.example", "body": "hi"}
	for _, confirm := range []hcp.Confirm{hcp.ConfirmNone, hcp.ConfirmAsk, hcp.ConfirmAlways} {
		for _, kind := range Kinds() {
			view := *message
			view.Kind = kind
			got := Options(OptionsInput{PackID: "mail", Key: "send", Confirm: confirm, View: &view, Args: args, Declared: []string{"to", "cc", "body"}})
			if got[0].Kind != "allow_once" || got[1].Kind != "reject_once" {
				t.Fatalf("%+v", got)
			}
			lasting := confirm == hcp.ConfirmNone && !slices.Contains([]string{"removal", "payment", "publish", "event"}, kind) ||
				confirm == hcp.ConfirmAsk && kind == "message"
			if (len(got) == 3) != lasting {
				t.Errorf("confirm %q, %s: %+v", confirm, kind, got)
				continue
			}
			if !lasting {
				continue
			}
			rule := got[2].Rule
			if got[2].Kind != "allow_session" || rule.Match != "mail.send" || rule.Decision != "allow" || rule.Note != "session" {
				t.Errorf("%+v", got[2])
			}
			if confirm == hcp.ConfirmNone {
				if rule.When != nil || got[2].About != "" {
					t.Errorf("%+v", rule)
				}
				continue
			}
			want := map[string]any{"to": "anna@acme.example", "cc": nil}
			if !reflect.DeepEqual(rule.When.Args, want) || got[2].About != "to anna@acme.example" {
				t.Errorf("%+v %q", rule.When, got[2].About)
			}
		}
	}
}

func TestAMessageWithoutAnAudienceGetsNoLastingYes(t *testing.T) {
	view := &hcp.ApprovalView{Kind: "message"}
	view.Fields.Set("body", "hi")
	if got := Options(OptionsInput{PackID: "mail", Key: "send", Confirm: hcp.ConfirmAsk, View: view}); len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestSuggestedPreviewGivesTheInferredCard(t *testing.T) {
	for _, c := range []struct {
		pack, key string
		args      hcp.Args
	}{
		{"mail", "send", hcp.Args{"to": "ann@x", "subject": "Hi", "body": "Text"}},
		{"ledger", "transfer", hcp.Args{"amount": "5", "payee": "shop"}},
		{"calendar", "cancel", hcp.Args{"id": "e1"}},
		{"notes", "remove", hcp.Args{"id": "n7"}},
		{"crm", "contact.create", hcp.Args{"name": "Ann", "id": "c1"}},
		{"crm", "report", hcp.Args{"month": "May"}},
	} {
		var names []string
		for name := range c.args {
			names = append(names, name)
		}
		slices.Sort(names)
		m := manifest(c.pack, c.key, nil, names...)
		p := Suggest(m, c.key, names)
		declared := manifest(c.pack, c.key, &p, names...)
		if problems := Lint(declared, c.key, names); problems != nil {
			t.Errorf("%s %s: %q", c.pack, c.key, problems)
		}
		a, b := View(m, c.key, c.args, hcp.ViewOptions{}), View(declared, c.key, c.args, hcp.ViewOptions{})
		if x, y := strings.Join(Text(a, ""), "\n"), strings.Join(Text(b, ""), "\n"); strings.NewReplacer("“", "", "”", "").Replace(x) != y || b.Inferred {
			t.Errorf("%s %s:\n%s\nbecame\n%s", c.pack, c.key, x, y)
		}
	}
}

func TestProblemsOfADeclaredPreview(t *testing.T) {
	m := manifest("p", "do", preview("paiment", "{{nobody}}", "amount", "{{amount}} {{what}}"), "amount")
	got := strings.Join(Lint(m, "do", []string{"amount"}), "\n")
	for _, part := range []string{`unknown kind "paiment"; did you mean "payment"?`, "title names {{nobody}}", "field amount names {{what}}"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
	if got := Lint(manifest("p", "do", preview("payment", "", "amuont", "1")), "do", nil); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if got := Lint(manifest("p", "do", nil), "do", nil); got != nil {
		t.Errorf("%q", got)
	}
}

func TestViewKeepsItsOrderAndValuesInJSON(t *testing.T) {
	args := hcp.Args{"amount": json.Number("2.80"), "payee": "a\u202eb", "memo": "m"}
	data, err := canon.Marshal(View(payment(), "transfer", args, hcp.ViewOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	want := `"fields":{"amount":2.80,"currency":"EUR","to":"a` + "\u202e" + `b","from":"Demo account DEMO-0001","memo":"m"},"rest":{}`
	if !strings.Contains(string(data), want) {
		t.Errorf("%s", data)
	}
}

func FuzzCard(f *testing.F) {
	f.Add("transfer", "amount", "2.80", "payment", "Pay {{amount}}", "{{amount}} EUR")
	f.Add("send", "to", "a\u202e\x1b[0m@x, b@x", "message", "{{to}}", "{{to}}")
	f.Fuzz(func(t *testing.T, key, name, value, kind, title, template string) {
		m := &hcp.Manifest{ID: "p", Kind: hcp.KindComposite}
		m.Verbs.Set(key, hcp.Command{Preview: preview(kind, title, "to", template)})
		args := hcp.Args{name: value}
		v := View(m, key, args, hcp.ViewOptions{})
		for _, line := range Text(v, Describe(m, key, args).CLI) {
			if Show(line) != line {
				t.Fatalf("%q is not visible as it is", line)
			}
		}
		if command.Text(value) != "" && v.Fields.Len()+v.Rest.Len() == 0 {
			t.Fatalf("%q shows nowhere: %+v", name, v)
		}
	})
}
