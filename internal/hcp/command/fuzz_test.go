package command

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

func FuzzParsePairs(f *testing.F) {
	for _, seed := range []string{"from=A\x1fto=B", "=x", "a", "--a=b", "a=1\x1fa=2", "a=\x00", "a=\xff", "é=x", "a=b=c", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, "\x1f")
		args, err := ParsePairs(words)
		if err != nil {
			faultOf(t, err, CodeBadArgument)
			return
		}
		if len(args) != len(words) {
			t.Fatalf("%d words gave %d arguments", len(words), len(args))
		}
		for _, word := range words {
			name, value, _ := strings.Cut(word, "=")
			if args[name] != value || !isName(name) || !utf8.ValidString(value) {
				t.Fatalf("%q became %q=%#v", word, name, args[name])
			}
		}
	})
}

func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":2.80}`, `{"a":1,"a":2}`, `[]`, `{"a":{"b":[null,true,"x"]}}`, `{"a":1e999}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{} {}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		args, err := ParseJSON(text)
		if err != nil {
			faultOf(t, err, CodeBadArgsJSON)
			return
		}
		again, err := ParseJSON([]byte(jsonText(map[string]any(args))))
		if err != nil || !reflect.DeepEqual(again, args) {
			t.Fatalf("%s came back as %#v, %v", text, again, err)
		}
	})
}

// fuzzedWrap is a wrap command whose cli[] and args are fuzzed. A template token
// is written as text, tokens apart by U+001F.
func fuzzedWrap(template, schema string) *hcp.Manifest {
	m := &hcp.Manifest{ID: "tool", Kind: hcp.KindWrap, Wrap: &hcp.Wrap{Bin: "tool"}}
	c := hcp.Command{CLI: append([]string{"tool"}, strings.Split(template, "\x1f")...)}
	if schema != "" {
		c.Args = json.RawMessage(schema)
	}
	m.Verbs.Set("x", c)
	return m
}

func FuzzRender(f *testing.F) {
	for _, seed := range []struct{ template, schema, args string }{
		{"go\x1f{{a}}\x1f--to\x1f{{b}}\x1f--\x1f{{c}}", "", `{"a":"x","b":"--y","c":"-z"}`},
		{"--f={{a}}\x1f{{b}}{{c}}", "", `{"a":"","b":"-","c":"x"}`},
		{"{{a}}", `{"properties":{"a":{"type":"integer"}}}`, `{"a":"-5"}`},
		{"-y\x1f{{a}}", `{"properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["a"]}`, `{"a":["-x",1]}`},
		{"{{a}}\x1f--json\x1f{{.X}}\x1f{{", "", `{"a":{"k":"\u0000"}}`},
		{"{{confirm}}\x1f--confirm", "", `{"confirm":true}`},
	} {
		f.Add(seed.template, seed.schema, seed.args)
	}
	f.Fuzz(func(t *testing.T, template, schema, argsText string) {
		m := fuzzedWrap(template, schema)
		args, err := ParseJSON([]byte(argsText))
		if err != nil {
			return
		}
		argv, err := Render(m, "x", args)
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		checkRendered(t, argv)
	})
}

// checkRendered holds every rendering against what must be true of all.
func checkRendered(t *testing.T, argv Argv) {
	data := false
	for i, token := range argv.Tokens {
		text := ""
		for _, part := range token.Parts {
			text += part.Text
			if IsReserved(part.Arg) {
				t.Fatalf("%q carries a reserved argument", token.Text)
			}
		}
		if text != token.Text {
			t.Fatalf("parts %q of %q", token.Parts, token.Text)
		}
		if token.Text == "" || strings.Contains(token.Text, "\x00") || !utf8.ValidString(token.Text) {
			t.Fatalf("a word that no program can get: %q", token.Text)
		}
		fromArgument := len(token.Parts) > 0 && token.Parts[0].Arg != ""
		afterFlag := i > 0 && argv.Tokens[i-1].own && takesValue(argv.Tokens[i-1].Text)
		if fromArgument && !data && !afterFlag && looksLikeOption(token.Text) && !isNumber(token.Text) {
			t.Fatalf("%q became an option in %q", token.Text, argv.Args())
		}
		data = data || token.own && token.Text == "--"
		if data && token.Appended {
			t.Fatalf("the JSON flag became data in %q", argv.Args())
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, seed := range []string{"a b", "it's\x1f", "\n\x1f$(x)\x1f`x`", "A=b\x1fif", "\xff\x1f\u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, "\x1f")
		got, ok := unquote(Line(words))
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "\x00", "\uFFFD")
		}
		if !ok || !slices.Equal(got, words) {
			t.Fatalf("%q is written %s, which reads %q", words, Line(words), got)
		}
	})
}

// unquote reads a line by the rules of POSIX for single quotes, backslashes and
// bare words, and refuses any other character with a meaning.
func unquote(line string) ([]string, bool) {
	var words []string
	var word []byte
	begun, quoted := false, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quoted && c == '\'':
			quoted = false
		case quoted:
			word = append(word, c)
		case c == '\'':
			quoted, begun = true, true
		case c == '\\' && i+1 < len(line):
			i++
			word, begun = append(word, line[i]), true
		case c == ' ':
			words, word, begun = append(words, string(word)), nil, false
		case strings.IndexByte("|&;<>()$`\\\"\t\n*?[]#~!{}^", c) >= 0 || c >= 0x80:
			return nil, false
		default:
			word, begun = append(word, c), true
		}
	}
	return append(words, string(word)), !quoted && (begun || len(words) == 0)
}

func FuzzFromArgv(f *testing.F) {
	for _, seed := range []struct{ template, schema, argv string }{
		{"go\x1f{{a}}\x1f--to\x1f{{b}}\x1f--\x1f{{c}}", "", "x\x1f--to\x1fy\x1f--\x1fz"},
		{"repos/{{a}}/{{b}}\x1f-q{{c}}", "", "repos/x/y\x1f-qz\x1f--flag"},
		{"{{a}}", `{"properties":{"a":{"type":"integer","x-position":0},"l":{"type":"array"}}}`, "-5\x1f--l=1,2\x1f--l\x1f[3]"},
		{"--confirm\x1f-o\x1fjson", "", "--confirm\x1f-o\x1fjson\x1f--apply"},
	} {
		f.Add(seed.template, seed.schema, seed.argv)
	}
	f.Fuzz(func(t *testing.T, template, schema, line string) {
		m := fuzzedWrap(template, schema)
		args, err := FromArgv(m, "x", strings.Split(line, "\x1f"))
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		for name := range args {
			if !isName(name) || name == hcp.ArgMode {
				t.Fatalf("%q gave the argument %q", line, name)
			}
		}
	})
}

func FuzzTitle(f *testing.F) {
	f.Add("Paid {{a}} to {{result.b.0}}", `{"a":"x"}`, `{"b":["y"]}`)
	f.Add("{{a}}", `{"a":"\u202e\n\u0301"}`, `null`)
	f.Fuzz(func(t *testing.T, template, argsText, result string) {
		args, err := ParseJSON([]byte(argsText))
		if err != nil {
			return
		}
		m := &hcp.Manifest{ID: "tool"}
		m.Verbs.Set("x", hcp.Command{Title: &hcp.Title{Live: hcp.Templates{template}, Done: hcp.Templates{template}}})
		titles := Title(m, "x", args, json.RawMessage(result))
		for _, text := range []string{titles.Live, titles.Done} {
			if strings.ContainsAny(text, "\n\r\x1b\u202e\u200b\u2028") {
				t.Fatalf("%q shows what cannot be seen", text)
			}
		}
	})
}
