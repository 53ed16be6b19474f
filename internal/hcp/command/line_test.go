package command

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"

	"pgregory.net/rapid"
)

func TestLineQuotesOnlyWhatNeedsIt(t *testing.T) {
	for want, words := range map[string][]string{
		`ledger transfer 2.80 --to demo-transit --confirm`: {"ledger", "transfer", "2.80", "--to", "demo-transit", "--confirm"},
		`a '' ' '`:    {"a", "", " "},
		`a 'it'\''s'`: {"a", "it's"},
		`a '$(x)' '` + "`x`" + `' '~/x' '{a,b}' '#c' '!x' 'a*' '<x' 'a;b' '\'`: {"a", "$(x)", "`x`", "~/x", "{a,b}", "#c", "!x", "a*", "<x", "a;b", `\`},
		`'A=b' A=b '=ls'`:  {"A=b", "A=b", "=ls"},
		`'if' if`:          {"if", "if"},
		"a 'x\ny' 'é'":     {"a", "x\ny", "é"},
		`a x@y.z_%+=:,./-`: {"a", "x@y.z_%+=:,./-"},
		"":                 nil,
	} {
		if got := Line(words); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", words, got, want)
		}
	}
}

// shellWords asks a real shell for the words of a line.
func shellWords(t interface{ Fatalf(string, ...any) }, shell, line string) []string {
	script := "show() { for word; do printf '%s\\0' \"$word\"; done; }\nshow " + line + "\n"
	cmd := exec.Command(shell, "-c", script)
	cmd.Env = []string{"HOME=/nowhere", "PATH=/nowhere", "LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s\nline: %s", shell, err, out, line)
	}
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func TestShellReadsBackExactlyTheWords(t *testing.T) {
	words := []string{
		"", " ", "'", "''", `"`, `\`, `\\n`, "$HOME", "$(exit 1)", "`exit 1`", "a\nb", "\n", "\t", "\r", "\x01\x1b[31m\x7f", "é", "日本", "\U0001F600",
		"\u202e", "\u200b", "-n", "--", "~", "~root", "a=~", "*", "?", "[a]", "{a,b}", "a{1..3}", "!!", "!x", "#", "a#b", "&", "&&", "|", ";", "<", ">", "(", ")",
		"%1", "^x", "=ls", "A=b", "if", "a:b", "-", "%s", "\\c", "\xff\xfe",
	}
	for _, shell := range shells(t) {
		if got := shellWords(t, shell, Line(append([]string{"first"}, words...))); !slices.Equal(got[1:], words) {
			t.Errorf("%s read\n%q\nwant\n%q", shell, got[1:], words)
		}
	}
}

func TestShellReadsBackAnyWords(t *testing.T) {
	available := shells(t)
	rapid.Check(t, func(t *rapid.T) {
		var words []string
		for range rapid.IntRange(1, 40).Draw(t, "count") {
			if rapid.Bool().Draw(t, "bytes") {
				words = append(words, strings.ReplaceAll(string(rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "word")), "\x00", ""))
			} else {
				words = append(words, rapid.StringOfN(rapid.SampledFrom([]rune("ab=-~/'\"\\$`!{}[]()*?#&|;<> \n\t%é\u202e")), 0, 8, -1).Draw(t, "word"))
			}
		}
		for _, shell := range available {
			if got := shellWords(t, shell, Line(append([]string{"first"}, words...))); !slices.Equal(got[1:], words) {
				t.Fatalf("%s read\n%q\nwant\n%q", shell, got[1:], words)
			}
		}
	})
}

// shells are sh, which must be there, and bash where it is installed.
func shells(t *testing.T) []string {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	found := []string{sh}
	if bash, err := exec.LookPath("bash"); err == nil {
		found = append(found, bash)
	}
	return found
}

func TestCommandPlaceIsNeitherAssignmentNorKeyword(t *testing.T) {
	for _, word := range append([]string{"A=b", "a+=b", "A=b=c"}, shellKeywords...) {
		if got := Line([]string{word}); got != "'"+word+"'" {
			t.Errorf("%s in the place of the command is written %s", word, got)
		}
	}
}

func TestNULIsShownSinceNothingCanCarryIt(t *testing.T) {
	if got := Line([]string{"a\x00b"}); got != "'a\uFFFDb'" {
		t.Errorf("%q", got)
	}
}

func TestLinesReadyToRun(t *testing.T) {
	m := manifest(t, `{"id":"transit","kind":"wrap","wrap":{"bin":"./bin/transit.mjs"},"verbs":{
		"plan":{"cli":["transit","plan","{{from}}","{{to}}"],"args":{"properties":{
			"from":{"type":"string","examples":["Central"]},"to":{"type":"string","examples":["Harbour"]},"via":{"type":"string"}},"required":["from","to"]}},
		"find":{"args":{"properties":{
			"q":{"examples":["old town"]},"limit":{"type":"integer","examples":[5]},"zone":{"enum":["z 1","z2"]},"kind":{"default":"stop"},"who":{},"tags":{"type":"array","examples":[["a","b"]]}},
			"required":["q","zone","kind","who"]}},
		"status":{},
		"broken":{"args":{"oneOf":[]}}}}`)
	for key, want := range map[string]string{
		"plan":   `hcpx exec transit plan --json -- from=Central to=Harbour`,
		"find":   `hcpx exec transit find --json -- 'q=old town' limit=5 'zone=z 1' kind=stop 'who=<who>' 'tags=["a","b"]'`,
		"status": `hcpx exec transit status --json`,
		"broken": `hcpx exec transit broken --json`,
	} {
		if got := ExampleLine("hcpx", m, key); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	args := hcp.Args{"to": "B", "from": "it's", "confirm": true, "zz": map[string]any{"b": 1, "a": nil}}
	if got, want := ExecLine("hcp", m, "plan", args), `hcp exec transit plan --json -- 'from=it'\''s' to=B confirm=true 'zz={"a":null,"b":1}'`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestShownLineHoldsEveryArgument(t *testing.T) {
	echo := manifest(t, `{"id":"echo","cliBin":"echo-hcp","verbs":{
		"echo.say":{"cli":["echo-hcp","say","{{message}}"]},
		"echo.sum":{"cli":["echo-hcp","sum"],"args":{"properties":{"a":{},"b":{}}}},
		"echo.raw":{"args":{"properties":{"a":{}}}}}}`)
	bootstrap := manifest(t, `{"id":"mail","kind":"wrap","cliBin":"mail","wrap":{"bin":"mail"},"verbs":{},"pass_through":{"allowedSubcommands":["get"],"maxArgv":9}}`)
	for _, c := range []struct {
		m    *hcp.Manifest
		key  string
		args hcp.Args
		want string
	}{
		{ledger(t), "transfer", hcp.Args{"amount": "2.80", "payee": "demo-transit"}, "ledger transfer 2.80 --to demo-transit --confirm"},
		{ledger(t), "transfer", hcp.Args{"amount": "-1", "payee": "x"}, "hcpx exec ledger transfer --json -- amount=-1 payee=x"},
		{ledger(t), "nothing", hcp.Args{"a": "1"}, "hcpx exec ledger nothing --json -- a=1"},
		{echo, "echo.say", hcp.Args{"message": "hi you"}, "echo-hcp say 'hi you'"},
		{echo, "echo.say", hcp.Args{"message": "-hi"}, "hcpx exec echo echo.say --json -- message=-hi"},
		{echo, "echo.sum", hcp.Args{"b": 2, "a": 1}, "hcpx exec echo echo.sum --json -- a=1 b=2"},
		{echo, "echo.raw", hcp.Args{"a": 1}, "hcpx exec echo echo.raw --json -- a=1"},
		{bootstrap, "get", hcp.Args{"argv": []any{"a b"}}, "mail get 'a b'"},
	} {
		if got := Shown("hcpx", c.m, c.key, c.args); got != c.want {
			t.Errorf("%s: got %s, want %s", c.key, got, c.want)
		}
	}
}
