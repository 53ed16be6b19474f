// Package helptext reads the help that a program prints about itself: how it is
// called, which subcommands it has, and which options they take (the "Wrap a
// CLI" page, and wrap in the CLI reference).
//
// Help is written for people, and each family of libraries lays it out in its
// own way: cobra, click, argparse, clap, commander, yargs, docopt, pages of a
// manual, and what GNU programs print. Read knows what they have in common:
//
//   - Sections, each below a line that ends with a colon or is all capitals.
//   - Usage lines that begin with the program's name.
//   - Lists whose lines are a name, at least two spaces, and what it means.
//
// Whatever is not understood is left out, never guessed from prose. The text is
// a stranger's: it is bounded before it is looked at, and every text in a Page is
// one line of visible characters. Nothing here runs anything.
package helptext

import (
	"path"
	"slices"
	"strings"
)

// Page is what one help text says.
type Page struct {
	// About is the first sentence about the program or the subcommand.
	About string
	// Usages are the ways to call the program, in the order of the text.
	Usages []Usage
	// Commands are the subcommands of the page's lists.
	Commands []Entry
	// Options are what the page lists that begins with a dash.
	Options []Option
	// Arguments describe positional arguments, by name.
	Arguments []Entry
}

// Usage is one line that calls the program.
type Usage struct {
	// Words are the fixed words behind the program's name: the subcommand.
	Words []string
	Parts []Part
	About string
}

// Kind says what a part of a usage line stands for.
type Kind int

// The kinds of parts.
const (
	// Literal is a fixed word among the arguments.
	Literal Kind = iota
	// Value is an argument: positional, or the value of Flag.
	Value
	// Switch is a flag without a value.
	Switch
	// Options stands for "any of the options".
	Options
	// Subcommand stands for the name of a subcommand.
	Subcommand
	// Rest stands for words that are passed on unread.
	Rest
)

// Part is one part of a usage line.
type Part struct {
	Kind Kind
	// Flag is what a value or a switch is given with, or empty.
	Flag string
	// Attached says that the value stands in the word of its flag, as --to=X.
	Attached bool
	// Name is the name of the value, or the text of a literal.
	Name     string
	Optional bool
	Repeated bool
	Choices  []string
}

// Entry is one line of a list.
type Entry struct {
	Name, About string
	// Parts are the arguments that the line shows behind the name.
	Parts []Part
}

// Option is one option of a list.
type Option struct {
	// Flag is the long spelling where there is one, Short the other.
	Flag, Short string
	// Value is the name of its value; a switch has none.
	Value    string
	Attached bool
	Choices  []string
	Required bool
	About    string
	// Number says that the value is a whole number.
	Number bool
	// JSON says that its text speaks of JSON.
	JSON bool
}

// The bounds of what is looked at and of what comes of it.
const (
	mostBytes   = 256 << 10
	mostLines   = 4000
	longestLine = 1000
	mostItems   = 300
	longestText = 200
)

// MaxBytes is how much of a help text is read.
const MaxBytes = mostBytes

// Read reads a help text of the program with this name.
func Read(text []byte, program string) Page {
	r := reader{program: program}
	sections := split(Clean(text), program)
	r.rename(sections)
	for _, s := range sections {
		if s.kind == usageSection {
			r.usage(s)
		}
	}
	for _, s := range sections {
		if s.kind == commandSection || s.kind == otherSection && s.title != "" && r.takesSubcommand() {
			r.commands(s)
		}
		if s.kind == argumentSection {
			r.arguments(s)
		}
		if s.kind != silentSection {
			r.options(s)
		}
	}
	r.about(sections)
	r.declare()
	return r.page
}

type reader struct {
	program string
	page    Page
}

// rename takes the name that the usage gives the program where it has another
// one for itself, such as the file that a link leads to.
func (r *reader) rename(sections []section) {
	first := ""
	for _, s := range sections {
		if s.kind != usageSection {
			continue
		}
		for _, l := range s.lines {
			if r.calls(l.text) {
				return
			}
			if word, _, _ := strings.Cut(l.text, " "); first == "" && isName(path.Base(word)) {
				first = path.Base(word)
			}
		}
	}
	if first != "" {
		r.program = first
	}
}

// declare takes the words of a usage for arguments that the page lists as such:
// argparse writes both alike.
func (r *reader) declare() {
	for _, u := range r.page.Usages {
		for i := range u.Parts {
			p := &u.Parts[i]
			if p.Kind == Literal && slices.ContainsFunc(r.page.Arguments, func(e Entry) bool { return e.Name == p.Name }) {
				p.Kind = Value
			}
		}
	}
}

// takesSubcommand reports whether a usage line has a place for one.
func (r *reader) takesSubcommand() bool {
	for _, u := range r.page.Usages {
		for _, p := range u.Parts {
			if p.Kind == Subcommand {
				return true
			}
		}
	}
	return false
}

// about takes the first line of prose: before any list, or below the usage.
func (r *reader) about(sections []section) {
	for _, s := range sections {
		if r.page.About != "" || s.kind != otherSection && s.kind != usageSection {
			return
		}
		if s.kind == usageSection {
			continue // read with the usage
		}
		if len(s.lines) == 0 && strings.Contains(s.title, " ") {
			r.page.About = Sentence(s.title)
			continue
		}
		for _, l := range s.lines {
			if s.title == "" && !r.calls(l.text) {
				r.page.About = firstOf(r.page.About, l)
			}
		}
	}
}

// firstOf returns the sentence that is known, else that of the line.
func firstOf(about string, l line) string {
	if about == "" && isProse(l) {
		return Sentence(l.text)
	}
	return about
}

// isProse tells a sentence from the lines of a list and their continuation.
func isProse(l line) bool {
	const farthest = 4
	return l.indent <= farthest && strings.Contains(l.text, " ") && !strings.Contains(l.text, "  ") && !strings.ContainsAny(l.text[:1], "-[</") &&
		!strings.HasSuffix(l.text, ":") && !strings.Contains(l.text, "[options]") && strings.ContainsAny(l.text, "abcdefghijklmnopqrstuvwxyz")
}
