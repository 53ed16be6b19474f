package canon

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads the string that begins at pos and returns its decoded bytes. They
// alias the document when it holds no escapes.
func (s *scanner) str() ([]byte, error) {
	start := s.pos + 1
	i := start
	for i < len(s.data) {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			return s.data[start:i], nil
		case c == '\\':
			return s.escaped(start, i)
		case c < ' ':
			s.pos = i
			return nil, s.fail(KindSyntax, "unescaped control character in a string: "+s.here())
		case c < utf8.RuneSelf:
			i++
		default:
			n, err := s.multibyte(i)
			if err != nil {
				return nil, err
			}
			i += n
		}
	}
	return nil, s.unended()
}

func (s *scanner) unended() *Error {
	s.pos = len(s.data)
	return s.fail(KindTruncated, "text ends within a string")
}

// multibyte returns the length of the UTF-8 sequence at i.
func (s *scanner) multibyte(i int) (int, error) {
	r, n := utf8.DecodeRune(s.data[i:])
	if r == utf8.RuneError && n <= 1 {
		s.pos = i
		return 0, s.fail(KindInvalidUTF8, "invalid UTF-8: "+s.here())
	}
	return n, nil
}

// escaped is str from the first backslash, at i, on. Without build it still
// decodes: names are compared by what they say, not by how they are written.
func (s *scanner) escaped(start, i int) ([]byte, error) {
	out := bytes.Clone(s.data[start:i])
	for i < len(s.data) {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			return out, nil
		case c == '\\':
			var err error
			if out, i, err = s.escape(out, i); err != nil {
				return nil, err
			}
		case c < ' ':
			s.pos = i
			return nil, s.fail(KindSyntax, "unescaped control character in a string: "+s.here())
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			n, err := s.multibyte(i)
			if err != nil {
				return nil, err
			}
			out = append(out, s.data[i:i+n]...)
			i += n
		}
	}
	return nil, s.unended()
}

// escape decodes the escape sequence at i and returns the offset behind it.
func (s *scanner) escape(out []byte, i int) ([]byte, int, error) {
	if i+1 >= len(s.data) {
		return nil, 0, s.unended()
	}
	switch c := s.data[i+1]; c {
	case '"', '\\', '/':
		return append(out, c), i + 2, nil
	case 'b':
		return append(out, '\b'), i + 2, nil
	case 'f':
		return append(out, '\f'), i + 2, nil
	case 'n':
		return append(out, '\n'), i + 2, nil
	case 'r':
		return append(out, '\r'), i + 2, nil
	case 't':
		return append(out, '\t'), i + 2, nil
	case 'u':
		return s.unicodeEscape(out, i)
	default:
		s.pos = i + 1
		return nil, 0, s.fail(KindSyntax, "unknown escape in a string: "+s.here())
	}
}

func (s *scanner) unicodeEscape(out []byte, i int) ([]byte, int, error) {
	r, err := s.hex4(i + 2)
	if err != nil {
		return nil, 0, err
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r), i + 6, nil
	}
	if r < 0xDC00 && bytes.HasPrefix(s.data[i+6:], []byte(`\u`)) {
		low, err := s.hex4(i + 8)
		if err != nil {
			return nil, 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return utf8.AppendRune(out, pair), i + 12, nil
		}
	}
	s.pos = i
	return nil, 0, s.fail(KindLoneSurrogate, "lone surrogate "+string(s.data[i:i+6]))
}

// hex4 reads the four hex digits at i.
func (s *scanner) hex4(i int) (rune, error) {
	var r rune
	for n := range 4 {
		if i+n >= len(s.data) {
			return 0, s.unended()
		}
		switch c := s.data[i+n]; {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			s.pos = i + n
			return 0, s.unexpected("a hex digit")
		}
	}
	return r, nil
}
