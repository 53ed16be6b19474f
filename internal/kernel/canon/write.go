package canon

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// appendValue writes what scan has built.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		if v {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case number:
		return appendNumber(b, string(v))
	case string:
		return appendString(b, v)
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, e)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		// The order of UTF-8 bytes is the order of code points.
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, name), ':')
			b = appendValue(b, v[name])
		}
		return append(b, '}')
	default:
		panic("canon: a value that scan does not build")
	}
}

// appendPlain writes what the arguments of most calls are: text, truths and short
// whole numbers in maps and lists. What else there may be it leaves to the general
// encoder, which takes long to get ready, with every error.
func appendPlain(b []byte, v any, depth int) (out []byte, ok bool) {
	const most = 16
	if depth > most {
		return nil, false
	}
	switch v := v.(type) {
	case nil, bool:
		return appendValue(b, v), true
	case string:
		if !utf8.ValidString(v) {
			return nil, false
		}
		return appendString(b, v), true
	case number:
		if !isShortInteger(string(v)) {
			return nil, false
		}
		return append(b, v...), true
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, ok = appendPlain(b, e, depth+1); !ok {
				return nil, false
			}
		}
		return append(b, ']'), true
	case map[string]any:
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			if !utf8.ValidString(name) {
				return nil, false
			}
			b = append(appendString(b, name), ':')
			if b, ok = appendPlain(b, v[name], depth+1); !ok {
				return nil, false
			}
		}
		return append(b, '}'), true
	}
	return nil, false
}

// isShortInteger knows the whole numbers that are written in one way only.
func isShortInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if s == "0" {
		return true
	}
	if digits == "" || len(digits) > 15 || digits[0] == '0' {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// AppendString writes a string in the canonical form. The string must be UTF-8.
func AppendString(b []byte, s string) []byte { return appendString(b, s) }

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\t':
			b = append(b, `\t`...)
		case '\n':
			b = append(b, `\n`...)
		case '\f':
			b = append(b, `\f`...)
		case '\r':
			b = append(b, `\r`...)
		default:
			const digits = "0123456789abcdef"
			b = append(b, `\u00`...)
			b = append(b, digits[c>>4], digits[c&15])
		}
	}
	return append(append(b, s[done:]...), '"')
}
