package cli

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// options has a flag of each kind.
type options struct {
	text   string
	on     bool
	number int
	large  int64
	span   time.Duration
	many   []string
	parts  []string
}

func (o *options) flags() *Flags {
	s := &Flags{}
	s.StringVar(&o.text, "text", "a", "a `word`")
	s.BoolVar(&o.on, "on", false, "on")
	s.IntVarP(&o.number, "number", "n", 1, "how many")
	s.Int64Var(&o.large, "large", 0, "how much")
	s.DurationVar(&o.span, "span", time.Second, "how long")
	s.StringArrayVar(&o.many, "many", []string{"x"}, "each")
	s.StringSliceVar(&o.parts, "parts", nil, "some")
	return s
}

func TestFlagsAreTakenOutOfTheWords(t *testing.T) {
	base := options{text: "a", number: 1, span: time.Second, many: []string{"x"}}
	with := func(change func(*options)) options { o := base; change(&o); return o }
	for _, c := range []struct {
		words string
		want  options
		args  string
		dash  int
	}{
		{"", base, "", -1},
		{"p q", base, "p q", -1},
		{"p --text b q", with(func(o *options) { o.text = "b" }), "p q", -1},
		{"--text=b=c --text=", with(func(o *options) { o.text = "" }), "", -1},
		{"--text --on", with(func(o *options) { o.text = "--on" }), "", -1},
		{"--on p", with(func(o *options) { o.on = true }), "p", -1},
		{"--on=false", base, "", -1},
		{"-n 3 p", with(func(o *options) { o.number = 3 }), "p", -1},
		{"-n3", with(func(o *options) { o.number = 3 }), "", -1},
		{"-n=-3", with(func(o *options) { o.number = -3 }), "", -1},
		{"--number -3 --large 9007199254740993", with(func(o *options) { o.number, o.large = -3, 9007199254740993 }), "", -1},
		{"--span 90s", with(func(o *options) { o.span = 90 * time.Second }), "", -1},
		{"--many y --many y,z", with(func(o *options) { o.many = []string{"y", "y,z"} }), "", -1},
		{"--parts a,b --parts c", with(func(o *options) { o.parts = []string{"a", "b", "c"} }), "", -1},
		{"p - q -- --text b -x", base, "p - q --text b -x", 3},
		{"-- --", base, "--", 0},
	} {
		got := options{}
		args, dash, err := got.flags().parse(strings.Fields(c.words))
		if err != nil || dash != c.dash || strings.Join(args, " ") != c.args || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %v %v %v %+v", c.words, args, dash, err, got)
		}
	}
}

func TestFlagsThatCannotBeUsedAreNamed(t *testing.T) {
	cmd := &Command{Use: "tool"}
	cmd.flags = *(&options{}).flags()
	for words, want := range map[string]string{
		"--nope":       `unknown flag "--nope"`,
		"--txt=1":      `unknown flag "--txt"`,
		"-x":           `unknown flag "-x"`,
		"--text":       `flag "--text" needs a value`,
		"-n":           `flag "--number" needs a value`,
		"--number x":   `flag "--number" does not take the value "x"`,
		"--number=":    `flag "--number" does not take the value ""`,
		"-n1.5":        `flag "--number" does not take the value "1.5"`,
		"--on=perhaps": `flag "--on" does not take the value "perhaps"`,
		"--span 1":     `flag "--span" does not take the value "1"`,
		"---text":      `"---text" is no flag`,
		"--=x":         `"--=x" is no flag`,
	} {
		_, _, err := cmd.flags.parse(strings.Fields(words))
		if err == nil || FlagFault(cmd, err).Message != want {
			t.Errorf("%q: %v, not %q", words, err, want)
		}
	}
	for _, words := range []string{"--help", "p -h", "--on -h"} {
		if _, _, err := cmd.flags.parse(strings.Fields(words)); !errors.As(err, &helpWanted{}) {
			t.Errorf("%q: %v", words, err)
		}
	}
	if hint := FlagFault(cmd, &flagError{flag: "--txt"}).Hint; !strings.HasPrefix(hint, `did you mean "--text"?`) {
		t.Error(hint)
	}
}

func TestWhatFollowsTheDashesIsNoFlag(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom([]string{"p", "-", "--on", "--text", "--text=b", "-n", "-n3", "--", "--nope", "-h", "="})).Draw(t, "words")
		behind := rapid.SliceOf(rapid.String()).Draw(t, "behind")
		args, dash, err := (&options{}).flags().parse(append(append([]string{}, words...), append([]string{"--"}, behind...)...))
		if err != nil || dash < 0 {
			return // refused, or the dashes are the value of a flag
		}
		if len(args) < len(behind) || !reflect.DeepEqual(append([]string{}, args[len(args)-len(behind):]...), append([]string{}, behind...)) {
			t.Fatalf("%q then %q: %q", words, behind, args)
		}
	})
}

func TestWordsNameTheCommandBelow(t *testing.T) {
	var ran, folder string
	var json bool
	leaf := func(name string) *Command {
		c := &Command{Use: name + " [word]", Aliases: []string{name[:2]}, Args: AtMost(1)}
		c.RunE = func(_ *Command, args []string) error { ran = c.UseLine() + "|" + strings.Join(args, ","); return nil }
		return c
	}
	group := &Command{Use: "group"}
	group.PersistentFlags().StringVar(&folder, "folder", "", "where")
	group.AddCommand(leaf("make"), leaf("show"))
	root := &Command{Use: "tool", RunE: func(*Command, []string) error { ran = "root"; return nil }}
	root.help = func(c *Command) { ran = "help of " + c.Name() }
	root.PersistentFlags().BoolVar(&json, "json", false, "json")
	root.AddCommand(group, leaf("other"))
	for words, want := range map[string]string{
		"":                                 "root",
		"other":                            "tool other [word]|",
		"--json ot w":                      "tool other [word]|w",
		"group":                            "help of group",
		"group make w":                     "tool group make [word]|w",
		"group --folder make sh":           "tool group show [word]|",
		"group make --folder=/x":           "tool group make [word]|",
		"group make -- show":               "tool group make [word]|show",
		"group make --help":                "help of make",
		"other w v":                        `refused: unexpected argument "v"`,
		"other --folder x":                 `refused: unknown flag "--folder"`,
		"group --folder /a make --json=on": `refused: flag "--json" does not take the value "on"`,
	} {
		ran = ""
		if err := root.execute(context.Background(), strings.Fields(words)); err != nil {
			ran = "refused: " + err.Error()
		}
		if ran != want {
			t.Errorf("%q: %q, not %q", words, ran, want)
		}
	}
}

func TestShellsAreOfferedWhatMayStandThere(t *testing.T) {
	exec := &Command{Use: "exec <pack>", Short: "run"}
	var where string
	exec.Flags().StringVar(&where, "where", "", "a `place`")
	exec.ValidArgsFunction = func(_ *Command, args []string, _ string) []string {
		if len(args) == 0 {
			return []string{"transit", "ledger"}
		}
		return []string{"of-" + args[0]}
	}
	root := &Command{Use: "tool"}
	root.AddCommand(exec, &Command{Use: "explain", Short: "say more"}, &Command{Use: "exile", Hidden: true})
	for words, want := range map[string]string{
		"ex":               "exec\trun|explain\tsay more",
		"exec ":            "transit|ledger",
		"exec t":           "transit",
		"exec transit ":    "of-transit",
		"exec --w":         "--where\ta place",
		"exec --where ":    filesToo,
		"exec --where x l": "ledger",
		"exec --nope l":    "",
		"explain ":         filesToo,
	} {
		list := strings.Split(words, " ")
		got := strings.Join(root.complete(context.Background(), list[:len(list)-1], list[len(list)-1]), "|")
		if got != want {
			t.Errorf("%q: %q, not %q", words, got, want)
		}
	}
}
