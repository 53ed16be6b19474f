package command

import "bridle/hcp"

// ExecLine is the call as a command line of the tool: the arguments in the
// order of their declaration, others behind them by name.
func ExecLine(tool string, m *hcp.Manifest, key string, args hcp.Args) string {
	words := []string{tool, "exec", m.ID, key, "--json"}
	var pairs []string
	placed := map[string]bool{}
	add := func(name string) {
		if value, given := args[name]; given && !placed[name] {
			placed[name] = true
			pairs = append(pairs, pair(name, value))
		}
	}
	if declared, err := Declared(m, key); err == nil {
		for _, a := range declared {
			add(a.Name)
		}
	}
	for _, name := range sortedNames(args) {
		add(name)
	}
	if len(pairs) > 0 {
		words = append(append(words, "--"), pairs...)
	}
	return Line(words)
}

// Shown is the exact call as one command line for a person: the program's own
// where the command has one that holds every argument, else the tool's.
func Shown(tool string, m *hcp.Manifest, key string, args hcp.Args) string {
	f, err := formOf(m, key)
	if err != nil {
		return ExecLine(tool, m, key, args)
	}
	argv, err := Render(m, key, args)
	template := f.template(m)
	if err != nil || len(f.command.CLI) == 0 && m.EffectiveKind() != hcp.KindWrap || !f.passThrough && f.refuseUnplaced(template, args) != nil {
		return ExecLine(tool, m, key, args)
	}
	return argv.Line()
}

// ExampleLine is a line ready to run: the first example of each argument, and
// for a required one without an example its default, its first allowed value or
// its own name in angle brackets.
func ExampleLine(tool string, m *hcp.Manifest, key string) string {
	args := hcp.Args{}
	declared, _ := Declared(m, key) // a command that cannot run has no arguments to show
	for i := range declared {
		if value, ok := exampleOf(&declared[i]); ok {
			args[declared[i].Name] = value
		}
	}
	return ExecLine(tool, m, key, args)
}

func exampleOf(a *Argument) (any, bool) {
	switch {
	case a.Example != nil:
		return a.Example, true
	case !a.Required:
		return nil, false
	case a.Default != nil:
		return a.Default, true
	case len(a.Enum) > 0:
		return a.Enum[0], true
	default:
		return "<" + a.Name + ">", true
	}
}

// pair is an argument as a k=v word. Lists and objects are JSON there, not the
// text that they render to.
func pair(name string, value any) string {
	value, err := plain(value, 0)
	if err != nil {
		return name + "="
	}
	switch value.(type) {
	case []any, map[string]any:
		return name + "=" + jsonText(value)
	default:
		return name + "=" + textOf(value)
	}
}
