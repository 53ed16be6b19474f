package redact

import "strings"

// colourStart begins the sequences by which programs colour what they print.
const colourStart = "\x1b["

// throughColours looks at a text as a terminal shows it: a colour between a name
// and its value, or within either, hides neither.
func throughColours(text string) []Finding { return shown(text, sequence) }

// shown looks at a text without the parts of which hidden, given the rest of the
// text, says how long they are.
func shown(text string, hidden func(rest string) int) []Finding {
	seen := make([]byte, 0, len(text))
	where := make([]int, 0, len(text))
	for i := 0; i < len(text); {
		if n := hidden(text[i:]); n > 0 {
			i += n
			continue
		}
		seen, where = append(seen, text[i]), append(where, i)
		i++
	}
	s := &scan{text: string(seen)}
	s.run(theTable())
	for n, f := range s.found {
		s.found[n].Start, s.found[n].End = where[f.Start], where[f.End-1]+1
	}
	return s.found
}

// sequence is the length of the control sequence that a text begins with, or 0.
func sequence(text string) int {
	if !strings.HasPrefix(text, colourStart) {
		return 0
	}
	for i := len(colourStart); i < len(text) && i < 32; i++ {
		switch c := text[i]; {
		case c >= '@' && c <= '~':
			return i + 1
		case c < ' ' || c > '?':
			return 0
		}
	}
	return 0
}
