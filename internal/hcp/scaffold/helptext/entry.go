package helptext

import (
	"slices"
	"strings"
)

// commands reads a list of subcommands. The lines at its own indentation are
// entries, deeper ones go on with the text of the entry above.
func (r *reader) commands(s section) {
	base := -1
	for i, l := range s.lines {
		if len(r.page.Commands) >= mostItems {
			return
		}
		if l.text[0] == '{' { // argparse: the names at once, and then each one
			base = -1
			continue
		}
		if base >= 0 && l.indent > base || l.text[0] == '-' || l.text[0] == '[' {
			continue
		}
		if names := commaList(l.text); len(names) > 0 && s.kind == commandSection {
			for _, name := range names {
				r.command(Entry{Name: name})
			}
			continue
		}
		e, ok := r.entry(l.text)
		if !ok || s.kind != commandSection && l.indent == 0 {
			continue
		}
		base = l.indent
		if e.About == "" && i+1 < len(s.lines) && s.lines[i+1].indent > l.indent {
			e.About = Sentence(s.lines[i+1].text)
		}
		if e.About == "" && s.kind != commandSection {
			continue
		}
		r.command(e)
	}
}

// command keeps the first entry of a name.
func (r *reader) command(e Entry) {
	for _, known := range r.page.Commands {
		if known.Name == e.Name {
			return
		}
	}
	r.page.Commands = append(r.page.Commands, e)
}

// entry reads a line of a list: a name with what follows it, and after a gap the
// text. An entry that is a whole call becomes a usage line.
func (r *reader) entry(text string) (Entry, bool) {
	head, about, found := cutGap(text)
	if !found {
		for _, dash := range []string{" - ", " — ", " – ", ": "} {
			if h, a, ok := strings.Cut(text, dash); ok {
				head, about = h, a
				break
			}
		}
	}
	if r.calls(head) && strings.Contains(head, " ") {
		if isExample(head) {
			return Entry{}, false
		}
		u := r.usageLine(head)
		u.About = Sentence(about)
		if len(u.Words) > 0 && len(r.page.Usages) < mostItems {
			r.page.Usages = append(r.page.Usages, u)
		}
		return Entry{}, false
	}
	name, rest, _ := strings.Cut(head, " ")
	if strings.HasSuffix(name, ",") { // "list, ls"
		alias, more, _ := strings.Cut(rest, " ")
		if isName(alias) {
			rest = more
		}
	}
	name, _, _ = strings.Cut(strings.TrimRight(name, ":,*"), "|")
	name, _, _ = strings.Cut(name, ",")
	e := Entry{Name: name, About: Sentence(about)}
	if rest = strings.TrimSpace(rest); rest != "" {
		// Words without a gap are prose, but for arguments.
		if !strings.ContainsRune("[<({-", rune(rest[0])) && !allUpper(strings.Fields(rest)[0]) {
			return Entry{}, false
		}
		e.Parts = parts(rest, false)
	}
	return e, isName(name)
}

// commaList reads a line that is nothing but names with commas between them.
func commaList(text string) []string {
	if !strings.Contains(text, ", ") || strings.Contains(text, "  ") {
		return nil
	}
	var names []string
	for name := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		if name = strings.TrimSpace(name); !isName(name) {
			return nil
		}
		names = append(names, name)
	}
	if len(names) < 3 && !strings.HasSuffix(text, ",") {
		return nil // a name and its alias
	}
	return names
}

// arguments reads what the positional arguments mean. Where argparse lists the
// subcommands among them, they are read as such.
func (r *reader) arguments(s section) {
	for i, l := range s.lines {
		if l.text[0] == '{' && r.dispatches(l.text) {
			r.commands(section{kind: commandSection, lines: s.lines[i:]})
			return
		}
		head, about, _ := cutGap(l.text)
		if about == "" && i+1 < len(s.lines) && s.lines[i+1].indent > l.indent {
			about = s.lines[i+1].text
		}
		name := strings.Trim(head, "<>[].")
		if about != "" && name != "" && !strings.Contains(name, " ") && len(r.page.Arguments) < mostItems {
			r.page.Arguments = append(r.page.Arguments, Entry{Name: name, About: Sentence(about)})
		}
	}
}

// dispatches reports whether the usage goes on behind these choices with words
// of the chosen subcommand.
func (r *reader) dispatches(text string) bool {
	head, _, _ := cutGap(text)
	want := choices(head)
	for _, u := range r.page.Usages {
		for i := range u.Parts {
			p := &u.Parts[i]
			if p.Kind == Value && p.Flag == "" && p.Repeated && len(want) > 0 && strings.Join(p.Choices, ",") == strings.Join(want, ",") {
				p.Kind = Subcommand
				return true
			}
		}
	}
	return false
}

// options reads every line of a section that begins with a dash. Outside of a list of
// options it has to be an entry, with its meaning behind a gap or below: prose that
// happens to break before a dash, and examples, are none.
func (r *reader) options(s section) {
	for i, l := range s.lines {
		if l.text[0] != '-' || len(r.page.Options) >= mostItems || s.kind == usageSection && l.indent == 0 {
			continue
		}
		head, about, _ := cutGap(l.text)
		if about == "" && i+1 < len(s.lines) && s.lines[i+1].indent > l.indent {
			about = s.lines[i+1].text
		}
		if s.kind != optionSection && about == "" || isExample(head) {
			continue
		}
		// The marks may stand on the lines below.
		all := about
		for j := i + 1; j < len(s.lines) && s.lines[j].indent > l.indent+2 && s.lines[j].text[0] != '-'; j++ {
			all += " " + s.lines[j].text
		}
		if o, ok := option(head); ok {
			// In frames the value stands in a column of its own.
			if value, rest, found := cutGap(about); found && o.Value == "" && allUpper(value) {
				o, _ = option(head + " " + value)
				about = rest
			}
			o.About = Sentence(about)
			o.marks(all)
			r.page.Options = append(r.page.Options, o)
		}
	}
}

// option reads the spellings of an option and the name of its value.
func option(head string) (Option, bool) {
	var o Option
	values := 0
	for _, p := range parts(strings.NewReplacer(" | ", " ", "|-", " -").Replace(head), false) {
		if p.Kind != Switch {
			values++
		}
		if p.Flag == "" {
			continue
		}
		switch {
		case strings.HasPrefix(p.Flag, "--") && o.Flag == "":
			o.Flag = p.Flag
		case !strings.HasPrefix(p.Flag, "--") && o.Short == "":
			o.Short = p.Flag
		}
		if p.Kind == Value && o.Value == "" {
			o.Value, o.Choices = p.Name, p.Choices
		}
		if p.Kind == Value {
			values--
		}
		o.Attached = o.Attached || p.Attached
	}
	if o.Flag == "" {
		o.Flag = o.Short
	}
	if values > 0 {
		o.Value = "" // it takes several, which no argument can stand for
	}
	switch strings.ToLower(o.Value) {
	case "int", "integer", "uint", "int64", "int32", "uint64", "uint32":
		o.Number = true
	}
	return o, len(o.Flag) > 1 && !strings.ContainsAny(o.Flag, "[]<>{}()\"'$;&")
}

// marks reads what libraries write behind the text of an option.
func (o *Option) marks(text string) {
	about := strings.ToLower(text)
	o.JSON = strings.Contains(about, "json") || slices.Contains(o.Choices, "json")
	o.Required = strings.Contains(about, "[required]") || strings.Contains(about, "(required)")
	switch {
	case strings.Contains(about, "[boolean]"), strings.Contains(about, "[count]"):
		o.Value = ""
	case o.Value == "" && (strings.Contains(about, "[string]") || strings.Contains(about, "[number]") || strings.Contains(about, "[array]")):
		o.Value = strings.TrimLeft(o.Flag, "-")
	}
	for _, mark := range []string{"[possible values: ", "[choices: ", "(choices: "} {
		if at := strings.Index(about, mark); at >= 0 && len(about) == len(text) && o.Value != "" {
			rest := text[at+len(mark):]
			list, _, _ := strings.Cut(strings.NewReplacer(")", "]", `"`, "").Replace(rest), "]")
			o.Choices = nil
			for word := range strings.SplitSeq(list, ",") {
				if word = strings.TrimSpace(word); word != "" && !strings.Contains(word, " ") {
					o.Choices = append(o.Choices, word)
				}
			}
		}
	}
}
