package git

import "strings"

// wildmatch matches a path against a pattern of ignore and attribute files, in
// which "*" and "?" do not match a slash and "**" between slashes matches any
// number of folders. The time is bounded by the product of the lengths times the
// number of stars that had to be tried again.
func wildmatch(pattern, text string, fold bool) bool {
	m := matcher{fold: fold, budget: 1 << 20}
	return m.match(pattern, text) == matched
}

type verdict int

const (
	mismatch   verdict = iota
	matched            // the rest of the pattern matches the rest of the text
	noText             // the text ended too early: no star further left can help
	noFolder           // the same, as far as stars within one name go
	overBudget         // a pattern made to take for ever matches nothing
)

type matcher struct {
	fold   bool
	budget int
}

func (m *matcher) fit(c byte) byte {
	if m.fold && c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func (m *matcher) match(pattern, text string) verdict {
	for at := 0; at < len(pattern); at++ {
		if m.budget--; m.budget < 0 {
			return overBudget
		}
		c := pattern[at]
		if text == "" && c != '*' {
			return noText
		}
		switch c {
		case '*':
			return m.star(pattern, at, text)
		case '?':
			if text[0] == '/' {
				return mismatch
			}
		case '[':
			ok, next := m.class(pattern, at, text[0])
			if next < 0 {
				return noText
			}
			if !ok || text[0] == '/' {
				return mismatch
			}
			at = next
		case '\\':
			// Git compares what is escaped, and what stands in brackets, as it is with
			// the text in lower case.
			if at++; at >= len(pattern) || pattern[at] != m.fit(text[0]) {
				return mismatch
			}
		default:
			if m.fit(c) != m.fit(text[0]) {
				return mismatch
			}
		}
		text = text[1:]
	}
	if text != "" {
		return mismatch
	}
	return matched
}

// star goes on behind one or more stars at pattern[at].
func (m *matcher) star(pattern string, at int, text string) verdict {
	end := at
	for end < len(pattern) && pattern[end] == '*' {
		end++
	}
	rest := pattern[end:]
	folders := end-at >= 2 && (at == 0 || pattern[at-1] == '/') && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
	if folders && strings.HasPrefix(rest, "/") {
		// "**/" also matches no folder at all.
		if v := m.match(rest[1:], text); v == matched || v == overBudget {
			return v
		}
	}
	slash := strings.IndexByte(text, '/')
	switch {
	case folders && rest == "":
		return matched
	case folders:
		return m.anywhere(rest, text)
	case rest == "" && slash < 0:
		return matched
	case rest == "" || rest[0] == '/' && slash < 0:
		return noFolder
	case rest[0] == '/':
		return m.match(rest, text[slash:])
	}
	return m.withinName(rest, text)
}

// anywhere tries the rest of the pattern at every place of the text.
func (m *matcher) anywhere(rest, text string) verdict {
	for ; ; text = text[1:] {
		if v := m.match(rest, text); v == matched || v == overBudget || v == noText {
			return v
		}
		if text == "" {
			return noText
		}
	}
}

// withinName tries the rest of the pattern up to the next slash.
func (m *matcher) withinName(rest, text string) verdict {
	for ; ; text = text[1:] {
		if v := m.match(rest, text); v != mismatch {
			return v
		}
		switch {
		case text == "":
			return noText
		case text[0] == '/':
			return noFolder
		}
	}
}

// class matches c against the bracket expression at pattern[at] and returns
// where it ends, or -1 when it does not.
func (m *matcher) class(pattern string, at int, c byte) (ok bool, end int) {
	at++
	negated := at < len(pattern) && (pattern[at] == '!' || pattern[at] == '^')
	if negated {
		at++
	}
	low := byte(0) // what a range may begin with
	for first := true; at < len(pattern); first = false {
		if pattern[at] == ']' && !first {
			return ok != negated, at
		}
		var hit bool
		if hit, low, at = m.member(pattern, at, low, c); at < 0 {
			return false, -1
		}
		ok = ok || hit
	}
	return false, -1
}

// member matches c against one member of a bracket expression: a byte, a range
// that low begins, or a named class. It returns what a range may begin with now,
// and where the next member stands, or -1 when the expression is broken.
func (m *matcher) member(pattern string, at int, low, c byte) (hit bool, next byte, end int) {
	p := pattern[at]
	switch {
	case p == '\\':
		if at++; at >= len(pattern) {
			return false, 0, -1
		}
		return m.same(pattern[at], c), pattern[at], at + 1
	case p == '-' && low != 0 && at+1 < len(pattern) && pattern[at+1] != ']':
		high := pattern[at+1]
		if at += 2; high == '\\' {
			if at >= len(pattern) {
				return false, 0, -1
			}
			high = pattern[at]
			at++
		}
		return m.within(low, high, c), 0, at
	case p == '[' && at+1 < len(pattern) && pattern[at+1] == ':':
		return m.named(pattern, at, c)
	}
	return m.same(p, c), p, at + 1
}

// named matches c against a class such as "[:alpha:]".
func (m *matcher) named(pattern string, at int, c byte) (hit bool, next byte, end int) {
	stop := strings.IndexByte(pattern[at+2:], ']')
	if stop < 0 {
		return false, 0, -1
	}
	name, closed := strings.CutSuffix(pattern[at+2:at+2+stop], ":")
	if !closed { // no class after all: a bracket among others
		return c == '[', '[', at + 1
	}
	known, in := posixClass(name, c, m.fold)
	if !known {
		return false, 0, -1
	}
	return in, 0, at + 2 + stop + 1
}

func (m *matcher) same(p, c byte) bool { return p == m.fit(c) }

func (m *matcher) within(low, high, c byte) bool {
	if c >= low && c <= high {
		return true
	}
	if m.fold && c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
		return c >= low && c <= high
	}
	if m.fold && c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
		return c >= low && c <= high
	}
	return false
}

func posixClass(name string, c byte, fold bool) (known, in bool) {
	lower, upper := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z'
	digit := c >= '0' && c <= '9'
	graph := c > ' ' && c < 0x7f
	switch name {
	case "alnum":
		return true, lower || upper || digit
	case "alpha":
		return true, lower || upper
	case "blank":
		return true, c == ' ' || c == '\t'
	case "cntrl":
		return true, c < ' ' || c == 0x7f
	case "digit":
		return true, digit
	case "graph":
		return true, graph
	case "lower":
		return true, lower
	case "print":
		return true, graph || c == ' '
	case "punct":
		return true, graph && !lower && !upper && !digit
	case "space":
		return true, c == ' ' || c >= '\t' && c <= '\r'
	case "upper":
		return true, upper || fold && lower
	case "xdigit":
		return true, digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	}
	return false, false
}
