package redact

import "strings"

// This file reads values whose name is a value itself, in XML, property lists and
// lists of settings.

// element reads the text of an XML element up to the next tag.
func (s *scan) element(from int) (field, bool) {
	limit := min(len(s.text), from+1024)
	i := strings.IndexByte(s.text[from:limit], '<')
	if i <= 0 || s.byteAt(from+i+1) != '/' {
		return field{}, false
	}
	to := from + i
	for from < to && s.text[from] <= ' ' {
		from++
	}
	for to > from && s.text[to-1] <= ' ' {
		to--
	}
	return field{from, to, asQuoted}, true
}

// pairValue reads the value of a pair of which the name is a value itself:
// {"name": "X", "value": "…"}, name="X" value="…", <key>X</key><string>….
func (s *scan) pairValue(i int) (field, bool) {
	limit := min(len(s.text), i+96)
	i += s.quoteAt(i)
	rest := s.text[min(i, limit):limit]
	if at := strings.Index(rest, "</key>"); at >= 0 && at < 4 {
		if j := strings.Index(rest, "<string>"); j > 0 {
			return s.element(i + j + len("<string>"))
		}
		return field{}, false
	}
	for i < limit && strings.IndexByte(" \t\r\n,", s.text[i]) >= 0 {
		i++
	}
	i += s.quoteAt(i)
	if s.byteAt(i) == '{' {
		// variable "db_password" { … default = "…" }
		block := s.text[i:min(len(s.text), i+240)]
		if end := strings.IndexByte(block, '}'); end >= 0 {
			block = block[:end]
		}
		if j := strings.Index(block, " default"); j > 0 {
			if k := s.spaces(i + j + len(" default")); s.byteAt(k) == '=' {
				return s.literal(k + 1)
			}
		}
		return field{}, false
	}
	if i+5 > limit || !foldsTo(s.text[i:i+5], "value") {
		return field{}, false
	}
	i += 5
	i += s.quoteAt(i)
	i = s.spaces(i)
	if c := s.byteAt(i); c != ':' && c != '=' {
		return field{}, false
	}
	if v, ok := s.literal(i + 1); ok {
		return v, true
	}
	from := s.spaces(i + 1)
	return field{from, s.bareEnd(from, true), asConfig}, true
}
