package card

import (
	"fmt"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/command"
	"bridle/internal/kernel/fault"
)

// Suggest returns the preview that an author should declare for a command with
// these arguments: the inferred one, as templates.
func Suggest(m *hcp.Manifest, key string, argNames []string) hcp.Preview {
	args := hcp.Args{}
	for _, name := range argNames {
		args[name] = "{{" + name + "}}"
	}
	b := newBuilder(m, key, args)
	b.inferred(nil)
	p := hcp.Preview{Kind: b.view.Kind}
	for field, value := range b.view.Fields.All() {
		p.Fields.Set(field, command.Text(value))
	}
	for _, name := range b.order {
		if !b.used[name] && (p.Kind == Record || p.Kind == Fields) {
			p.Fields.Set(name, "{{"+name+"}}")
		}
	}
	p.Title = strings.NewReplacer("“", "", "”", "").Replace(b.title())
	return p
}

// Lint reports what is wrong with a command's declared preview, given the names
// of its arguments; nothing for a command without one.
func Lint(m *hcp.Manifest, key string, argNames []string) []string {
	declared, _ := command.Lookup(m, key)
	p := declared.Preview
	if p == nil {
		return nil
	}
	var problems []string
	if !slices.Contains(Kinds(), p.Kind) {
		text := fmt.Sprintf("preview has the unknown kind %q", p.Kind)
		if near := fault.Closest(p.Kind, Kinds()); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		problems = append(problems, text)
	}
	unknown := func(place, template string) {
		for _, name := range command.Placeholders([]string{template}) {
			if !slices.Contains(argNames, name) {
				problems = append(problems, fmt.Sprintf("preview %s names {{%s}}, which is no argument of %q", place, name, key))
			}
		}
	}
	unknown("title", p.Title)
	for field, template := range p.Fields.All() {
		unknown("field "+field, template)
		if known := KindFields(p.Kind); p.Kind != Record && len(known) > 0 && !slices.Contains(known, field) {
			problems = append(problems, fmt.Sprintf("preview field %q is none of a %s, which has %s", field, p.Kind, strings.Join(known, ", ")))
		}
	}
	return problems
}
