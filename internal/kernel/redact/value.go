package redact

import "strings"

// This file finds where the value of a name stands: behind a sign, on the same line
// or the one below.

// valueOf finds the value that belongs to the name text[start:stop].
func (s *scan) valueOf(start, stop int) (field, bool) {
	q := stop
	closed := s.quoteAt(q) > 0
	q += s.quoteAt(q)
	if s.byteAt(q) == ']' || s.byteAt(q) == ')' && closed {
		q++
	}
	if c := s.byteAt(q); (c == '?' || c == '!') && s.byteAt(q+1) == ':' {
		q++
	}
	if s.byteAt(q) == '[' { // char pass[16]
		end := q + 1
		for isDigit(s.byteAt(end)) {
			end++
		}
		if s.byteAt(end) == ']' {
			q = end + 1
		}
	}
	r := s.spaces(q)
	if v, ok := s.rowValue(start, q); ok {
		return v, true
	}
	switch c := s.byteAt(r); {
	case c == '%' && r == q && foldsTo(pad(s.text[r:min(len(s.text), r+3)], 3), "%3d"):
		return s.encodedValue(r + 3), true
	case closed && c == 't' && strings.HasPrefix(s.text[r:], "to "):
		return s.literal(r + 3)
	case c == '=':
		return s.afterEquals(start, q, r)
	case c == ':':
		return s.afterColon(start, r)
	case strings.IndexByte("+?|!", c) >= 0 && c != 0 && strings.HasPrefix(strings.TrimLeft(s.text[r:min(r+3, len(s.text))], "+?|!"), "="):
		return s.literal(r + strings.IndexByte(s.text[r:], '=') + 1)
	case c == '(' && r == q:
		return s.literal(r + 1)
	case c == ',' && closed:
		if v, ok := s.pairValue(r); ok {
			return v, true
		}
		return s.literal(r + 1)
	case c == '>' && r == q:
		return s.element(r + 1)
	case closed || c == '\n' || c == '\r' || c == '<':
		return s.pairValue(q)
	}
	return field{}, false
}

func (s *scan) afterEquals(start, q, r int) (field, bool) {
	end := r
	for s.byteAt(end) == '=' || s.byteAt(end) == '>' || s.byteAt(end) == '~' {
		end++
	}
	if end-r > 1 {
		return s.literal(end)
	}
	if v, ok := s.literal(end); ok {
		return v, true
	}
	from := s.spaces(end)
	if v, ok := s.wrapped(from); ok {
		return v, true
	}
	if s.byteAt(from) == '{' && s.inFields(start) { // ODBC
		if n := strings.IndexByte(s.text[from:min(len(s.text), from+256)], '}'); n > 0 {
			return field{from + 1, from + n, asTight}, true
		}
	}
	spaced := r > q || from > end
	if s.startsLine(start) {
		if to := s.restOfLine(from); to > from {
			return field{from, to, asConfig}, true
		}
		if !spaced {
			return field{from, s.bareEnd(from, true), asTight}, true
		}
	}
	f := asTight
	if spaced {
		f = asLoose
		if s.inFields(start) {
			f = asTight
		}
	}
	return field{from, s.bareEnd(from, false), f}, true
}

// inFields reports whether the name follows a semicolon or a blank after
// another assignment, as in connection strings with blanks around the signs.
func (s *scan) inFields(start int) bool {
	for start > 0 && s.text[start-1] == ' ' {
		start--
	}
	return start > 0 && s.text[start-1] == ';'
}

func (s *scan) afterColon(start, r int) (field, bool) {
	from := r + 1
	for start > 0 && s.text[start-1] == '*' && s.byteAt(from) == '*' {
		from++ // **Password:** X
	}
	if s.byteAt(from) == ':' {
		return field{}, false
	}
	if s.byteAt(from) == '=' {
		return s.literal(from + 1)
	}
	if v, ok := s.literal(from); ok {
		return v, true
	}
	if v, ok := s.annotated(from); ok {
		return v, true
	}
	if s.startsLine(start) {
		from = s.inYAML(from)
	}
	from = s.spaces(from)
	if s.byteAt(from) == '\n' || s.byteAt(from) == '\r' {
		if r > 0 && s.text[r-1] == '"' {
			return s.inNextLine(from)
		}
		return field{}, false
	}
	if v, ok := s.literal(from); ok {
		return v, true
	}
	if s.startsLine(start) {
		if to := s.restOfLine(from); to > from {
			return field{from, to, asConfig}, true
		}
	}
	return field{from, s.bareEnd(from, false), asLoose}, true
}

// encodedValue is a value in a query that stands, encoded, in another URL.
func (s *scan) encodedValue(from int) field {
	end := s.bareEnd(from, false)
	if i := strings.IndexByte(s.text[from:end], '%'); i >= 0 {
		end = from + i
	}
	return field{from, end, asTight}
}

// inYAML skips what may stand between a key and its value in YAML: a tag, an
// anchor, and the sign that the value is a block, which begins in the next line.
func (s *scan) inYAML(from int) int {
	i := s.spaces(from)
	for n := 0; n < 2 && (s.byteAt(i) == '!' || s.byteAt(i) == '&') && (isAlpha(s.byteAt(i+1)) || s.byteAt(i+1) == '!'); n++ {
		for i < len(s.text) && s.text[i] > ' ' {
			i++
		}
		i = s.spaces(i)
	}
	if c := s.byteAt(i); c == '|' || c == '>' {
		end := i + 1
		for strings.IndexByte("+-0123456789", s.byteAt(end)) >= 0 && end < len(s.text) {
			end++
		}
		if s.byteAt(end) == '\n' {
			return s.spaces(end + 1)
		}
	}
	return i
}

// inNextLine reads the literal that stands in the line below a quoted name, as
// where long JSON is broken.
func (s *scan) inNextLine(from int) (field, bool) {
	for n := 0; n < 80 && strings.IndexByte(" \t\r\n", s.byteAt(from)) >= 0 && from < len(s.text); n++ {
		from++
	}
	return s.literal(from)
}

// startsLine reports whether nothing but a declaration word, indentation or a
// prompt stands before the name.
func (s *scan) startsLine(start int) bool {
	from := start
	for from > 0 && start-from < 64 && s.text[from-1] != '\n' && !(s.text[from-1] == 'n' && from > 1 && s.text[from-2] == '\\') {
		from--
	}
	if from > 0 && s.text[from-1] != '\n' && s.text[from-1] != 'n' {
		return false
	}
	before := strings.Trim(s.text[from:start], " \t-+>*#$\"'\r|/")
	switch before {
	case "", "export", "set", "setx", "env", "ENV", "ARG", "let", "declare -x", "local", "readonly", "- ", "_", "@", ":":
		return true
	}
	return false
}

// restOfLine returns the end of a value that is one word and the last of its
// line, but for a comment; or from if it is not so.
func (s *scan) restOfLine(from int) int {
	end := from
	for end < len(s.text) && s.text[end] > ' ' && end-from < longestToken {
		if s.text[end] == '\\' && strings.IndexByte("nr\"", s.byteAt(end+1)) >= 0 && s.byteAt(end+1) != 0 {
			return end
		}
		end++
	}
	after := s.spaces(end)
	switch c := s.byteAt(after); {
	case after == len(s.text) || c == '\n' || c == '\r', c == '#' && after > end, strings.HasPrefix(s.text[after:], "//") && after > end:
		for end > from && strings.IndexByte(",;", s.text[end-1]) >= 0 {
			end--
		}
		return end
	}
	return from
}

// bareEnd is the end of a value without quotes.
func (s *scan) bareEnd(from int, line bool) int {
	end := from
	for end < len(s.text) && end-from < longestToken {
		switch c := s.text[end]; c {
		case '"', '\'', '`', '<', '>':
			return end
		case ',', ';', '&', '|', ')', '}', ']', '\\':
			if !line {
				return end
			}
		default:
			if c <= ' ' {
				return end
			}
		}
		end++
	}
	return end
}
