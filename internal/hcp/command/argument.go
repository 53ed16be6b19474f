package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// Argument is one argument of a command as its pack declares it. Type is empty
// when any type goes. Limits words the bounds that the other fields do not
// carry.
type Argument struct {
	Name        string `json:"name"`
	Required    bool   `json:"required"`
	Description string `json:"description,omitempty"`
	Example     any    `json:"example,omitzero"`
	Type        string `json:"type,omitempty"`
	Enum        []any  `json:"enum,omitempty"`
	Default     any    `json:"default,omitzero"`
	Pattern     string `json:"pattern,omitempty"`
	Limits      string `json:"limits,omitempty"`
	Position    *int   `json:"x_position,omitempty"`

	schema *schema
}

// form is a command with its arguments read.
type form struct {
	packID, key string
	command     hcp.Command
	arguments   []Argument
	schema      *schema // of the whole args object
	passThrough bool
}

// label names the command in messages.
func (f *form) label() string { return f.packID + "." + f.key }

func (f *form) argument(name string) (*Argument, bool) {
	at := slices.IndexFunc(f.arguments, func(a Argument) bool { return a.Name == name })
	if at < 0 {
		return nil, false
	}
	return &f.arguments[at], true
}

// Declared returns the arguments of a command in the order of its args schema.
// Without declared properties the placeholders of cli[], or of the pack's
// argv_template, are the arguments, all optional. The reserved names are never
// among them. A schema that cannot be honoured is a fault with code bad_schema.
func Declared(m *hcp.Manifest, key string) ([]Argument, error) {
	f, err := formOf(m, key)
	if err != nil {
		return nil, err
	}
	return f.arguments, nil
}

// Verify reports everything about a command's declaration that would stop one
// call or another: what Declared reports, and patterns that cannot be used.
func Verify(m *hcp.Manifest, key string) error {
	f, err := formOf(m, key)
	if err != nil {
		return err
	}
	if err := f.schema.compile(""); err != nil {
		return f.badSchema(err)
	}
	return nil
}

// Undeclared returns the placeholders of a command's own cli[] that no argument
// can ever fill, since the command declares its arguments and has none of that
// name.
func Undeclared(m *hcp.Manifest, key string) []string {
	f, err := formOf(m, key)
	if err != nil || f.schema.open() {
		return nil
	}
	return slices.DeleteFunc(Placeholders(f.command.CLI), func(name string) bool {
		_, known := f.argument(name)
		return known || IsReserved(name)
	})
}

// Unplaced returns the required arguments of a wrap pack's command that its
// command line has no place for. Every call of it is refused: without such an
// argument because it is missing, and with it because it would vanish.
func Unplaced(m *hcp.Manifest, key string) []string {
	f, err := formOf(m, key)
	if err != nil || f.passThrough || m.EffectiveKind() != hcp.KindWrap {
		return nil
	}
	placed := placeholdersOf(f.template(m))
	var names []string
	for _, a := range f.arguments {
		if a.Required && !slices.Contains(placed, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

// Shadowing returns the reserved names that a command declares as arguments.
// They stay reserved: the declaration has no effect.
func Shadowing(c hcp.Command) []string {
	var names []string
	for _, name := range declaredNames(c) {
		if IsReserved(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func declaredNames(c hcp.Command) []string {
	names := Placeholders(c.CLI)
	document, err := decodeOrdered(c.Args)
	if err != nil {
		return names
	}
	if s, err := parseSchema(document, ""); err == nil {
		names = append(names, s.names...)
	}
	return names
}

// IsReserved reports whether a name steers the call and can be no argument.
func IsReserved(name string) bool {
	return name == hcp.ArgConfirm || name == hcp.ArgApply || name == hcp.ArgMode
}

func formOf(m *hcp.Manifest, key string) (*form, error) {
	c, ok := Lookup(m, key)
	if !ok {
		return nil, unknownCommand(m, key)
	}
	f := &form{packID: m.ID, key: key, command: c, schema: &schema{}, passThrough: IsPassThrough(m, key)}
	if c.Args != nil {
		s, err := parseRoot(c.Args)
		if err != nil {
			return nil, f.badSchema(err)
		}
		f.schema = s
	}
	names := slices.Clone(f.schema.names)
	if f.schema.open() {
		names = placeholdersOf(f.template(m))
	}
	for _, name := range append(names, f.schema.required...) {
		if _, twice := f.argument(name); twice || IsReserved(name) {
			continue
		}
		if !isName(name) {
			return nil, f.badSchema(badSchema("/properties/"+escapePointer(name), "has a name that no command line can carry"))
		}
		f.arguments = append(f.arguments, f.newArgument(name))
	}
	return f, nil
}

// parseRoot reads the args schema of a command. The set of arguments is closed
// whatever additionalProperties says, and a reserved name can be no required
// one.
func parseRoot(raw []byte) (*schema, error) {
	document, err := decodeOrdered(raw)
	if err != nil {
		return nil, badSchema("", "is no JSON: %v", err)
	}
	if _, ok := document.(object); !ok {
		return nil, badSchema("", "is not an object with a JSON Schema")
	}
	s, err := parseSchema(document, "")
	if err != nil {
		return nil, err
	}
	if s.types != nil && !slices.Contains(s.types, "object") {
		return nil, badSchema("/type", "is not \"object\"")
	}
	s.required = slices.DeleteFunc(s.required, IsReserved)
	return s, nil
}

func (f *form) newArgument(name string) Argument {
	a := Argument{Name: name, Required: slices.Contains(f.schema.required, name), schema: &schema{}}
	s, ok := f.schema.properties[name]
	if !ok {
		return a
	}
	a.schema = s
	a.Description, a.Default, a.Pattern, a.Position = s.description, s.standard, s.pattern, s.position
	a.Type, a.Enum, a.Limits = strings.Join(s.types, " or "), s.enum, s.limits()
	if len(s.examples) > 0 {
		a.Example = s.examples[0]
	}
	return a
}

func (f *form) badSchema(err error) error {
	pointer, reason := "", err.Error()
	if at, ok := errors.AsType[*schemaError](err); ok {
		pointer = at.pointer
	}
	if pointer == "" {
		pointer = "/"
	}
	return fault.Newf(CodeBadSchema, "the args of %s cannot be used: %q %s", f.label(), pointer, reason).
		WithHint("the pack's author has to change args of %q in surface.json", f.key)
}

func unknownCommand(m *hcp.Manifest, key string) error {
	keys := m.Verbs.Keys()
	e := fault.Newf(CodeUnknownCommand, "pack %q has no command %q", m.ID, key)
	hint := "it has no commands"
	if len(keys) > 0 {
		hint = "its commands: " + strings.Join(keys, ", ")
	}
	if near := fault.Closest(key, keys); near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return e.WithHint("%s", hint).WithNext("hcpx commands " + Line([]string{m.ID}) + " --json")
}

// limits words the bounds for a person who reads the list of arguments.
func (s *schema) limits() string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	for _, size := range []struct {
		low, high *int
		noun      string
	}{{s.minLength, s.maxLength, "character"}, {s.minItems, s.maxItems, "item"}, {s.minProperties, s.maxProperties, "member"}} {
		if size.low != nil {
			add("at least %s", count(*size.low, size.noun))
		}
		if size.high != nil {
			add("at most %s", count(*size.high, size.noun))
		}
	}
	for _, rule := range []struct {
		bound *bound
		word  string
	}{{s.minimum, "at least"}, {s.maximum, "at most"}, {s.above, "above"}, {s.below, "below"}, {s.multipleOf, "a multiple of"}} {
		if rule.bound != nil {
			add("%s %s", rule.word, rule.bound.text)
		}
	}
	if s.items != nil && s.items.types != nil {
		add("each item %s", alternatives(s.items.types))
	}
	if s.unique {
		add("no item twice")
	}
	return strings.Join(words, ", ")
}

// summary is an argument in a hint.
func (a *Argument) summary() string {
	word := "optional"
	if a.Required {
		word = "required"
	}
	if a.Type != "" && a.Type != "string" {
		word += ", " + a.Type
	}
	text := fmt.Sprintf("%s (%s)", a.Name, word)
	if a.Description != "" {
		text += ": " + a.Description
	}
	if a.Example != nil {
		text += ", for example " + pair(a.Name, a.Example)
	}
	return text
}

// open reports whether an args schema leaves the arguments to the placeholders:
// it has no properties, and does not rule out all others either.
func (s *schema) open() bool {
	return !s.declares && (s.others == nil || !s.others.never)
}

// declaredTypes are the types that text may be read as: those of type, or of
// the allowed values when there is no type.
func (s *schema) declaredTypes() []string {
	if s.types != nil || s.enum == nil {
		return s.types
	}
	var types []string
	for _, v := range s.enum {
		if kind := kindOf(v); !slices.Contains(types, kind) {
			types = append(types, kind)
		}
	}
	return types
}

// coerce gives a value the type that its declaration asks for, where the text
// is exactly one literal of it; anything else is left for the check to refuse.
// A number given for a text keeps its literal, so that 007 and 2.80 stay so.
func (s *schema) coerce(v any) any {
	types := s.declaredTypes()
	if types == nil {
		return v
	}
	switch v := v.(type) {
	case json.Number:
		if slices.Contains(types, "string") && !slices.Contains(types, "number") && !slices.Contains(types, "integer") {
			return string(v)
		}
	case string:
		if slices.Contains(types, "string") {
			return v
		}
		for _, name := range types {
			if literal, ok := literalOf(v, name); ok {
				return literal
			}
		}
	}
	return v
}

func literalOf(text, typeName string) (any, bool) {
	switch typeName {
	case "boolean":
		return text == "true", text == "true" || text == "false"
	case "number":
		return json.Number(text), isReadable(text)
	case "integer":
		return json.Number(text), isReadable(text) && hasType(json.Number(text), typeName)
	case "array", "object":
		value, err := parse([]byte(text))
		return value, err == nil && kindOf(value) == typeName
	default:
		return nil, false
	}
}
