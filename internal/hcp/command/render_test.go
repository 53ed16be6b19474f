package command

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"bridle/hcp"
)

// The tables of the Command and Execution pages, row by row.
func TestEveryDocumentedRendering(t *testing.T) {
	for _, c := range []struct {
		cli  string
		args hcp.Args
		want string
	}{
		{`["transit","plan","{{from}}","{{to}}"]`, hcp.Args{"from": "A", "to": "B"}, "transit plan A B --json"},
		{`["mail","list","--folder={{folder}}"]`, hcp.Args{"folder": "inbox"}, "mail list --folder=inbox --json"},
		{
			`["ledger","transfer","{{amount}}","--to","{{payee}}","--memo","{{memo}}","--confirm"]`,
			hcp.Args{"amount": "2.80", "payee": "demo-transit", "confirm": true},
			"ledger transfer 2.80 --to demo-transit --confirm --json",
		},
		{`["ledger","setup","all","-y"]`, hcp.Args{}, "ledger setup all -y --json"},
	} {
		m := wrapOf(t, `{"x":{"cli":`+c.cli+`}}`)
		argv, err := Render(m, "x", c.args)
		if err != nil {
			t.Fatal(err)
		}
		if got := argv.Name + " " + strings.Join(argv.Args(), " "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestEveryDocumentedJSONFlag(t *testing.T) {
	for _, c := range []struct{ name, wrapFlag, command, want string }{
		{"nothing declared", ``, `{"cli":["t","list"]}`, "list --json"},
		{"the pack's", `["-o","json"]`, `{"cli":["t","list"]}`, "list -o json"},
		{"the pack prints JSON", `[]`, `{"cli":["t","list"]}`, "list"},
		{"the command's", `["-o","json"]`, `{"cli":["t","list"],"json_flag":["--porcelain"]}`, "list --porcelain"},
		{"the command prints JSON", `["-o","json"]`, `{"cli":["t","list"],"json_flag":[]}`, "list"},
		{"--json", `["-o","json"]`, `{"cli":["t","--json","list"]}`, "--json list"},
		{"--json=", ``, `{"cli":["t","list","--json=full"]}`, "list --json=full"},
		{"--json= with a value", ``, `{"cli":["t","list","--json={{f}}"]}`, "list"},
		{"--json with fields", ``, `{"cli":["t","list","--json","name,url"]}`, "list --json name,url"},
		{"--json with a value left out", ``, `{"cli":["t","list","--json","{{f}}"]}`, "list"},
		{"-o json", ``, `{"cli":["t","list","-o","json"]}`, "list -o json"},
		{"--output json", ``, `{"cli":["t","list","--output","json"]}`, "list --output json"},
		{"--format json", ``, `{"cli":["t","list","--format","json"]}`, "list --format json"},
		{"-f json", ``, `{"cli":["t","list","-f","json"]}`, "list -f json"},
		{"--output=json", ``, `{"cli":["t","list","--output=json"]}`, "list --output=json"},
		{"selected, and a flag of its own", ``, `{"cli":["t","list","--json"],"json_flag":["--raw"]}`, "list --json --raw"},
		{"another format", ``, `{"cli":["t","list","-o","yaml"]}`, "list -o yaml --json"},
		{"another flag", ``, `{"cli":["t","list","--jsonl"]}`, "list --jsonl --json"},
		{"a value is no flag", ``, `{"cli":["t","list","-o","{{f}}"]}`, "list --json"},
		{"before a guard", ``, `{"cli":["t","list","--","x"]}`, "list --json -- x"},
		{"behind a guard it is data", ``, `{"cli":["t","list","--","--json"]}`, "list --json -- --json"},
		{"from the template", ``, `{}`, "x --json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := wrapOf(t, `{"fam.x":`+c.command+`}`)
			if c.wrapFlag != "" {
				if err := json.Unmarshal([]byte(c.wrapFlag), &m.Wrap.JSONFlag); err != nil {
					t.Fatal(err)
				}
			}
			argv, err := Render(m, "fam.x", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(argv.Args(), " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestGuardThatIsAValueGuardsNothing(t *testing.T) {
	m := wrapOf(t, `{"x":{"cli":["t","--sep","{{a}}","--file","{{b}}"]}}`)
	argv, err := Render(m, "x", hcp.Args{"a": "--", "b": "f"})
	if err != nil {
		t.Fatal(err)
	}
	if got := argv.Args(); !reflect.DeepEqual(got, []string{"--sep", "--", "--file", "f", "--json"}) || !argv.Tokens[3].File {
		t.Errorf("%+v", argv.Tokens)
	}
}

func TestSlotsAndWhatIsLeftOut(t *testing.T) {
	for _, c := range []struct {
		name, cli string
		args      hcp.Args
		want      []string
	}{
		{"spaces stay in one word", `["t","{{a}}"]`, hcp.Args{"a": "x  y\nz"}, []string{"x  y\nz"}},
		{"two in a word", `["t","repos/{{a}}/{{b}}"]`, hcp.Args{"a": "x", "b": "y"}, []string{"repos/x/y"}},
		{"two in a word, both missing", `["t","--path","repos/{{a}}/{{b}}","end"]`, nil, []string{"end"}},
		{"the same twice", `["t","{{a}}:{{a}}","{{a}}"]`, hcp.Args{"a": "x"}, []string{"x:x", "x"}},
		{"flag and value", `["t","--to","{{a}}"]`, hcp.Args{"a": "x"}, []string{"--to", "x"}},
		{"flag without value", `["t","--to","{{a}}","end"]`, hcp.Args{"a": ""}, []string{"end"}},
		{"short flag without value", `["t","-t","{{a}}","end"]`, nil, []string{"end"}},
		{"flag with its value in it", `["t","--unread","--folder={{a}}"]`, nil, []string{"--unread"}},
		{"complete flag before an empty slot", `["t","--depth=1","{{a}}"]`, nil, []string{"--depth=1"}},
		{"word before an empty slot", `["t","get","{{a}}"]`, nil, []string{"get"}},
		{"only the flag right before", `["t","--a","--b","{{a}}"]`, nil, []string{"--a"}},
		{"guard stays", `["t","rm","--","{{a}}"]`, nil, []string{"rm", "--"}},
		{"dash stays", `["t","cat","-","{{a}}"]`, nil, []string{"cat", "-"}},
		{"switch stays", `["t","rm","--dry-run","{{a}}"]`, nil, []string{"rm", "--dry-run"}},
		{"confirmation stays", `["t","rm","--confirm","{{a}}"]`, nil, []string{"rm", "--confirm"}},
		{"flag behind a guard is a word", `["t","--","--x","{{a}}"]`, nil, []string{"--", "--x"}},
		{"two slots, first missing", `["t","--range","{{a}}","{{b}}"]`, hcp.Args{"b": "2"}, []string{"2"}},
		{"empty literal", `["t","","x"]`, nil, []string{"x"}},
		{"no word but the program", `["t"]`, nil, []string{}},
		{"a value is not expanded again", `["t","{{a}}","{{b}}"]`, hcp.Args{"a": "{{b}}", "b": "x"}, []string{"{{b}}", "x"}},
		{"a template of another language", `["t","--format","{{.ID}} {{json .}} {{a}}"]`, hcp.Args{"a": "x"}, []string{"--format", "{{.ID}} {{json .}} x"}},
		{"open braces", `["t","{{","}}","{{a","{{{{a}}}}"]`, hcp.Args{"a": "x"}, []string{"{{", "}}", "{{a", "{{x}}"}},
		{"number", `["t","{{a}}"]`, hcp.Args{"a": json.Number("2.80")}, []string{"2.80"}},
		{"boolean", `["t","--all={{a}}"]`, hcp.Args{"a": false}, []string{"--all=false"}},
		{"list", `["t","--tags","{{a}}"]`, hcp.Args{"a": []any{"x", json.Number("1"), nil, []any{"y", true}}}, []string{"--tags", "x,1,,y,true"}},
		{"object", `["t","--data","{{a}}"]`, hcp.Args{"a": map[string]any{"b": []any{json.Number("1.0")}, "a": "\"<\n"}}, []string{"--data", `{"a":"\"<\n","b":[1.0]}`}},
		{"verb is an argument in cli", `["t","{{verb}}"]`, hcp.Args{"verb": "x"}, []string{"x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := wrapOf(t, `{"x":{"json_flag":[],"cli":`+c.cli+`}}`)
			argv, err := Render(m, "x", c.args)
			if err != nil {
				t.Fatal(err)
			}
			if got := argv.Args(); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestTemplateStandsInForCLI(t *testing.T) {
	for _, c := range []struct {
		key, template string
		args          hcp.Args
		want          []string
	}{
		{"mail.list", ``, nil, []string{"list"}},
		{"plan", `["{{verb}}"]`, nil, []string{"plan"}},
		{"setup.apply.all", `["{{verb}}"]`, nil, []string{"apply.all"}},
		{"mail.list unread", `["run","{{verb}}","now"]`, nil, []string{"run", "list", "unread", "now"}},
		{"mail.list unread", `["--cmd={{verb}}/{{id}}"]`, hcp.Args{"id": "7"}, []string{"--cmd=list unread/7"}},
		{"mail.get", `["{{verb}}","{{id}}","--as","{{who}}"]`, hcp.Args{"id": "7"}, []string{"get", "7"}},
	} {
		m := manifest(t, `{"id":"mail","kind":"wrap","wrap":{"bin":"./bin/mail.mjs","json_flag":[]},"verbs":{}}`)
		m.Verbs.Set(c.key, hcp.Command{})
		if c.template != "" {
			if err := json.Unmarshal([]byte(c.template), &m.Wrap.ArgvTemplate); err != nil {
				t.Fatal(err)
			}
		}
		argv, err := Render(m, c.key, c.args)
		if err != nil {
			t.Fatal(err)
		}
		if got := argv.Args(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.key, got, c.want)
		}
		if argv.Bin != "./bin/mail.mjs" || argv.Name != "mail.mjs" {
			t.Errorf("Bin %q, Name %q", argv.Bin, argv.Name)
		}
	}
}

func TestRequiredValueNeverFallsAway(t *testing.T) {
	m := wrapOf(t, `{"rm":{"cli":["t","rm","--folder","{{folder}}"],"args":{"properties":{"folder":{"type":"string"}},"required":["folder"]}}}`)
	for _, args := range []hcp.Args{nil, {"folder": ""}, {"folder": nil}} {
		faultOf(t, second(Render(m, "rm", args)), CodeMissingArgument)
	}
}

func TestHalfAWordIsRefused(t *testing.T) {
	m := wrapOf(t, `{"x":{"cli":["t","rm","{{owner}}/{{repo}}"]}}`)
	e := faultOf(t, second(Render(m, "x", hcp.Args{"owner": "acme"})), CodeMissingArgument)
	if e.Message != `missing argument "repo" for tool.x` || e.Hint != `it is needed together with argument "owner", or leave both out` {
		t.Errorf("%s (%s)", e.Message, e.Hint)
	}
}

func TestArgumentWithoutAPlaceIsRefusedWhereAProgramRuns(t *testing.T) {
	verbs := `{"x":{"cli":["t","rm"],"args":{"properties":{"folder":{"type":"string"}}}}}`
	e := faultOf(t, second(Render(wrapOf(t, verbs), "x", hcp.Args{"folder": "inbox"})), CodeBadArgument)
	if e.Message != `argument "folder" has no place on the command line of tool.x` {
		t.Error(e.Message)
	}
	if _, err := Render(wrapOf(t, verbs), "x", hcp.Args{"folder": ""}); err != nil {
		t.Error(err)
	}
	inProcess := manifest(t, `{"id":"echo","cliBin":"echo-hcp","verbs":`+verbs+`}`)
	if _, err := Render(inProcess, "x", hcp.Args{"folder": "inbox"}); err != nil {
		t.Error(err)
	}
}

func TestValueThatLooksLikeAnOption(t *testing.T) {
	for _, c := range []struct {
		name, cli string
		value     any
		refused   bool
	}{
		{"bare", `["t","{{a}}"]`, "--output=x", true},
		{"bare, short", `["t","{{a}}"]`, "-rf", true},
		{"bare, a dash alone", `["t","{{a}}"]`, "-", true},
		{"bare, guard", `["t","{{a}}"]`, "--", true},
		{"behind a space", `["t","{{a}}"]`, " --x", true},
		{"behind a no-break space", `["t","{{a}}"]`, "\u00a0--x", true},
		{"behind an ideographic space", `["t","{{a}}"]`, "\u3000-x", true},
		{"behind a line break", `["t","{{a}}"]`, "\n\t-x", true},
		{"behind a zero-width space", `["t","{{a}}"]`, "\u200b-x", true},
		{"behind a byte order mark", `["t","{{a}}"]`, "\ufeff-x", true},
		{"behind a direction mark", `["t","{{a}}"]`, "\u202e-x", true},
		{"behind an escape", `["t","{{a}}"]`, "\x1b-x", true},
		{"soft hyphen", `["t","{{a}}"]`, "\u00ads", true},
		{"full-width hyphen", `["t","{{a}}"]`, "\uff0ds", true},
		{"list", `["t","{{a}}"]`, []any{"-x", "y"}, true},
		{"list with an empty first", `["t","{{a}}"]`, []any{" ", "-x"}, false},
		{"negative number, undeclared", `["t","{{a}}"]`, "-5", true},
		{"negative number, JSON", `["t","{{a}}"]`, json.Number("-5"), true},
		{"begins the word", `["t","{{a}}/x"]`, "-x", true},
		{"behind a switch", `["t","-y","{{a}}"]`, "--x", true},
		{"behind a switch by its name", `["t","rm","--no-backup","{{a}}"]`, "--x", true},
		{"behind a common switch", `["t","rm","--recursive","{{a}}"]`, " -x", true},
		{"behind a switch, no dash", `["t","rm","--no-backup","{{a}}"]`, "x", false},
		{"behind a switch and a guard", `["t","rm","--recursive","--","{{a}}"]`, "--x", false},
		{"behind a complete flag", `["t","--a=1","{{a}}"]`, "--x", true},
		{"behind a word", `["t","get","{{a}}"]`, "--x", true},
		{"dash inside", `["t","{{a}}"]`, "a--x", false},
		{"a longer dash", `["t","{{a}}"]`, "\u2013 quoted", false},
		{"value of a flag", `["t","--body","{{a}}"]`, "- item", false},
		{"value in a flag", `["t","--body={{a}}"]`, "--x", false},
		{"behind text", `["t","x{{a}}"]`, "--x", false},
		{"behind a guard", `["t","--","{{a}}"]`, "--x", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := wrapOf(t, `{"x":{"cli":`+c.cli+`}}`)
			_, err := Render(m, "x", hcp.Args{"a": c.value})
			if c.refused {
				faultOf(t, err, CodeBadArgument)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDeclaredNegativeNumberIsNoOption(t *testing.T) {
	for schema, ok := range map[string]bool{
		`{"type":"number"}`: true, `{"type":"integer"}`: true, `{"type":["integer","number"]}`: true, `{"enum":[-5,5]}`: true,
		`{"type":"string"}`: false, `{"type":["number","string"]}`: false, `{}`: false,
	} {
		m := wrapOf(t, `{"x":{"cli":["t","{{a}}"],"args":{"properties":{"a":`+schema+`}}}}`)
		for _, value := range []any{"-5", json.Number("-5"), -5} {
			argv, err := Render(m, "x", hcp.Args{"a": value})
			if !ok {
				faultOf(t, err, CodeBadArgument)
			} else if err != nil || argv.Tokens[0].Text != "-5" {
				t.Errorf("%s: %#v: %v", schema, value, err)
			}
		}
	}
}

func TestWordsRememberWhereTheyComeFrom(t *testing.T) {
	m := wrapOf(t, `{"x":{"cli":["t","go","--file","{{f}}","--out={{o}}","-o","json","--tags","{{l}}","--file={{f}}","--","--file","{{f}}"]}}`)
	argv, err := Render(m, "x", hcp.Args{"f": "a b", "o": "x", "l": []any{"1", "2"}})
	if err != nil {
		t.Fatal(err)
	}
	lit := func(text string) Token { return Token{Text: text, Parts: []Part{{Text: text}}, own: true} }
	arg := func(text, name string) Token { return Token{Text: text, Parts: []Part{{Text: text, Arg: name}}} }
	file, selected, json := arg("a b", "f"), lit("-o"), lit("json")
	file.File, selected.JSON, json.JSON = true, true, true
	want := []Token{
		lit("go"), lit("--file"), file,
		{Text: "--out=x", Parts: []Part{{Text: "--out="}, {Text: "x", Arg: "o"}}, own: true},
		selected, json, lit("--tags"),
		{Text: "1,2", Parts: []Part{{Text: "1", Arg: "l"}, {Text: ","}, {Text: "2", Arg: "l"}}},
		{Text: "--file=a b", Parts: []Part{{Text: "--file="}, {Text: "a b", Arg: "f"}}, File: true, FileAt: len("--file="), own: true},
		lit("--"), lit("--file"), arg("a b", "f"),
	}
	if !reflect.DeepEqual(argv.Tokens, want) {
		t.Errorf("got  %+v\nwant %+v", argv.Tokens, want)
	}
}

func TestFileFlagsAreThePacksOrTheDefaults(t *testing.T) {
	m := wrapOf(t, `{"x":{"cli":["t","--in","{{a}}","-o","{{b}}"]}}`)
	files := func() string {
		argv, err := Render(m, "x", hcp.Args{"a": "one", "b": "two"})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, token := range argv.Tokens {
			if token.File {
				names = append(names, token.Text[token.FileAt:])
			}
		}
		return strings.Join(names, " ")
	}
	if got := files(); got != "two" {
		t.Errorf("defaults: %q", got)
	}
	m.Wrap.Workspace = &hcp.Workspace{Mode: hcp.WorkspaceEphemeral}
	if got := files(); got != "two" {
		t.Errorf("no file_flags: %q", got)
	}
	m.Wrap.Workspace.FileFlags = []string{"--in"}
	if got := files(); got != "one" {
		t.Errorf("the pack's: %q", got)
	}
	m.Wrap.Workspace.FileFlags = []string{}
	if got := files(); got != "" {
		t.Errorf("none: %q", got)
	}
}

func TestLineShowsTheCommandWithoutTheAddedFlag(t *testing.T) {
	argv, err := Render(ledger(t), "transfer", hcp.Args{"amount": json.Number("2.80"), "payee": "it's me", "memo": ""})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := argv.Line(), `ledger transfer 2.80 --to 'it'\''s me' --confirm`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBootstrapForwardsOnlyWhatItAllows(t *testing.T) {
	m := manifest(t, `{"id":"mail","kind":"wrap","cliBin":"mail","wrap":{"bin":"mail"},"verbs":{"list":{"cli":["mail","list"]}},
		"pass_through":{"allowedSubcommands":["status","list","box show","--all","  "],"maxArgv":4}}`)
	for _, c := range []struct {
		key  string
		argv []any
		want []string
	}{
		{"status", nil, []string{"status", "--json"}},
		{"status", []any{"--short", "-v", "x y"}, []string{"status", "--short", "-v", "x y", "--json"}},
		{"status", []any{"--", "x"}, []string{"status", "--json", "--", "x"}},
		{"status", []any{"-o", "json"}, []string{"status", "-o", "json"}},
		{"box.show", []any{"1", ""}, []string{"box", "show", "1", "--json"}},
		{"list", nil, []string{"list", "--json"}},
	} {
		args := hcp.Args{}
		if c.argv != nil {
			args["argv"] = c.argv
		}
		argv, err := Render(m, c.key, args)
		if err != nil {
			t.Fatal(err)
		}
		if got := argv.Args(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %q: got %q, want %q", c.key, c.argv, got, c.want)
		}
	}
	m.PassThrough.AllowedSubcommands = append(m.PassThrough.AllowedSubcommands, "one two three four five")
	for _, key := range []string{"one.two.three.four.five", "delete", "stat", "box", "box show", "--all", "", "Status"} {
		faultOf(t, second(Render(m, key, nil)), CodeUnknownCommand)
	}
	faultOf(t, second(Render(m, "status", hcp.Args{"argv": []any{"1", "2", "3", "4"}})), CodeBadArgument)
	faultOf(t, second(Render(m, "box.show", hcp.Args{"argv": []any{"1", "2", "3"}})), CodeBadArgument)
	faultOf(t, second(Render(m, "list", hcp.Args{"argv": []any{"1"}})), CodeUnknownArgument)
	faultOf(t, second(Render(m, "status", hcp.Args{"argv": "--short"})), CodeBadArgument)
	if IsPassThrough(m, "list") || !IsPassThrough(m, "status") {
		t.Error("a named command is no pass-through")
	}
	m.Kind = hcp.KindComposite
	faultOf(t, second(Render(m, "status", nil)), CodeUnknownCommand)
}

func TestBootstrapMarksForwardedFiles(t *testing.T) {
	m := manifest(t, `{"id":"mail","kind":"wrap","wrap":{"bin":"mail"},"verbs":{},"pass_through":{"allowedSubcommands":["get"],"maxArgv":9}}`)
	argv, err := Render(m, "get", hcp.Args{"argv": []any{"--file", "a", "--output=b"}})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := argv.Tokens[2], argv.Tokens[3]; !a.File || !b.File || b.Text[b.FileAt:] != "b" || a.Parts[0].Arg != "argv" {
		t.Errorf("%+v", argv.Tokens)
	}
}

func TestWordTooLongForAnyProgramIsRefused(t *testing.T) {
	m := wrapOf(t, `{"x":{"cli":["t","--body={{a}}"]}}`)
	faultOf(t, second(Render(m, "x", hcp.Args{"a": strings.Repeat("x", maxValueBytes)})), CodeBadArgument)
}

func TestPackWithAWordForNoProgramIsRefused(t *testing.T) {
	for _, c := range []hcp.Command{{CLI: []string{"t", "a\x00"}}, {CLI: []string{"t", "\xff"}}, {JSONFlag: []string{"--x\x00"}}} {
		m := wrapOf(t, `{}`)
		m.Verbs.Set("x", c)
		faultOf(t, second(Render(m, "x", nil)), CodeBadSchema)
	}
}

func TestHostPathIsRecognisedInEveryDress(t *testing.T) {
	for text, want := range map[string]string{
		"/etc/passwd":                   "/etc/passwd",
		"/etc":                          "/etc",
		"/home/u/x y":                   "/home/u/x y",
		"/root/":                        "/root",
		"/Users/u":                      "/Users/u",
		"/users/u":                      "/users/u",
		"/ETC/passwd":                   "/ETC/passwd",
		"//etc//passwd":                 "/etc/passwd",
		"/./etc/passwd":                 "/etc/passwd",
		"/tmp/../etc/passwd":            "/etc/passwd",
		"/../../etc/x":                  "/etc/x",
		`\etc\passwd`:                   "/etc/passwd",
		"--file=/etc/passwd":            "/etc/passwd",
		"-o=/root/x":                    "/root/x",
		"body=/etc/passwd":              "/etc/passwd",
		"@/etc/passwd":                  "/etc/passwd",
		"body=@/etc/passwd":             "/etc/passwd",
		"file:///etc/passwd":            "/etc/passwd",
		"FILE:///etc/passwd":            "/etc/passwd",
		"file:/etc/passwd":              "/etc/passwd",
		"file://localhost/etc/passwd":   "/etc/passwd",
		"file:////etc/passwd":           "/etc/passwd",
		"file:///%65tc/passwd":          "/etc/passwd",
		"file:///tmp/%2e%2e/etc/passwd": "/etc/passwd",
		"--url=file:///etc/passwd":      "/etc/passwd",
		"file://etc/passwd":             "/etc/passwd",
	} {
		if got, ok := HostPath(text); !ok || got != want {
			t.Errorf("HostPath(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "etc/passwd", "./etc/passwd", "/tmp/etc", "/etcetera", "/etc is a directory", "see /etc/passwd", "a=b /etc/passwd",
		"/homework", "/var/root", "https://example.com/etc/passwd", "workspace:/etc/passwd", "=/etc/passwd", "/", "//", "file:", "@", "x y=/etc/passwd",
	} {
		if got, ok := HostPath(text); ok {
			t.Errorf("HostPath(%q) = %q", text, got)
		}
	}
}

func TestTokenLooksIntoEachValue(t *testing.T) {
	for _, c := range []struct {
		token Token
		want  bool
	}{
		{Token{Text: "a,/etc/passwd", Parts: []Part{{"a", "l"}, {",", ""}, {"/etc/passwd", "l"}}}, true},
		{Token{Text: "-o/etc/passwd", Parts: []Part{{"-o", ""}, {"/etc/passwd", "f"}}}, true},
		{Token{Text: "/etc/passwd", Parts: []Part{{"/etc/", ""}, {"passwd", "f"}}}, true},
		{Token{Text: "/etc/tool.conf", Parts: []Part{{"/etc/tool.conf", ""}}}, true},
		{Token{Text: "x /etc/passwd", Parts: []Part{{"x /etc/passwd", "f"}}}, false},
	} {
		if _, got := c.token.HostPath(); got != c.want {
			t.Errorf("%q: %v", c.token.Text, got)
		}
	}
}

func TestWorkspaceRefIsSplit(t *testing.T) {
	for text, want := range map[string][2]string{
		"workspace:a/b":          {"", "a/b"},
		"--file=workspace:a":     {"--file=", "a"},
		"workspace:":             {"", ""},
		"workspace:../x":         {"", "../x"},
		"workspace:/etc/passwd":  {"", "/etc/passwd"},
		"workspace:a=workspace:": {"", "a=workspace:"},
	} {
		before, rel, ok := WorkspaceRef(text)
		if !ok || before != want[0] || rel != want[1] {
			t.Errorf("WorkspaceRef(%q) = %q, %q, %v", text, before, rel, ok)
		}
	}
	for _, text := range []string{"", "Workspace:a", "see workspace:a", "xworkspace:a", "--file=x/workspace:a"} {
		if before, rel, ok := WorkspaceRef(text); ok {
			t.Errorf("WorkspaceRef(%q) = %q, %q", text, before, rel)
		}
	}
}

func TestCheckingAndRenderingTogetherSayWhatTheyDoApart(t *testing.T) {
	wrap := wrapOf(t, `{"show":{"cli":["show","{{id}}"],"args":{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}},"required":["id"]}}}`)
	plain := *wrap
	plain.Kind, plain.Wrap = hcp.KindComposite, nil
	for _, m := range []*hcp.Manifest{wrap, &plain} {
		for _, args := range []hcp.Args{{"id": "a"}, {"id": "a", "n": "1"}, {"id": ""}, {}, {"id": "a", "other": "b"}} {
			for _, key := range []string{"show", "nothing"} {
				want, wantErr := Check(m, key, args)
				var argv Argv
				if wantErr == nil && m.EffectiveKind() == hcp.KindWrap {
					argv, wantErr = Render(m, key, want)
				}
				got, gotArgv, err := CheckAndRender(m, key, args)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) || err == nil && !reflect.DeepEqual(gotArgv, argv) {
					t.Errorf("%s %v: %v %v (%v), want %v %v (%v)", key, args, got, gotArgv, err, want, argv, wantErr)
				}
			}
		}
	}
}
