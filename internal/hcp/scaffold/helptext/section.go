package helptext

import (
	"slices"
	"strings"
)

type sectionKind int

const (
	otherSection sectionKind = iota
	usageSection
	commandSection
	argumentSection
	optionSection
	// silentSection holds examples and the like, whose lines look like usage.
	silentSection
)

// line is one line without its indentation; gap says that an empty one stands
// before it.
type line struct {
	indent int
	text   string
	gap    bool
}

type section struct {
	title string
	kind  sectionKind
	lines []line
}

// split takes a text apart at its headings.
func split(text, program string) []section {
	sections := []section{{}}
	gap := false
	for full := range strings.SplitSeq(text, "\n") {
		l := line{text: strings.TrimSpace(full), gap: gap}
		if l.text == "" {
			gap = true
			continue
		}
		gap = false
		l.indent = len(full) - len(strings.TrimLeft(full, " "))
		current := &sections[len(sections)-1]
		title, rest, heading := headingOf(l, program)
		if !heading {
			current.lines = append(current.lines, l)
			continue
		}
		kind := kindOf(title)
		if kind == usageSection && current.kind == usageSection && len(current.lines) > 0 && rest != "" {
			current.lines = append(current.lines, line{indent: l.indent, text: rest, gap: l.gap})
			continue
		}
		sections = append(sections, section{title: title, kind: kind})
		if rest != "" {
			last := &sections[len(sections)-1]
			last.lines = append(last.lines, line{indent: l.indent + len(title) + 2, text: rest})
		}
	}
	return sections
}

// headingOf reports whether a line is the heading of what follows. A usage may
// stand behind its heading.
func headingOf(l line, program string) (title, rest string, ok bool) {
	const longest = 80
	lower := strings.ToLower(l.text)
	for _, word := range []string{"usage:", "synopsis:"} {
		if strings.HasPrefix(lower, word) {
			return word[:len(word)-1], strings.TrimSpace(l.text[len(word):]), true
		}
	}
	plain := strings.TrimRight(strings.TrimLeft(l.text, "#-= "), "-= ")
	switch {
	case plain == "" || l.text[0] == '-' && l.indent > 0 || len(plain) > longest || strings.Contains(plain, "  "):
		return "", "", false
	case strings.HasSuffix(plain, ":") && l.indent <= 4 && plain[0] != '-' && plain[0] != '<' && !strings.HasPrefix(plain, program+" "):
		// "name:" with its meaning on the next line is an entry where capitals
		// lead the headings; a heading is one here, which loses that entry only.
		return strings.ToLower(strings.TrimSuffix(plain, ":")), "", true
	case l.indent == 0 && allCapitals(plain):
		return strings.ToLower(plain), "", true
	case strings.HasPrefix(l.text, "## ") || l.indent <= 4 && sectionWord(strings.ToLower(plain)):
		return strings.ToLower(plain), "", true
	case l.indent == 0 && l.gap && plain[0] != '[' && plain[0] != '<' && !strings.HasPrefix(plain, program+" ") && strings.Contains(plain, " ") && !strings.HasSuffix(plain, ","):
		return plain, "", true
	}
	return "", "", false
}

// sectionWord knows the headings that some frames leave without a colon.
func sectionWord(lower string) bool {
	return slices.Contains([]string{"commands", "options", "arguments", "flags", "subcommands", "available commands"}, lower)
}

func allCapitals(text string) bool {
	letters := 0
	for _, r := range text {
		switch {
		case r >= 'A' && r <= 'Z':
			letters++
		case r != ' ' && r != '-' && r != '/' && r != '&':
			return false
		}
	}
	return letters >= 4
}

// kindOf tells by its heading what a section holds. The order matters: options
// of commands are options, and topics of the help are no commands.
func kindOf(title string) sectionKind {
	title, _, _ = strings.Cut(strings.ToLower(title), " (") // where to read more is no topic
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(title, w) })
	}
	switch {
	case title == "usage" || title == "synopsis":
		return usageSection
	case strings.HasPrefix(title, "example") || has(" example", "environment", "variable", "exit code", "exit status", "topic", "learn more", "see also", "author", "report", "copyright", "bugs", "aliases", "notes"):
		return silentSection
	case has("option", "flag", "switches"):
		return optionSection
	case has("positional", "argument") && !has("command"):
		return argumentSection
	case has("command", "subcommand"):
		return commandSection
	}
	return otherSection
}
