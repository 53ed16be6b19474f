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
	start := pattern
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
			return m.star(start, pattern, at, text)
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
func (m *matcher) star(start, pattern string, at int, text string) verdict {
	end := at
	for end < len(pattern) && pattern[end] == '*' {
		end++
	}
	rest := pattern[end:]
	folders := false
	if end-at >= 2 && (at == 0 || start[at-1] == '/') && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
		folders = true
		// "**/" also matches no folder at all.
		if rest != "" && rest[0] == '/' {
			if v := m.match(rest[1:], text); v == matched || v == overBudget {
				return v
			}
		}
	}
	switch {
	case rest == "":
		if !folders && strings.IndexByte(text, '/') >= 0 {
			return noFolder
		}
		return matched
	case !folders && rest[0] == '/':
		slash := strings.IndexByte(text, '/')
		if slash < 0 {
			return noFolder
		}
		return m.match(rest, text[slash:])
	}
	for {
		v := m.match(rest, text)
		switch {
		case v == matched || v == overBudget:
			return v
		case v == noText:
			return noText
		case v == noFolder && !folders:
			return noFolder
		}
		if text == "" {
			return noText
		}
		if !folders && text[0] == '/' {
			return noFolder
		}
		text = text[1:]
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
	previous := byte(0)
	for first := true; ; first = false {
		if at >= len(pattern) {
			return false, -1
		}
		p := pattern[at]
		switch {
		case p == ']' && !first:
			return ok != negated, at
		case p == '\\':
			if at++; at >= len(pattern) {
				return false, -1
			}
			previous = pattern[at]
			ok = ok || m.same(previous, c)
		case p == '-' && previous != 0 && at+1 < len(pattern) && pattern[at+1] != ']':
			at++
			high := pattern[at]
			if high == '\\' {
				if at++; at >= len(pattern) {
					return false, -1
				}
				high = pattern[at]
			}
			ok = ok || m.within(previous, high, c)
			previous = 0
		case p == '[' && at+1 < len(pattern) && pattern[at+1] == ':':
			stop := strings.IndexByte(pattern[at+2:], ']')
			if stop < 0 {
				return false, -1
			}
			name := pattern[at+2 : at+2+stop]
			if !strings.HasSuffix(name, ":") { // no class after all: a bracket among others
				previous = '['
				ok = ok || c == '['
				break
			}
			known, in := posixClass(strings.TrimSuffix(name, ":"), c, m.fold)
			if !known {
				return false, -1
			}
			ok = ok || in
			at += 2 + stop
			previous = 0
		default:
			previous = p
			ok = ok || m.same(p, c)
		}
		at++
	}
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
