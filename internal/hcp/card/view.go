package card

import (
	"maps"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/command"
)

// The kinds of cards.
const (
	Message = "message"
	Payment = "payment"
	Event   = "event"
	Removal = "removal"
	Publish = "publish"
	Record  = "record"
	Fields  = "fields"
)

// Kinds lists the kinds that hosts draw.
func Kinds() []string {
	return []string{Message, Payment, Event, Removal, Publish, Record, Fields}
}

// KindFields lists the fields of a kind in the order in which they are drawn.
// Cards of the kinds record and fields may have others as well.
func KindFields(kind string) []string {
	switch kind {
	case Message:
		return []string{"from", "to", "cc", "channel", "subject", "body"}
	case Payment:
		return []string{"amount", "currency", "to", "from", "memo"}
	case Event:
		return []string{"action", "title", "when", "until", "where", "attendees"}
	case Removal:
		return []string{"what", "id", "count", "irreversible"}
	case Publish:
		return []string{"target", "what", "version"}
	case Record:
		return []string{"action", "entity", "id"}
	}
	return nil
}

// isList reports whether a field holds several values.
func isList(kind, field string) bool {
	return kind == Message && (field == "to" || field == "cc") || kind == Event && field == "attendees"
}

// builder puts a card together.
type builder struct {
	manifest *hcp.Manifest
	key      string
	args     hcp.Args
	order    []string // the names of the arguments, as argumentOrder has them
	view     hcp.ApprovalView
	used     map[string]bool
}

func newBuilder(m *hcp.Manifest, key string, args hcp.Args) *builder {
	b := &builder{manifest: m, key: key, args: args, order: argumentOrder(m, key, args), used: map[string]bool{}}
	b.view.Sources = map[string][]string{}
	return b
}

// View builds the card of a call from its checked arguments. A declared preview
// wins; without one, or with one of an unknown kind, the kind is inferred by
// the host's rules and then the default ones.
func View(m *hcp.Manifest, key string, args hcp.Args, o hcp.ViewOptions) *hcp.ApprovalView {
	b := newBuilder(m, key, args)
	declared, _ := command.Lookup(m, key)
	if p := declared.Preview; p != nil && slices.Contains(Kinds(), p.Kind) {
		b.declared(p)
	} else {
		b.inferred(o.Rules)
	}
	b.rest()
	if b.view.Title == "" {
		b.view.Title = b.title()
	}
	b.view.Signals = append(b.hidden(), b.signals(o.Signals)...)
	return &b.view
}

func (b *builder) declared(p *hcp.Preview) {
	b.view.Kind = p.Kind
	names := KindFields(p.Kind)
	for _, name := range p.Fields.Keys() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		template, ok := p.Fields.Get(name)
		if !ok {
			continue
		}
		sources := command.Placeholders([]string{template})
		if len(sources) == 1 && template == "{{"+sources[0]+"}}" {
			b.put(name, b.args[sources[0]], sources...)
			continue
		}
		if text, ok := command.Fill(template, b.args); ok {
			b.put(name, text, sources...)
		}
	}
	if title, ok := command.FillTitle(p.Title, b.args); ok && p.Title != "" {
		b.view.Title = title
	}
}

// put sets a field, unless it is empty.
func (b *builder) put(field string, value any, sources ...string) {
	if value == nil || command.Text(value) == "" {
		return
	}
	if _, many := value.([]any); isList(b.view.Kind, field) && !many {
		value = []any{value}
	}
	b.view.Fields.Set(field, value)
	for _, name := range sources {
		b.used[name] = true
	}
	if len(sources) > 0 {
		b.view.Sources[field] = sources
	}
}

// rest takes up every argument that no field shows: the declared ones in their
// order, then the others by name.
func (b *builder) rest() {
	for _, name := range b.order {
		if !b.used[name] {
			b.view.Rest.Set(name, b.args[name])
		}
	}
}

// argumentOrder lists the names of the call's arguments: the declared ones in
// declared order, then any others by name.
func argumentOrder(m *hcp.Manifest, key string, args hcp.Args) []string {
	var names []string
	for _, a := range declaredArguments(m, key) {
		if _, given := args[a.Name]; given {
			names = append(names, a.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// declaredArguments are the arguments of a command, none where its declaration
// cannot be used.
func declaredArguments(m *hcp.Manifest, key string) []command.Argument {
	known, err := command.Declared(m, key)
	if err != nil {
		return nil
	}
	return known
}

// ArgumentNames lists the arguments that a command declares.
func ArgumentNames(m *hcp.Manifest, key string) []string {
	known := declaredArguments(m, key)
	names := make([]string, len(known))
	for i, a := range known {
		names[i] = a.Name
	}
	return names
}

// field is the text of a field for a title.
func (b *builder) field(name string) string {
	value, _ := b.view.Fields.Get(name)
	return command.TitleValue(value)
}

// title words a card without a declared title.
func (b *builder) title() string {
	switch b.view.Kind {
	case Message:
		return words("Send", quoted(b.field("subject"), "a message"), after("to", b.field("to")), after("in", b.field("channel")))
	case Payment:
		return words("Pay", b.field("amount"), b.field("currency"), after("to", b.field("to")))
	case Event:
		action := b.field("action")
		if action == "" {
			action = "change"
		}
		return words(capital(action), quoted(b.field("title"), "an event"))
	case Removal:
		what := b.field("what")
		if what == "" {
			what = b.entity()
		}
		return words("Remove", what, b.field("id"))
	case Publish:
		return words("Publish", b.field("what"), b.field("version"), after("to", b.field("target")))
	case Record:
		return words(capital(b.field("action")), b.field("entity"), b.field("id"))
	}
	return words(capital(strings.Join(commandWords(b.key), " ")), "with", b.packName())
}

func (b *builder) packName() string {
	if b.manifest.Name != "" {
		return command.TitleValue(b.manifest.Name)
	}
	return b.manifest.ID
}

func words(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

func after(word, text string) string {
	if text == "" {
		return ""
	}
	return word + " " + text
}

func quoted(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return "“" + text + "”"
}

// capital begins a text of the pack's grammar, which is ASCII, with a capital.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
