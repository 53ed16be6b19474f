package lint

import (
	"strings"
)

// line is one line of a Skill with what matters about its place. It is as much
// of Markdown as the rules need: fences, comments, headings, code spans, tables.
type line struct {
	number   int
	text     string // as written
	seen     string // with what is in HTML comments blanked out
	fenced   bool   // within a code block, or one of its fences
	level    int    // of the heading that the line is, or 0
	title    string // of that heading
	section  string // the heading above it, in lower case
	teaching bool   // above "## Anti-patterns"
}

// comment is an HTML comment outside code: an agent reads it, a person who looks
// at the rendered Skill does not.
type comment struct {
	number int
	text   string
}

// take keeps the beginning of the text, which tells whether a tool wants it.
func (c *comment) take(s string) {
	const longest = 256
	if len(c.text) < longest {
		c.text += s[:min(len(s), longest)]
	}
}

type markdown struct {
	lines    []line
	comments []comment
}

func parseMarkdown(text string) markdown {
	var md markdown
	var fence string  // the marker that opened the code block we are in
	var open *comment // the comment we are in
	section, teaching := "", true
	for i, raw := range strings.Split(text, "\n") {
		raw = strings.TrimSuffix(raw, "\r")
		l := line{number: i + 1, text: raw, seen: raw}
		marker := fenceMarker(raw)
		switch {
		case open != nil:
			md.uncover(&l, &open)
		case fence != "":
			l.fenced = true
			if strings.HasPrefix(marker, fence) && strings.Trim(raw, " \t"+fence[:1]) == "" {
				fence = ""
			}
		case marker != "":
			fence, l.fenced = marker, true
		default:
			md.uncover(&l, &open)
			l.level, l.title = heading(l.seen)
		}
		if l.level > 0 {
			section = strings.ToLower(l.title)
			if l.level == 2 && isAntiPatterns(section) {
				teaching = false
			}
		}
		l.section, l.teaching = section, teaching
		md.lines = append(md.lines, l)
	}
	if open != nil {
		md.comments = append(md.comments, *open)
	}
	return md
}

// fenceMarker returns the run of backticks or tildes that opens or closes a
// code block on this line, or nothing.
func fenceMarker(s string) string {
	body := strings.TrimLeft(s, " ")
	if len(s)-len(body) > 3 {
		return ""
	}
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(body, c)
		marker := body[:len(body)-len(rest)]
		if len(marker) >= 3 && !(c == "`" && strings.Contains(rest, c)) {
			return marker
		}
	}
	return ""
}

// uncover blanks the comments of a line out of what is seen, and keeps their
// text. A comment in a code span is text like any other.
func (md *markdown) uncover(l *line, open **comment) {
	var seen strings.Builder
	s := l.text
	for i := 0; i < len(s); {
		switch {
		case *open != nil:
			inside, _, closed := strings.Cut(s[i:], "-->")
			(*open).take(inside)
			if !closed {
				(*open).take("\n")
				l.seen = seen.String()
				return
			}
			md.comments = append(md.comments, **open)
			*open, i = nil, i+len(inside)+len("-->")
		case s[i] == '`':
			run := max(codeSpan(s[i:]), len(s[i:])-len(strings.TrimLeft(s[i:], "`")))
			seen.WriteString(s[i : i+run])
			i += run
		case strings.HasPrefix(s[i:], "<!--"):
			*open = &comment{number: l.number}
			seen.WriteByte(' ')
			i += len("<!--")
		default:
			seen.WriteByte(s[i])
			i++
		}
	}
	l.seen = seen.String()
}

// codeSpan returns the length of the code span that s begins with, or 0.
func codeSpan(s string) int {
	rest := strings.TrimLeft(s, "`")
	run := len(s) - len(rest)
	for at := run; at < len(s); {
		next := strings.IndexByte(s[at:], '`')
		if next < 0 {
			return 0
		}
		at += next
		after := strings.TrimLeft(s[at:], "`")
		length := len(s) - at - len(after)
		at += length
		if length == run {
			return at
		}
	}
	return 0
}

// codeSpans returns what is between backticks in a line.
func codeSpans(s string) []string {
	var spans []string
	for {
		at := strings.IndexByte(s, '`')
		if at < 0 {
			return spans
		}
		s = s[at:]
		length := codeSpan(s)
		if length == 0 {
			s = strings.TrimLeft(s, "`")
			continue
		}
		spans = append(spans, strings.TrimSpace(strings.Trim(s[:length], "`")))
		s = s[length:]
	}
}

func heading(s string) (level int, title string) {
	body := strings.TrimLeft(s, " ")
	if len(s)-len(body) > 3 {
		return 0, ""
	}
	rest := strings.TrimLeft(body, "#")
	level = len(body) - len(rest)
	if level < 1 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
}

func isAntiPatterns(title string) bool {
	return strings.NewReplacer("-", "", " ", "").Replace(title) == "antipatterns"
}

// row is a line of a table with its first cell and the table's first heading.
type row struct {
	line
	cell   string
	header string // in lower case; empty for a table without headings
}

// rows returns the rows of all tables, also of lines that look like rows of one
// and that a strict reader of Markdown would not take for a table.
func (md markdown) rows() []row {
	var rows []row
	header, inTable := "", false
	for i, l := range md.lines {
		isRow := !l.fenced && strings.Contains(l.seen, "|")
		switch {
		case l.fenced || l.level > 0 || strings.TrimSpace(l.seen) == "":
			header, inTable = "", false
		case isDelimiter(l.seen):
			inTable = true
		case isRow && i+1 < len(md.lines) && isDelimiter(md.lines[i+1].seen):
			header = strings.ToLower(strings.Trim(firstCell(l.seen), "*_` "))
		case inTable || strings.HasPrefix(strings.TrimSpace(l.seen), "|"):
			rows = append(rows, row{l, firstCell(l.seen), header})
		}
	}
	return rows
}

func isDelimiter(s string) bool {
	return strings.Contains(s, "|") && strings.Contains(s, "-") && strings.Trim(s, " \t|:-") == ""
}

func firstCell(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "|")
	for i := range len(s) {
		if s[i] == '|' && (i == 0 || s[i-1] != '\\') {
			return strings.TrimSpace(s[:i])
		}
	}
	return strings.TrimSpace(s)
}

// sentence is a piece of running text, or a line of code.
type sentence struct {
	number   int
	text     string
	code     bool
	teaching bool
}

// sentences joins the lines of a paragraph or list item and splits them where
// sentences end.
func (md markdown) sentences() []sentence {
	var out []sentence
	var start line
	var paragraph strings.Builder
	flush := func() {
		for _, s := range splitSentences(paragraph.String()) {
			out = append(out, sentence{start.number, s, false, start.teaching})
		}
		paragraph.Reset()
	}
	for _, l := range md.lines {
		text := strings.TrimSpace(l.seen)
		switch {
		case l.fenced:
			flush()
			out = append(out, sentence{l.number, l.text, true, l.teaching})
		case text == "":
			flush()
		case l.level > 0 || strings.HasPrefix(text, "|"):
			flush()
			out = append(out, sentence{l.number, text, false, l.teaching})
		default:
			if strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") {
				flush()
			}
			if paragraph.Len() == 0 {
				start = l
			}
			paragraph.WriteString(text + " ")
		}
	}
	flush()
	return out
}

func splitSentences(s string) []string {
	return strings.FieldsFunc(strings.NewReplacer(". ", "\x00", "! ", "\x00", "? ", "\x00", "; ", "\x00").Replace(s), func(r rune) bool { return r == 0 })
}
