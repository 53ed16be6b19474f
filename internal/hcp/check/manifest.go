package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/card"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

// surface is a place in the manifest.
func surface(pointer string) Where { return Where{File: pack.SurfaceFile, Pointer: pointer} }

// escape writes a name as a part of a JSON pointer.
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

func verb(key string, more ...string) Where {
	pointer := "/verbs/" + escape(key)
	for _, name := range more {
		pointer += "/" + escape(name)
	}
	return surface(pointer)
}

// manifest applies the rules M001 to M026.
func (f *finder) manifest(p *pack.Pack) {
	m := &p.Manifest
	f.numberOfCommands(m)
	f.binding(p)
	f.wrapped(m)
	f.leftovers(m)
	for _, key := range m.Verbs.Keys() {
		c, _ := m.Verbs.Get(key)
		f.commandName(key)
		f.description(key, c)
		f.commandLine(m, key, c)
		f.arguments(m, key)
		f.cards(p, key, c)
	}
}

func (f *finder) numberOfCommands(m *hcp.Manifest) {
	n := m.Verbs.Len()
	if m.EffectiveKind() == hcp.KindSenseOnly {
		return
	}
	const fewest, most = 5, 12
	switch {
	case n > most:
		f.add("M001", Error, surface("/verbs"), fmt.Sprintf("%d commands; agents choose badly among more than %d", n, most),
			"Keep the 5 to 12 that matter to an agent, and move the others into a second pack.")
	case n < fewest:
		f.add("M001", Warn, surface("/verbs"), fault.Count(int64(n), "command", "commands")+"; 5 to 12 are the rule",
			"Name the other commands that an agent needs, or keep this small on purpose.")
	}
}

func (f *finder) binding(p *pack.Pack) {
	m := &p.Manifest
	b := m.Binding
	if b == nil && m.HCP != nil {
		b = m.HCP.Binding
	}
	switch {
	case b == nil || b.Mode == "":
		f.add("M013", Error, surface("/binding"), "no Binding mode is declared",
			`Add "binding": { "mode": "public", "hub": "public" }, or the mode that its login needs.`)
	case b.Mode == hcp.BindingPublic && b.Hub != hcp.HubPublic:
		f.add("M014", Warn, surface("/binding/hub"), "a public Binding has another hub than public",
			`Set "hub": "public" in binding.`)
	}
}

func (f *finder) wrapped(m *hcp.Manifest) {
	if m.PassThrough != nil {
		f.add("M012", Error, surface("/pass_through"), "pass_through forwards what nobody reviewed",
			"Name the commands under verbs with their cli, and remove pass_through.")
	}
	w := m.Wrap
	if w == nil || w.Bin == "" {
		return
	}
	bin := strings.ReplaceAll(w.Bin, `\`, "/")
	switch {
	case strings.HasPrefix(bin, "/") || strings.HasPrefix(bin, "~") || len(bin) > 1 && bin[1] == ':':
		f.add("M016", Warn, surface("/wrap/bin"), fmt.Sprintf("wrap.bin %q is a path of one machine", w.Bin),
			"Put the program into the pack and name it ./bin/…, or name a program of the PATH without its folder.")
	case pack.IsPath(bin) && strings.HasPrefix(path.Clean(bin), ".."):
		f.add("M019", Error, surface("/wrap/bin"), fmt.Sprintf("wrap.bin %q leads out of the pack, and an installation copies the pack only", w.Bin),
			"Put the program into the pack and name it ./bin/….")
	case !pack.IsPath(bin) && (w.Workspace == nil || w.Workspace.Mode != hcp.WorkspaceProject):
		f.add("M023", Warn, surface("/wrap/workspace/mode"), fmt.Sprintf("%q is a program of the PATH and does not run in the user's project", w.Bin),
			`Add "workspace": { "mode": "project" } to wrap, unless it has nothing to do with the folder that the user works in.`)
	}
}

// catchAll are names behind which anything can hide.
var catchAll = []string{"run", "exec", "execute", "shell", "sh", "bash", "call", "invoke", "command", "cmd", "raw", "any", "cli", "do", "eval", "script"}

func (f *finder) commandName(key string) {
	if !ids.IsCommandKey(key) {
		f.add("M002", Error, verb(key), fmt.Sprintf("the command name %q is not lower case with families in dots", key),
			"Rename it in surface.json, policy.json and HARNESS.md, such as issue.create.")
	}
	if slices.Contains(catchAll, key) {
		f.add("M003", Error, verb(key), fmt.Sprintf("%q is a command for anything, which no Policy can judge", key),
			"Replace it by the commands that it is used for, one name for each.")
	}
}

// leftovers are words of descriptions that a scaffold wrote.
var leftovers = []string{"scaffold template", "template command", "replace this", "describe this command", "(template)"}

// leftovers looks for commands that a scaffold wrote and nobody replaced.
func (f *finder) leftovers(m *hcp.Manifest) {
	var left []string
	for _, key := range m.Verbs.Keys() {
		c, _ := m.Verbs.Get(key)
		lower := strings.ToLower(c.Description)
		if slices.ContainsFunc(leftovers, func(s string) bool { return strings.Contains(lower, s) }) {
			left = append(left, key)
		}
	}
	if len(left) > 0 {
		f.add("M018", Error, surface("/verbs"), fmt.Sprintf("%d command(s) still carry the scaffold template: %s", len(left), strings.Join(left, ", ")),
			fmt.Sprintf("Replace the template commands with 5 to 12 real ones from %q, in surface.json, policy.json and HARNESS.md.", m.CLIBin+" --help"))
	}
}

func (f *finder) description(key string, c hcp.Command) {
	text := strings.TrimSpace(c.Description)
	lower := strings.ToLower(text)
	where := verb(key, "description")
	switch words := strings.Fields(lower); {
	case text == "":
		f.add("M004", Error, verb(key), fmt.Sprintf("%q has no description", key),
			"Say in one sentence what it takes and what it returns.")
		return
	case len(words) < 4 && !strings.Contains(lower, "todo"):
		f.add("M005", Warn, where, fmt.Sprintf("the description of %q does not say what goes in and what comes out", key),
			`Name input and result, such as "Route options between two places with duration and fare."`)
	}
	if strings.Contains(text, "TODO") {
		f.add("M021", Warn, where, fmt.Sprintf("the description of %q holds a TODO", key), "Write what is to be said there.")
	}
	if sentences(text) > 1 {
		f.add("M006", Info, where, fmt.Sprintf("the description of %q has several sentences", key),
			"Keep the first, and move the others into HARNESS.md.")
	}
}

// sentences counts what ends like a sentence and is followed by another.
func sentences(text string) int {
	n := 1
	for i := 0; i+2 < len(text); i++ {
		if strings.IndexByte(".!?", text[i]) >= 0 && text[i+1] == ' ' && text[i+2] >= 'A' && text[i+2] <= 'Z' {
			n++
		}
	}
	return n
}

// forwarders are names of arguments that would carry a whole command line.
var forwarders = []string{"argv", "args", "arguments", "rest", "raw", "command_line", "cmdline", "flags", "options", "extra", "extra_args"}

func (f *finder) commandLine(m *hcp.Manifest, key string, c hcp.Command) {
	where := verb(key, "cli")
	if m.EffectiveKind() == hcp.KindWrap && len(c.CLI) == 0 {
		f.add("M007", Warn, verb(key), fmt.Sprintf("%q has no cli, so its command line is made of the key", key),
			`Add "cli" with the words of the command, such as ["`+m.CLIBin+`", "`+strings.ReplaceAll(key, ".", `", "`)+`"].`)
	}
	if len(c.CLI) > 0 && m.CLIBin != "" && c.CLI[0] != m.CLIBin {
		f.add("M008", Warn, verb(key, "cli", "0"), fmt.Sprintf("%q begins with %q and cliBin is %q", key, c.CLI[0], m.CLIBin),
			fmt.Sprintf("Write %q as the first word, or change cliBin.", m.CLIBin))
	}
	for _, word := range c.CLI {
		name, whole := strings.CutPrefix(word, "{{")
		if name = strings.TrimSuffix(name, "}}"); whole && slices.Contains(forwarders, strings.TrimSpace(name)) {
			f.add("M010", Error, where, fmt.Sprintf("%q forwards arbitrary arguments through {{%s}}", key, name),
				"Name each argument, and give each its place in cli.")
		}
	}
}

// vague are names of arguments that say nothing.
var vague = []string{"arg", "val", "value", "data", "input", "param", "params", "parameter", "thing", "obj", "object", "item", "foo", "bar", "tmp", "str", "string", "number"}

func (f *finder) arguments(m *hcp.Manifest, key string) {
	args, err := command.Declared(m, key)
	if err != nil {
		return // lint says it
	}
	var bare, thin []string
	for _, a := range args {
		name := strings.ToLower(strings.TrimRight(a.Name, "0123456789"))
		if len(name) < 2 || slices.Contains(vague, name) {
			f.add("M011", Warn, verb(key, "args", "properties", a.Name), fmt.Sprintf("the argument %q of %q says nothing of what it is", a.Name, key),
				"Name what it holds, such as issue_number, in args and in cli.")
		}
		example, _ := a.Example.(string)
		if strings.Contains(a.Description, "TODO") || strings.HasPrefix(example, "TODO") {
			f.add("M021", Warn, verb(key, "args", "properties", a.Name), fmt.Sprintf("the argument %q of %q holds a TODO", a.Name, key),
				"Write the description, and a real value as the example.")
			continue
		}
		if a.Description == "" || a.Example == nil && len(a.Enum) == 0 && a.Type != "boolean" {
			bare = append(bare, a.Name)
		} else if repeats(a.Name, a.Description) {
			thin = append(thin, a.Name)
		}
	}
	if len(bare) > 0 {
		f.add("M020", Info, verb(key, "args"), fmt.Sprintf("%s of %q lack a description or an example", quoteAll(bare), key),
			`Give each property a "description" and "examples".`)
	}
	if len(thin) > 0 {
		f.add("M022", Info, verb(key, "args"), fmt.Sprintf("the descriptions of %s of %q only repeat the name", quoteAll(thin), key),
			"Say where the value comes from, such as \"stop id as find returns it\".")
	}
}

// repeats reports whether a description has no word beside those of the name.
func repeats(name, description string) bool {
	known := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	known = append(known, "the", "a", "an", "of", "to", "for", "name", "id", "value")
	for _, word := range strings.Fields(strings.ToLower(description)) {
		if !slices.Contains(known, strings.Trim(word, ".,;:")) {
			return false
		}
	}
	return true
}

// cards looks at what a person sees of a call: its preview and its titles.
func (f *finder) cards(p *pack.Pack, key string, c hcp.Command) {
	m := &p.Manifest
	names := card.ArgumentNames(m, key)
	for _, problem := range card.Lint(m, key, names) {
		f.add("M024", Warn, verb(key, "preview"), fmt.Sprintf("%q: %s", key, problem), "Use a known kind, and only arguments of the command.")
	}
	entry, _ := p.Entry(key)
	if entry.Confirm != hcp.ConfirmNone && c.Preview == nil {
		suggested, err := canon.Marshal(card.Suggest(m, key, names))
		if err == nil {
			f.add("M025", Info, verb(key), fmt.Sprintf("%q asks, and declares no preview for the card that a person sees", key),
				`Add "preview": `+string(suggested))
		}
	}
	for _, problem := range command.LintTitle(m, key, names) {
		f.add("M026", Warn, verb(key, "title"), fmt.Sprintf("%q: %s", key, problem),
			"Use only arguments of the command, {{result.…}} in done alone, and end each form with a template that has no placeholder.")
	}
}
