package redact

import "strings"

// provider is one published token format. The text before the first < is its
// anchor, unless the format begins with characters that vary: then anchor is
// the fixed text within, and patterns says what is before and after it.
type provider struct {
	name    string
	kind    string
	pattern string // several, separated by blanks
	check   check  // what else must hold
}

// check is a published property of a token beyond its alphabet.
type check func(token string) verdict

type verdict int

const (
	unproven verdict = iota // judged by its looks
	proven                  // the checksum is right: no doubt, whatever it looks like
	refuted                 // cannot be such a token
)

// find looks for one format at its anchor: from there on, or around it if the
// format begins with characters that vary.
func (p *provider) find(s *scan, all *sets, pattern string, at, end int) {
	start := at
	if pattern[0] == '<' {
		before, rest := all.next(pattern)
		for start > 0 && at-start < before.max && before.set[s.text[start-1]] {
			start--
		}
		if at-start < before.min {
			return
		}
		pattern, end = rest, start
	}
	if !begins(s.text, start) {
		return
	}
	if stop := all.match(pattern, s.text, at); stop > 0 {
		p.judge(s, start, end, stop)
	}
}

// judge takes a token of which the part before body is the same for all.
func (p *provider) judge(s *scan, start, body, end int) {
	token := s.text[start:end]
	result := unproven
	if p.check != nil {
		result = p.check(token)
	}
	if result == refuted || result == unproven && (isPlaceholder(token) || isDull(token) || countClass(token, isLower) > 4 && isWordy(s.text[body:end])) {
		return
	}
	s.add(start, end, p.kind, p.name)
}

// anchorOf is the first text of a pattern.
func anchorOf(pattern string) string {
	if pattern[0] == '<' {
		_, pattern, _ = strings.Cut(pattern, ">")
	}
	text, _, _ := strings.Cut(pattern, "<")
	return text
}

// isDull reports whether a token repeats so much that nobody issued it: a mask,
// a counter, a filler in a manual.
func isDull(token string) bool {
	tail := token
	if len(tail) > 16 {
		tail = tail[len(tail)-16:]
	}
	return distinct(tail) < 5
}

// distinct counts the different bytes of s.
func distinct(s string) int {
	var seen [4]uint64
	n := 0
	for i := range len(s) {
		if c := s[i]; seen[c>>6]>>(c&63)&1 == 0 {
			seen[c>>6] |= 1 << (c & 63)
			n++
		}
	}
	return n
}
