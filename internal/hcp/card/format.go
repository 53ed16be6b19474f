package card

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"bridle/hcp"
	"bridle/internal/hcp/command"
)

// Part is what a line of a card is, for those who colour it.
type Part int

// The parts of a card.
const (
	PartTitle Part = iota
	PartSignal
	PartRow
	PartBlank
	PartCommand
)

// Line is one line of a card, free of characters that a terminal obeys or
// hides. Label is the part of Text that names a row, with its padding.
type Line struct {
	Part  Part
	Label string
	Text  string
}

// String is the line as plain text.
func (l Line) String() string { return l.Label + l.Text }

// Format draws a card as lines: the title, the signals, a row for each field
// and each argument that no field shows, and the command line. A value of
// several lines stands behind a bar, so that none of them can pass for a row.
func Format(v *hcp.ApprovalView, cli string) []Line {
	lines := []Line{{Part: PartTitle, Text: Show(v.Title)}}
	for _, s := range v.Signals {
		lines = append(lines, Line{Part: PartSignal, Text: "· " + Show(s)})
	}
	width := 0
	for _, fields := range []hcp.ViewFields{v.Fields, v.Rest} {
		for name := range fields.All() {
			width = max(width, utf8.RuneCountInString(Show(name)))
		}
	}
	for _, fields := range []hcp.ViewFields{v.Fields, v.Rest} {
		for name, value := range fields.All() {
			lines = append(lines, rows(Show(name), value, width)...)
		}
	}
	if cli != "" {
		lines = append(lines, Line{Part: PartBlank}, Line{Part: PartCommand, Text: "  $ " + Show(cli)})
	}
	return lines
}

// Text is Format as plain lines.
func Text(v *hcp.ApprovalView, cli string) []string {
	lines := Format(v, cli)
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.String()
	}
	return out
}

// rows draws one value.
func rows(name string, value any, width int) []Line {
	label := "  " + name + strings.Repeat(" ", width-utf8.RuneCountInString(name)+2)
	blank := strings.Repeat(" ", utf8.RuneCountInString(label))
	texts, bar := linesOf(value)
	out := make([]Line, len(texts))
	for i, text := range texts {
		if bar {
			text = "│ " + text
		}
		out[i] = Line{Part: PartRow, Label: blank, Text: text}
	}
	out[0].Label = label
	return out
}

// linesOf are the lines of a value, each visible, and whether they need a bar.
// A list whose items have commas or lines of their own takes a line for each.
func linesOf(value any) (lines []string, bar bool) {
	list, ok := value.([]any)
	if !ok {
		return textLines(command.Text(value))
	}
	texts := make([]string, len(list))
	single := true
	for i, item := range list {
		texts[i] = command.Text(item)
		single = single && !strings.ContainsAny(texts[i], ",\n\r")
	}
	if single {
		return []string{Show(strings.Join(texts, ", "))}, false
	}
	for i, text := range texts {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, Show(text)))
	}
	return lines, true
}

func textLines(text string) (lines []string, bar bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if !strings.Contains(text, "\n") {
		return []string{Show(text)}, false
	}
	for line := range strings.SplitSeq(showLines(text), "\n") {
		lines = append(lines, strings.ReplaceAll(line, "\t", "    "))
	}
	return lines, true
}

// ShellLine writes words as one line that a shell reads back as exactly these
// words and that shows a person every character of them. A word with anything
// in it that does not show as what it is stands in $'…' with its bytes in
// octal, as POSIX.1-2024, bash, zsh and ksh read it. So does one with spaces
// in a row: where a terminal breaks the line, they could line up its rest like
// a row of the card.
func ShellLine(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if Show(w) == w && !strings.Contains(w, "  ") {
			b.WriteString(quoteAt(w, i == 0))
			continue
		}
		b.WriteString("$'")
		for j := range len(w) {
			switch c := w[j]; {
			case c == '\n':
				b.WriteString(`\n`)
			case c == '\t':
				b.WriteString(`\t`)
			case c == '\\' || c == '\'':
				b.WriteByte('\\')
				b.WriteByte(c)
			case c == ' ' && j > 0 && w[j-1] == ' ':
				b.WriteString(`\040`)
			case c == 0:
				b.WriteString("\uFFFD") // no word can carry it
			case c < ' ' || c > '~':
				fmt.Fprintf(&b, `\%03o`, c)
			default:
				b.WriteByte(c)
			}
		}
		b.WriteByte('\'')
	}
	return b.String()
}

// quoteAt quotes a word as it must be at the beginning of a line or further on.
func quoteAt(word string, first bool) string {
	if first {
		return command.Line([]string{word})
	}
	return strings.TrimPrefix(command.Line([]string{"x", word}), "x ")
}
