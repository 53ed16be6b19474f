package scaffold

import (
	"slices"
	"strings"

	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/scaffold/helptext"
	"bridle/internal/kernel/canon"
)

// mostOptions is how many options of a list become arguments of a command.
const mostOptions = 6

// form makes the command line and the arguments of one command.
type form struct {
	noun   string
	tokens []string
	args   []argument
	// left are the flags that became nothing.
	left []string
	page helptext.Page
}

type argument struct {
	name, description string
	number, required  bool
	choices           []string
}

// quietFlags are about the program, not about a call; saying that they were left
// out would tell nobody anything.
var quietFlags = []string{
	"--help", "-h", "--version", "-v", "-V", "--verbose", "--quiet", "-q", "--color", "--colour", "--no-color", "--no-colour", "--debug", "--json", "--format",
	"--output", "-o", "--silent", "--pager", "--no-pager", "--log-level", "--no-input", "--dry-run", "--usage",
}

// guardedParts in the name of an option say that it carries a credential, or that
// it names what is run or loaded.
var guardedParts = []string{
	"token", "password", "passwd", "pass", "secret", "apikey", "credential", "credentials", "exec", "command", "shell", "editor", "hook", "hooks",
	"config", "plugin", "eval", "pack", "execute", "cmd", "program", "script", "interpreter", "proxy", "ssh",
}

// guarded says that an option is no argument for an agent.
func guarded(flag string) bool {
	parts := nameParts(strings.TrimLeft(flag, "-"))
	return slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(guardedParts, part) }) ||
		slices.Contains(parts, "key") && len(parts) > 1
}

// formOf writes the command line of a subcommand in the order of its usage: its
// words, its options, its arguments.
func formOf(program string, f *found) *form {
	b := &form{noun: program, tokens: append([]string{program}, f.words...), page: f.page}
	if len(f.words) > 0 {
		b.noun = f.words[len(f.words)-1]
	}
	usage := richest(f.usage, f.page.Usages, f.words)
	for _, part := range usage.Parts {
		if part.Flag != "" {
			b.flag(part)
		}
	}
	if f.asked && len(f.page.Usages) > 0 && !sharedPage(f) || len(f.words) == 0 {
		b.listed(usage)
	}
	for i, part := range usage.Parts {
		if part.Flag == "" {
			b.positional(part, usage.Parts[i+1:], usage.Optional())
		}
	}
	return b
}

// sharedPage says that the page speaks of other subcommands too, whose options
// are not this one's.
func sharedPage(f *found) bool {
	return slices.ContainsFunc(f.page.Usages, func(u helptext.Usage) bool { return !slices.Equal(u.Words, f.words) && len(u.Words) >= len(f.words) })
}

// richest is the usage that names most arguments: the other ways to call the
// subcommand leave some of them out.
func richest(own, page []helptext.Usage, words []string) usageForm {
	all := slices.Clone(own)
	for _, u := range page {
		if slices.Equal(u.Words, words) && !slices.ContainsFunc(own, func(o helptext.Usage) bool { return len(o.Parts) == len(u.Parts) }) {
			all = append(all, u)
		}
	}
	var best usageForm
	fewest := -1
	for _, u := range all {
		n := 0
		for _, p := range u.Parts {
			if p.Kind == helptext.Value && !p.Optional {
				n++
			}
		}
		if fewest < 0 || n < fewest {
			fewest = n
		}
		if best.Parts == nil || len(u.Parts) > len(best.Parts) {
			best.Usage = u
		}
	}
	best.required = fewest
	return best
}

// usageForm is a usage, and how many values every way of calling it requires.
type usageForm struct {
	helptext.Usage
	required int
}

// Optional reports whether there is a way to call it without arguments.
func (u usageForm) Optional() bool { return u.required == 0 }

// flag takes a flag that the usage itself shows.
func (b *form) flag(part helptext.Part) {
	listed := b.option(part.Flag)
	switch {
	case slices.Contains(confirming, part.Flag) && part.Kind == helptext.Switch:
		b.put(part.Flag)
	case part.Kind == helptext.Switch && !part.Optional && !guarded(part.Flag) && !slices.Contains(quietFlags, part.Flag):
		b.put(part.Flag)
	case part.Optional && len(b.args) >= mostOptions+2:
		b.leave(part.Flag)
	case part.Kind == helptext.Switch, guarded(part.Flag), slices.Contains(quietFlags, part.Flag), listed != nil && listed.Value == "" && part.Optional:
		b.leave(part.Flag)
	default:
		a := argument{name: part.Flag, choices: part.Choices, required: !part.Optional}
		if len(strings.TrimLeft(part.Flag, "-")) < 2 {
			a.name = part.Name
		}
		if listed != nil {
			a.description, a.number = listed.About, listed.Number
			if len(a.choices) == 0 {
				a.choices = listed.Choices
			}
		}
		b.value(part.Flag, part.Attached, a)
	}
}

func (b *form) option(flag string) *helptext.Option {
	for i := range b.page.Options {
		if o := &b.page.Options[i]; o.Flag == flag || o.Short == flag {
			return o
		}
	}
	return nil
}

// listed takes the first options of the list that have a value, and those that
// are required.
func (b *form) listed(usage usageForm) {
	taken := 0
	for _, o := range b.page.Options {
		if slices.ContainsFunc(usage.Parts, func(p helptext.Part) bool { return p.Flag != "" && (p.Flag == o.Flag || p.Flag == o.Short) }) {
			continue
		}
		switch {
		case o.Value == "" || guarded(o.Flag) || slices.Contains(quietFlags, o.Flag) || taken >= mostOptions && !o.Required:
			b.leave(o.Flag)
		default:
			taken++
			a := argument{name: o.Flag, description: o.About, number: o.Number, required: o.Required, choices: o.Choices}
			if len(strings.TrimLeft(o.Flag, "-")) < 2 {
				a.name = o.Value
			}
			b.value(o.Flag, o.Attached, a)
		}
	}
}

// value puts a flag with an argument; a repeated flag is taken once.
func (b *form) value(flag string, attached bool, a argument) {
	if slices.ContainsFunc(b.tokens, func(t string) bool { return t == flag || strings.HasPrefix(t, flag+"=") }) {
		return
	}
	name := b.add(a)
	if attached {
		b.put(flag + "={{" + name + "}}")
		return
	}
	b.put(flag)
	b.put("{{" + name + "}}")
}

// positional takes an argument or a fixed word among them.
func (b *form) positional(part helptext.Part, behind []helptext.Part, free bool) {
	if part.Kind == helptext.Value {
		b.put("{{" + b.add(b.argument(part, free)) + "}}")
		return
	}
	isValue := func(p helptext.Part) bool { return p.Kind == helptext.Value }
	if part.Kind != helptext.Literal || part.Name == "--" && !slices.ContainsFunc(behind, isValue) {
		return
	}
	// A fixed word stands between two arguments; elsewhere it is prose.
	last := b.tokens[len(b.tokens)-1]
	between := strings.HasSuffix(last, "}}") && len(behind) > 0 && isValue(behind[0]) && behind[0].Flag == ""
	if part.Name == "--" || !part.Optional && plain(part.Name) && between {
		b.put(part.Name)
	}
}

// argument is a positional one, with what the page says about it.
func (b *form) argument(part helptext.Part, free bool) argument {
	a := argument{name: part.Name, required: !part.Optional && !free, choices: part.Choices}
	for _, e := range b.page.Arguments {
		if fold(e.Name) == fold(part.Name) {
			a.description = e.About
		}
	}
	if part.Repeated && a.description != "" {
		a.description += " (one of them)"
	}
	return a
}

func (b *form) put(token string) { b.tokens = append(b.tokens, token) }

func (b *form) leave(flag string) {
	if !slices.Contains(quietFlags, flag) && !slices.Contains(b.left, flag) {
		b.left = append(b.left, flag)
	}
}

// plain reports whether a word can be a fixed one.
func plain(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) && !slices.Contains([]string{"as", "or", "and", "is", "see"}, word)
}

func fold(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}

// vagueNames say nothing of what they hold, and reserved ones never reach a
// program; the noun of the command goes before both.
var vagueNames = []string{
	"arg", "val", "value", "data", "input", "param", "params", "parameter", "thing", "obj", "object", "item", "items", "str", "string", "number", "choice", "argv", "args",
	"arguments", "rest", "raw", "flags", "options", "extra", "confirm", "apply", "mode", "verb", "foo", "bar", "text", "json", "tmp",
}

// add gives an argument a name that is free and says something.
func (b *form) add(a argument) string {
	name := identifier(a.name)
	if len(name) < 2 || slices.Contains(vagueNames, strings.TrimRight(name, "0123456789")) {
		name = strings.Trim(identifier(b.noun)+"_"+name, "_")
	}
	if len(name) < 2 || name[0] < 'a' || name[0] > 'z' {
		name = "value_" + name
	}
	base := name
	for n := 2; slices.ContainsFunc(b.args, func(o argument) bool { return o.name == name }); n++ {
		name = base + "_" + string(rune('a'+n-1))
	}
	a.name = name
	if slices.ContainsFunc(a.choices, func(choice string) bool { return lint.Unfit(choice) != "" || len(choice) > 80 }) {
		a.choices = nil
	}
	if a.description == "" || lint.Unfit(a.description) != "" {
		a.description = "TODO: what it is, and where its value comes from"
	}
	b.args = append(b.args, a)
	return name
}

// identifier makes a name of letters, digits and underscores.
func identifier(text string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			out.WriteRune(r)
		case out.Len() > 0 && !strings.HasSuffix(out.String(), "_"):
			out.WriteByte('_')
		}
		if out.Len() >= 40 {
			break
		}
	}
	return strings.Trim(out.String(), "_")
}

// schema writes the arguments as the JSON Schema that a command declares.
func (b *form) schema() ([]byte, error) {
	if len(b.args) == 0 {
		return nil, nil
	}
	type property struct {
		Type        string   `json:"type"`
		Description string   `json:"description"`
		Enum        []string `json:"enum,omitempty"`
		Examples    []string `json:"examples,omitempty"`
	}
	properties := make([]string, 0, len(b.args))
	required := []string{}
	for _, a := range b.args {
		p := property{Type: "string", Description: a.description, Enum: a.choices}
		if a.number {
			p.Type, p.Enum = "integer", nil
		} else if a.required && len(a.choices) == 0 {
			p.Examples = []string{"TODO " + a.name}
		}
		value, err := canon.Marshal(p)
		if err != nil {
			return nil, err
		}
		properties = append(properties, `"`+a.name+`":`+string(value))
		if a.required {
			required = append(required, a.name)
		}
	}
	text := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(required) > 0 {
		list, err := canon.Marshal(required)
		if err != nil {
			return nil, err
		}
		text += `,"required":` + string(list)
	}
	return []byte(text + "}"), nil
}

// jsonFlag finds how a page's command is asked for JSON; known is false where the
// page does not say.
func jsonFlag(page helptext.Page) (flag []string, known bool) {
	for _, o := range page.Options {
		if o.Flag == "--json" && (o.Value == "" || o.Attached) {
			return defaultJSON(), true
		}
	}
	for _, name := range []string{"--output", "--format", "-o"} {
		for _, o := range page.Options {
			if (o.Flag == name || o.Short == name) && o.Value != "" && o.JSON {
				if o.Attached {
					return []string{o.Flag + "=json"}, true
				}
				return []string{o.Flag, "json"}, true
			}
		}
	}
	for _, name := range []string{"--json", "-json"} {
		if o := (&form{page: page}).option(name); o != nil && o.Value == "" {
			return []string{name}, true
		}
		for _, u := range page.Usages {
			if slices.ContainsFunc(u.Parts, func(p helptext.Part) bool { return p.Flag == name && p.Kind == helptext.Switch }) {
				return []string{name}, true
			}
		}
	}
	return []string{}, false
}

// defaultJSON is what a runtime adds where a pack says nothing.
func defaultJSON() []string { return []string{"--json"} }
