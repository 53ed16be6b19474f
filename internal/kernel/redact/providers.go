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

// token looks for one format at its anchor.
func (p *provider) token(parts []part) func(s *scan, at, end int) {
	return func(s *scan, at, _ int) {
		if !begins(s.text, at) {
			return
		}
		end := match(parts, s.text, at)
		if end < 0 {
			return
		}
		p.judge(s, at, end)
	}
}

// inner looks for a format whose anchor is preceded by characters that vary.
func (p *provider) inner(before *part, parts []part) func(s *scan, at, end int) {
	return func(s *scan, at, _ int) {
		start := at
		for start > 0 && at-start < before.max && before.set[s.text[start-1]] {
			start--
		}
		if at-start < before.min || start > 0 && isAlnum(s.text[start-1]) {
			return
		}
		if end := match(parts, s.text, at); end > 0 {
			p.judge(s, start, end)
		}
	}
}

func (p *provider) judge(s *scan, start, end int) {
	token := s.text[start:end]
	result := unproven
	if p.check != nil {
		result = p.check(token)
	}
	if result == refuted || result == unproven && (isPlaceholder(token) || isDull(token) || countClass(token, isLower) > 4 && isWordy(token)) {
		return
	}
	s.add(start, end, p.kind, p.name)
}

// providerAnchors makes the anchors of one entry of the table.
func providerAnchors(p *provider, all sets) []anchor {
	var out []anchor
	for pattern := range strings.FieldsSeq(p.pattern) {
		parts := all.parts(pattern)
		if parts[0].text != "" {
			out = append(out, anchor{text: parts[0].text, look: p.token(parts)})
			continue
		}
		before := parts[0]
		out = append(out, anchor{text: parts[1].text, look: p.inner(&before, parts[1:])})
	}
	return out
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
