package helptext

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// digest is what a page says, short enough to compare: one line for each usage,
// subcommand, option and argument.
func digest(p Page) string {
	var b strings.Builder
	line := func(words ...string) { b.WriteString(strings.TrimSpace(strings.Join(words, " ")) + "\n") }
	if p.About != "" {
		line("about", p.About)
	}
	for _, u := range p.Usages {
		line("usage", strings.Join(u.Words, " "), shape(u.Parts), u.About)
	}
	for _, c := range p.Commands {
		line("command", c.Name, shape(c.Parts), ": "+c.About)
	}
	for _, a := range p.Arguments {
		line("argument", a.Name, ":", a.About)
	}
	for _, o := range p.Options {
		line("option", o.Flag, o.Value, strings.Join(o.Choices, "/"), map[bool]string{true: "required"}[o.Required], map[bool]string{true: "number"}[o.Number])
	}
	return b.String()
}

func shape(parts []Part) string {
	var words []string
	for _, p := range parts {
		text := p.Name
		switch p.Kind {
		case Switch:
			text = p.Flag
		case Value:
			text = "<" + p.Name + ">"
			if p.Flag != "" {
				text = p.Flag + " " + text
			}
		case Options, Subcommand, Rest:
			text = [...]string{Options: "OPTIONS", Subcommand: "COMMAND", Rest: "REST"}[p.Kind]
		}
		if p.Optional {
			text = "[" + text + "]"
		}
		if p.Repeated {
			text += "..."
		}
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

// TestFamiliesOfHelpAreRead compares what is read of the help of each family of
// libraries, testdata/*.help, with the digest beside it.
func TestFamiliesOfHelpAreRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.help")
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".help") + ".read")
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(digest(Read(text, "mail")), "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestCleanLeavesVisibleTextOnly(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[31mred\x1b[0m b\n":           "ared b\n",
		"\x1b]0;title\x07x\n":               "x\n",
		"N\bNA\bAM\bME\bE\n":                "NAME\n",
		"a\tb\r\n":                          "a       b\n",
		"bad \xff\xfe end\n":                "bad  end\n",
		"zero\u200bwidth \u202eturned\n":    "zerowidth turned\n",
		"│ add   Add one │\n":               "  add   Add one\n",
		"nul\x00 bell\x07 del\x7f":          "nul bell del\n",
		"\x1b[":                             "\n",
		strings.Repeat("x", 3000) + "\ny\n": strings.Repeat("x", longestLine) + "\ny\n",
	} {
		if got := Clean([]byte(in)); strings.TrimLeft(got, "\n") != strings.TrimLeft(want, "\n") {
			t.Errorf("%.40q: %.60q, not %.60q", in, got, want)
		}
	}
}

func TestSentenceIsOneAndMeansNothingElsewhere(t *testing.T) {
	for in, want := range map[string]string{
		"List messages. Then more.":           "List messages",
		"Use `x` | <b> {{y}} *z*":             "Use x b y z",
		"  spaced   out  ":                    "spaced out",
		strings.Repeat("word ", 100):          strings.TrimSpace(strings.Repeat("word ", longestText/5)),
		strings.Repeat("é", longestText):      strings.Repeat("é", longestText/2),
		"Version 1.2.3 of it; e.g. this one.": "Version 1.2.3 of it; e.g. this one",
	} {
		if got := Sentence(in); got != want {
			t.Errorf("%.40q: %q, not %q", in, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.help")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("usage: mail [[[[[[((((<<<{{{|||...\n  {a,b} ...\n-"))
	f.Add([]byte("usage: mail --x[=<y>|z] <a|b> [--no-x|--y Z]... -- [\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p := Read(text, "mail")
		if len(p.Usages) > mostItems || len(p.Commands) > mostItems || len(p.Options) > mostItems || len(p.Arguments) > mostItems {
			t.Fatalf("unbounded: %d %d %d %d", len(p.Usages), len(p.Commands), len(p.Options), len(p.Arguments))
		}
		said := []string{p.About}
		for _, u := range p.Usages {
			said = append(said, u.About)
			for _, w := range u.Words {
				if !isName(w) {
					t.Errorf("the word %q is no name", w)
				}
			}
		}
		for _, c := range p.Commands {
			said = append(said, c.About)
			if !isName(c.Name) {
				t.Errorf("the command %q is no name", c.Name)
			}
		}
		for _, o := range p.Options {
			said = append(said, o.About)
			if o.Flag[0] != '-' || strings.ContainsAny(o.Flag, " {}'\"$") {
				t.Errorf("the flag %q is none", o.Flag)
			}
		}
		for _, a := range p.Arguments {
			said = append(said, a.About)
		}
		for _, text := range said {
			if len(text) > longestText || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune("`|<>{}", r) }) {
				t.Errorf("%q is no sentence", text)
			}
		}
	})
}

// TestExamplesAndProseDeclareNothing holds a dangerous example in every place of a
// page; the options and calls that are declared are read all the same.
func TestExamplesAndProseDeclareNothing(t *testing.T) {
	for name, page := range map[string]string{
		"an example in the text":      "demo - runs things\n\nUsage: demo run CMD\n\nRuns a command, for example\n\n    demo rm -rf /\n\nOptions:\n  -v, --verbose  say more\n",
		"a heading of its own":        "Usage: demo run CMD\n\nNever type:\n  rm -rf /\n  demo run -- rm -rf /\n\nFlags:\n  -v, --verbose  say more\n",
		"prose that breaks at a dash": "Usage: demo run CMD\n\nThe text says that rm\n-rf / is bad, as is\n-rf of anything\n\nOptions:\n  -v, --verbose  say more\n",
		"below an option":             "Usage: demo run CMD\n\nOptions:\n  -v, --verbose  say more\n                 than rm\n                 -rf /\n",
		"among the usage":             "Usage:\n  demo run CMD\n  demo run rm -rf /\n\nOptions:\n  -v, --verbose  say more\n",
		"an address and a home":       "Usage:\n  demo run CMD\n  demo run -o https://example.com -x ~/here\n\nOptions:\n  -v, --verbose  say more\n",
	} {
		p := Read([]byte(page), "demo")
		if len(p.Usages) != 1 || shape(p.Usages[0].Parts) != "COMMAND" && shape(p.Usages[0].Parts) != "<CMD>" && shape(p.Usages[0].Parts) != "CMD" {
			t.Errorf("%s:\n%s", name, digest(p))
		}
		if len(p.Options) != 1 || p.Options[0].Flag != "--verbose" {
			t.Errorf("%s:\n%s", name, digest(p))
		}
	}
}
