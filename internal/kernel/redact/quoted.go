package redact

import "strings"

// This file reads values that are string literals, or that a call makes of one.

// wrappers are parts of the names of functions that make a secret of a literal
// and are not the names of those that look one up.
const wrappers = "secret secure string bytes text password some ptr"

// wrapped reads the literal in SecretStr("…"), []byte("…"), ConvertTo-SecureString "….
func (s *scan) wrapped(from int) (field, bool) {
	end := from
	for end < len(s.text) && end-from < 40 && (isNameByte(s.text[end]) || s.text[end] == '[' || s.text[end] == ']') {
		end++
	}
	if end == from || s.byteAt(end) != '(' && s.byteAt(end) != ' ' {
		return field{}, false
	}
	parts := splitName(s.text[from:end])
	for _, w := range parts {
		switch w {
		case "get", "env", "read", "input", "prompt", "find", "load":
			return field{}, false
		}
	}
	for _, w := range parts {
		if listed(wrappers, w) || w == "byte" || w == "str" {
			return s.literal(end + 1)
		}
	}
	return field{}, false
}

// annotated skips a type between the name and its value.
func (s *scan) annotated(from int) (field, bool) {
	i := s.spaces(from)
	for n := 0; n < 40 && i < len(s.text); n++ {
		c := s.text[i]
		if c == '=' {
			return s.literal(i + 1)
		}
		if !isAlnum(c) && strings.IndexByte("&*'<>?|[]. _", c) < 0 {
			break
		}
		i++
	}
	return field{}, false
}

// literal reads a string literal, with what may stand before its quote.
func (s *scan) literal(i int) (field, bool) {
	i = s.spaces(i)
	if strings.HasPrefix(s.text[i:], "\\n") {
		return field{}, false
	}
	for n := 0; n < 2 && strings.IndexByte("fFrRbBuUL@$", s.byteAt(i)) >= 0 && i+1 < len(s.text) && (s.quoteAt(i+1) > 0 || s.quoteAt(i+2) > 0 && strings.IndexByte("fFrRbBuU@$", s.byteAt(i+1)) >= 0); n++ {
		i++
	}
	n := s.quoteAt(i)
	if n == 0 {
		return field{}, false
	}
	quote := s.text[i : i+n]
	from := i + n
	for strings.HasPrefix(s.text[from:], quote) && strings.HasPrefix(s.text[from+n:], quote) {
		from += 2 * n // three quotes
	}
	to := s.literalEnd(from, quote)
	return field{from, to, asQuoted}, true
}

// literalEnd is the place of the closing quote, or the end of the line.
func (s *scan) literalEnd(from int, quote string) int {
	limit := min(len(s.text), from+longestToken)
	for i := from; i < limit; i++ {
		switch c := s.text[i]; {
		case c == '\n' || c == '\r':
			return i
		case strings.HasPrefix(s.text[i:], quote):
			return i
		case c == '\\' && len(quote) == 1:
			i++
		}
	}
	return limit
}
