package command

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// Argv is a rendered command: the words for the wrapped program, without its
// name, and where each comes from.
type Argv struct {
	// Bin is wrap.bin as the pack declares it; empty unless the pack wraps.
	Bin string
	// Name is the program's name as the command line shows it.
	Name   string
	Tokens []Token
}

// Token is one word of an argv.
type Token struct {
	Text  string
	Parts []Part
	// File says that a file flag announces the word, or stands in it, as the
	// name of a file: Text[FileAt:].
	File   bool
	FileAt int
	// JSON says that the word selects JSON output; it is never a file.
	JSON bool
	// Appended says that the runtime added the word as JSON flag; the command
	// line that a person is shown leaves it out.
	Appended bool

	// own says that the word can act as a flag or as "--": it begins with the
	// pack's text, or a bootstrap forwards it for that purpose.
	own bool
}

// Part is a stretch of a word. Arg names the argument whose value it is, or is
// empty for the pack's own text. Each item of a list is a part.
type Part struct{ Text, Arg string }

// Args returns the words as the program gets them.
func (a Argv) Args() []string {
	words := make([]string, len(a.Tokens))
	for i, t := range a.Tokens {
		words[i] = t.Text
	}
	return words
}

// Line is the command line to show a person: the program's own name, the words
// of the command and its values, without the JSON flag that the runtime adds.
func (a Argv) Line() string { return Line(a.Words()) }

// Words are the words of Line.
func (a Argv) Words() []string {
	words := []string{a.Name}
	for _, t := range a.Tokens {
		if !t.Appended {
			words = append(words, t.Text)
		}
	}
	return words
}

// Render checks the arguments as Check does and renders the command's cli[], or
// the pack's argv_template (§6.4). For a wrap pack every given argument must
// have its place: one that no placeholder takes is refused, since a value that
// narrows a command must not vanish.
func Render(m *hcp.Manifest, key string, args hcp.Args) (Argv, error) {
	f, err := formOf(m, key)
	if err != nil {
		return Argv{}, err
	}
	checked, err := f.check(args)
	if err != nil {
		return Argv{}, err
	}
	return f.render(m, checked)
}

// CheckAndRender is Check and then Render, with one reading of the declaration. A
// pack that wraps nothing has no command line.
func CheckAndRender(m *hcp.Manifest, key string, args hcp.Args) (checked hcp.Args, argv Argv, err error) {
	f, err := formOf(m, key)
	if err != nil {
		return nil, Argv{}, err
	}
	if checked, err = f.check(args); err != nil || m.EffectiveKind() != hcp.KindWrap {
		return checked, Argv{}, err
	}
	argv, err = f.render(m, checked)
	return checked, argv, err
}

// render renders checked arguments.
func (f *form) render(m *hcp.Manifest, checked hcp.Args) (Argv, error) {
	argv := Argv{Name: f.programName(m)}
	if m.Wrap != nil {
		argv.Bin = m.Wrap.Bin
	}
	template := f.template(m)
	if m.EffectiveKind() == hcp.KindWrap && !f.passThrough {
		if err := f.refuseUnplaced(template, checked); err != nil {
			return Argv{}, err
		}
	}
	w := writer{form: f, args: checked, flag: -1}
	for _, s := range template {
		if err := w.add(s); err != nil {
			return Argv{}, err
		}
	}
	if f.passThrough {
		more := forwarded(checked)
		w.tokens = append(w.tokens, more...)
		for _, t := range more {
			template = append(template, slot{{text: t.Text}})
		}
	}
	argv.Tokens = withJSONFlag(markFiles(w.tokens, fileFlags(m)), f.jsonFlag(m, template))
	if err := f.fit(argv.Tokens); err != nil {
		return Argv{}, err
	}
	return argv, nil
}

// fit refuses words that no program can be given.
func (f *form) fit(tokens []Token) error {
	for _, t := range tokens {
		if err := plainText(t.Text); err != nil {
			return fault.Newf(CodeBadSchema, "a word of %s %v", f.label(), err).
				WithHint("the pack's author has to change cli of %q in surface.json", f.key)
		}
		if len(t.Text) > maxValueBytes {
			return fault.Newf(CodeBadArgument, "a word of %s would be too long", f.label()).
				WithHint("one word takes up to %d bytes; pass a file instead", maxValueBytes)
		}
	}
	return nil
}

func (f *form) programName(m *hcp.Manifest) string {
	switch {
	case len(f.command.CLI) > 0 && f.command.CLI[0] != "":
		return f.command.CLI[0]
	case m.CLIBin != "":
		return m.CLIBin
	case m.Wrap != nil:
		return m.Wrap.Bin[strings.LastIndexAny(m.Wrap.Bin, `/\`)+1:]
	default:
		return m.ID
	}
}

func (f *form) refuseUnplaced(template []slot, args hcp.Args) error {
	placed := placeholdersOf(template)
	for _, name := range sortedNames(args) {
		if !slices.Contains(placed, name) {
			return fault.Newf(CodeBadArgument, "argument %q has no place on the command line of %s", name, f.label()).
				WithHint("leave it out; the pack declares it but its cli[] has no {{%s}}", name)
		}
	}
	return nil
}

// writer turns the slots of a template into words.
type writer struct {
	form   *form
	args   hcp.Args
	tokens []Token
	// flag is the index of a word that waits for its value: the slot right
	// before this one was a flag of the pack's, written by itself. Else -1.
	flag int
	// data says that a literal "--" came: nothing behind it can be an option.
	data bool
}

func (w *writer) add(s slot) error {
	flag := w.flag
	w.flag = -1
	if text, fixed := s.fixed(); fixed {
		if text == "" {
			return nil
		}
		w.tokens = append(w.tokens, Token{Text: text, Parts: []Part{{Text: text}}, own: true})
		if text == "--" {
			w.data = true
		} else if !w.data && takesValue(text) {
			w.flag = len(w.tokens) - 1
		}
		return nil
	}
	if s[0].name == "" && strings.HasPrefix(s[0].text, "-") {
		flag = -1 // an option of its own, not the value of the flag before it
	}
	parts, missing := w.fill(s)
	if len(missing) > 0 {
		return w.drop(s, missing, flag)
	}
	t := Token{Parts: parts, own: s[0].name == ""}
	for _, p := range parts {
		t.Text += p.Text
	}
	bare := flag < 0 || isSwitch(w.tokens[flag].Text)
	if bare && !w.data && !t.own && looksLikeOption(t.Text) && !w.isNegativeNumber(s) {
		return w.refuseOption(s[0].name)
	}
	w.tokens = append(w.tokens, t)
	return nil
}

// fill puts the values into a slot and names those that are missing.
func (w *writer) fill(s slot) (parts []Part, missing []string) {
	for _, p := range s {
		if p.name == "" {
			parts = append(parts, Part{Text: p.text})
			continue
		}
		value, given := w.args[p.name]
		if !given {
			missing = append(missing, p.name)
			continue
		}
		parts = append(parts, partsOf(value, p.name)...)
	}
	return parts, missing
}

// partsOf splits a value's text where a list's items meet.
func partsOf(v any, name string) []Part {
	list, ok := v.([]any)
	if !ok {
		return []Part{{Text: textOf(v), Arg: name}}
	}
	var parts []Part
	for i, item := range list {
		if i > 0 {
			parts = append(parts, Part{Text: ","})
		}
		parts = append(parts, partsOf(item, name)...)
	}
	return parts
}

// drop leaves out a slot whose values are missing, and the flag that waits for
// it. A slot that has some of its values and lacks others has no good form:
// neither half of it is what the caller meant.
func (w *writer) drop(s slot, missing []string, flag int) error {
	given := slices.DeleteFunc(placeholdersOf([]slot{s}), func(name string) bool { return slices.Contains(missing, name) })
	if len(given) > 0 {
		return fault.Newf(CodeMissingArgument, "missing %s for %s", argumentsNamed(missing), w.form.label()).
			WithHint("it is needed together with %s, or leave both out", argumentsNamed(given)).
			WithNext(w.form.listing())
	}
	if flag >= 0 {
		w.tokens = w.tokens[:flag]
	}
	return nil
}

func (w *writer) isNegativeNumber(s slot) bool {
	if len(s) != 1 {
		return false
	}
	a, declared := w.form.argument(s[0].name)
	if !declared {
		return false
	}
	_, number := w.args[s[0].name].(json.Number)
	return number && a.isNumeric()
}

func (w *writer) refuseOption(name string) error {
	return fault.Newf(CodeBadArgument, "argument %q must not begin with a dash", name).
		WithHint("%s takes it in a place where the program would read it as an option", w.form.label())
}

// takesValue reports whether a literal word of the pack is a flag that the next
// word belongs to. A flag with its value in it, and a switch that confirms or
// only tries, take none: an empty slot behind such a switch must not take the
// switch away, and a value there is as free as in any positional slot.
func takesValue(word string) bool {
	return len(word) > 1 && word[0] == '-' && !strings.Contains(word, "=") && !slices.Contains(switches, word)
}

// switches are flags that take no value wherever they are used.
var switches = []string{"--confirm", "--apply", "--yes", "-y", "--force", "--dry-run", "--quiet", "--verbose", "--no-input", "--non-interactive"}

// isSwitch reports whether a flag, by its name, most likely takes no value. What
// stands behind it is refused like any word of its own when it begins with a
// dash; without a value the flag still goes, as behind any other.
func isSwitch(word string) bool {
	return strings.HasPrefix(word, "--no-") || slices.Contains(likelySwitches, word)
}

var likelySwitches = []string{
	"--all", "--assume-yes", "--batch", "--cached", "--delete", "--force-all", "--hard", "--interactive", "--long", "--name-only",
	"--oneline", "--permanent", "--porcelain", "--purge", "--recurse", "--recursive", "--silent", "--soft", "--staged", "--stat", "--stdin",
}

// looksLikeOption reports whether a program might read the word as an option:
// it begins with a hyphen, or with a form of it that some platforms fold into
// one, once white space and invisible characters are taken away.
func looksLikeOption(word string) bool {
	word = strings.TrimLeftFunc(word, func(r rune) bool {
		return r != softHyphen && (unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r))
	})
	return strings.HasPrefix(word, "-") || strings.HasPrefix(word, string(softHyphen)) ||
		strings.HasPrefix(word, "\uFE63") || strings.HasPrefix(word, "\uFF0D")
}

const softHyphen = '\u00AD'
