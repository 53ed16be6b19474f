package command

import (
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// FromArgv reads the arguments of a call out of a command line that somebody
// wrote: argv is what follows the program and the command's own words. It is
// for hosts that run commands as text and want the card to show what the words
// mean, so whatever has no meaning is refused or kept, never dropped.
//
// A flag that the command's cli[] puts in front of a placeholder fills that
// argument; any other fills the declared argument of its name, where dashes,
// underscores and capitals count alike. Bare words fill the bare placeholders in
// order, then the arguments whose x-position is their index. The words that
// cli[] has itself and those that select JSON say nothing; --confirm and --apply
// are the envelope's. A switch that nothing declares stays one, as an argument
// of its name, which Check then refuses.
func FromArgv(m *hcp.Manifest, key string, argv []string) (hcp.Args, error) {
	f, err := formOf(m, key)
	if err != nil {
		return nil, err
	}
	for _, word := range argv {
		if err := plainText(word); err != nil {
			return nil, fault.Newf(CodeBadArgument, "a word of the command line %v", err)
		}
	}
	if f.passThrough {
		return forwardedArgs(argv), nil
	}
	r := reader{form: f, grammar: grammarOf(f, f.template(m)), args: hcp.Args{}}
	for len(argv) > 0 {
		used, err := r.take(argv)
		if err != nil {
			return nil, err
		}
		argv = argv[used:]
	}
	return r.args, nil
}

func forwardedArgs(argv []string) hcp.Args {
	list := make([]any, len(argv))
	for i, word := range argv {
		list[i] = word
	}
	if len(list) == 0 {
		return hcp.Args{}
	}
	return hcp.Args{argvName: list}
}

// reader consumes the words of a command line.
type reader struct {
	form    *form
	grammar grammar
	args    hcp.Args
	data    bool // "--" came
	bare    int  // bare words that filled a place
}

// take reads the next word, with its value where it has one, and returns how
// many words that were.
func (r *reader) take(argv []string) (int, error) {
	word := argv[0]
	if r.data || len(word) < 2 || word[0] != '-' || r.wantsNumber(word) {
		return 1, r.takeBare(word)
	}
	if word == "--" {
		r.data = true
		return 1, nil
	}
	flag, value, attached := strings.Cut(word, "=")
	if s, ok := r.grammar.flags[flag]; ok {
		return r.takeFlag(s, flag, value, attached, argv[1:])
	}
	for _, s := range r.grammar.attached {
		if values, ok := matchSlot(s, word); ok {
			return 1, r.setAll(values)
		}
	}
	if used := r.grammar.skip(argv); used > 0 {
		return used, r.noteControl(flag)
	}
	if a := r.form.named(flag); a != nil {
		return r.takeFlag(slot{{name: a.Name}}, flag, value, attached, argv[1:])
	}
	return 1, r.takeSwitch(flag, value, attached)
}

// wantsNumber reports whether a word with a dash is a number in a place for one.
func (r *reader) wantsNumber(word string) bool {
	if !isNumber(word) {
		return false
	}
	s, ok := r.grammar.place(r.bare)
	if !ok || len(s) != 1 {
		return false
	}
	a, _ := r.form.argument(s[0].name)
	return a != nil && a.isNumeric()
}

func (r *reader) takeBare(word string) error {
	if len(r.grammar.literals[r.bare]) > 0 && r.grammar.literals[r.bare][0] == word {
		r.grammar.literals[r.bare] = r.grammar.literals[r.bare][1:]
		return nil
	}
	s, ok := r.grammar.place(r.bare)
	if !ok {
		return fault.Newf(CodeBadArgument, "bare word %d of the command line has no argument to fill", r.bare+1).
			WithHint("%s takes %s", r.form.label(), r.form.summaries())
	}
	r.bare++
	values, ok := matchSlot(s, word)
	if !ok {
		return r.mismatch(s)
	}
	return r.setAll(values)
}

// takeFlag fills the slot that a flag announces from its "=" or the next word.
func (r *reader) takeFlag(s slot, flag, value string, attached bool, rest []string) (int, error) {
	used := 1
	if !attached {
		if a, ok := r.form.argument(s[0].name); ok && len(s) == 1 && slices.Equal(a.schema.declaredTypes(), []string{"boolean"}) {
			return 1, r.set(a.Name, true)
		}
		if len(rest) == 0 || looksLikeFlag(rest[0]) {
			return 0, fault.Newf(CodeBadArgument, "flag %q has no value", flag).
				WithHint("write %s=… where the value begins with a dash", flag)
		}
		value, used = rest[0], 2
	}
	values, ok := matchSlot(s, value)
	if !ok {
		return 0, r.mismatch(s)
	}
	return used, r.setAll(values)
}

// looksLikeFlag tells a flag from a text that only begins with a dash.
func looksLikeFlag(word string) bool {
	return len(word) > 1 && word[0] == '-' && !isNumber(word) && !strings.ContainsAny(word, " \t\n")
}

// noteControl records a confirmation that is one of the command's own words.
func (r *reader) noteControl(flag string) error {
	switch flag {
	case "--" + hcp.ArgConfirm, "--" + hcp.ArgApply:
		return r.set(flag[2:], true)
	}
	return nil
}

func (r *reader) takeSwitch(flag, value string, attached bool) error {
	name := strings.TrimLeft(flag, "-")
	if !isName(name) || name == hcp.ArgMode {
		return fault.Newf(CodeBadArgument, "flag %q has a name that no argument can have", flag)
	}
	if attached {
		return r.set(name, controlValue(name, value))
	}
	return r.set(name, true)
}

func (r *reader) mismatch(s slot) error {
	return fault.Newf(CodeBadArgument, "a word of the command line does not fit the place of %s",
		argumentsNamed(placeholdersOf([]slot{s})))
}

func (r *reader) setAll(values []filled) error {
	for _, v := range values {
		if err := r.set(v.name, v.value); err != nil {
			return err
		}
	}
	return nil
}

// set records a value. A list takes all its occurrences, each a JSON list or
// items between commas, as a list renders; anything else is given once.
func (r *reader) set(name string, value any) error {
	text, isText := value.(string)
	if a, ok := r.form.argument(name); ok && isText && slices.Equal(a.schema.declaredTypes(), []string{"array"}) {
		list, _ := r.args[name].([]any)
		r.args[name] = append(list, itemsOf(text, a.schema.items)...)
		return nil
	}
	if _, twice := r.args[name]; twice {
		return fault.Newf(CodeBadArgument, "argument %q is given twice", name).WithHint("give %q once", name)
	}
	r.args[name] = value
	return nil
}

func itemsOf(text string, items *schema) []any {
	if value, err := parse([]byte(text)); err == nil {
		if list, ok := value.([]any); ok {
			return list
		}
	}
	var list []any
	for item := range strings.SplitSeq(text, ",") {
		if items == nil {
			list = append(list, item)
			continue
		}
		list = append(list, items.coerce(item))
	}
	return list
}

// isNumeric reports whether a declaration takes numbers and nothing else.
func (a *Argument) isNumeric() bool {
	types := a.schema.declaredTypes()
	return len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return t != "number" && t != "integer" })
}
