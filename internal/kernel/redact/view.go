package redact

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text derived from the original, with the place in the original
// that each of its bytes comes from. A secret is searched in the views instead
// of writing down every way in which it may be encoded.
//
// Places cost much more than text and are of no use until something is found:
// untracked views have none.
type view struct {
	text    []byte
	where   []place // nil: each byte stands where it stood
	tracked bool
}

type place struct{ from, to int }

func (v view) place(i int) place {
	if v.where == nil {
		return place{i, i + 1}
	}
	return v.where[i]
}

// span returns the part of the original that bytes i to j of the view cover.
func (v view) span(i, j int) place {
	return place{v.place(i).from, v.place(j - 1).to}
}

// maker collects a derived view.
type maker struct {
	source view
	view
}

func newMaker(source view) *maker {
	m := &maker{source: source, view: view{text: make([]byte, 0, len(source.text)), tracked: source.tracked}}
	if m.tracked {
		m.where = make([]place, 0, len(source.text))
	}
	return m
}

// same says that bytes i to j of the source mean themselves.
func (m *maker) same(i, j int) {
	m.text = append(m.text, m.source.text[i:j]...)
	if m.tracked {
		for ; i < j; i++ {
			m.where = append(m.where, m.source.place(i))
		}
	}
}

// add says that bytes i to j of the source mean b.
func (m *maker) add(i, j int, b ...byte) {
	m.text = append(m.text, b...)
	if m.tracked {
		p := m.source.span(i, j)
		for range b {
			m.where = append(m.where, p)
		}
	}
}

// unquoted undoes JSON's escapes. ok is false if there is none.
func unquoted(v view) (_ view, ok bool) {
	if bytes.IndexByte(v.text, '\\') < 0 {
		return v, false
	}
	m := newMaker(v)
	for i := 0; i < len(v.text); {
		plain := bytes.IndexByte(v.text[i:], '\\')
		if plain < 0 {
			plain = len(v.text) - i
		}
		m.same(i, i+plain)
		if i += plain; i < len(v.text) {
			b, n := jsonEscape(v.text[i:])
			m.add(i, i+n, b...)
			i += n
		}
	}
	return m.view, true
}

// jsonEscape decodes the escape at the start of t. A backslash that begins none
// stands for itself.
func jsonEscape(t []byte) (meaning []byte, n int) {
	if len(t) < 2 {
		return t[:1], 1
	}
	switch t[1] {
	case '"', '\\', '/':
		return t[1:2], 2
	case 'b':
		return []byte{'\b'}, 2
	case 'f':
		return []byte{'\f'}, 2
	case 'n':
		return []byte{'\n'}, 2
	case 'r':
		return []byte{'\r'}, 2
	case 't':
		return []byte{'\t'}, 2
	case 'u':
		r, ok := hexRune(t)
		if !ok {
			return t[:1], 1
		}
		if utf16.IsSurrogate(r) {
			if low, ok := hexRune(t[6:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
				return utf8.AppendRune(nil, utf16.DecodeRune(r, low)), 12
			}
		}
		return utf8.AppendRune(nil, r), 6
	default:
		return t[:1], 1
	}
}

// hexRune reads \uXXXX at the start of t.
func hexRune(t []byte) (rune, bool) {
	if len(t) < 6 || t[0] != '\\' || t[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range t[2:6] {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	default:
		return 0, false
	}
}

// unpercented undoes percent-encoding, and with form also + for a space. ok is
// false if nothing changes.
func unpercented(v view, form bool) (_ view, ok bool) {
	special := "%"
	if form {
		special = "%+"
	}
	if !bytes.ContainsAny(v.text, special) {
		return v, false
	}
	m := newMaker(v)
	for i := 0; i < len(v.text); {
		plain := bytes.IndexAny(v.text[i:], special)
		if plain < 0 {
			plain = len(v.text) - i
		}
		m.same(i, i+plain)
		if i += plain; i == len(v.text) {
			break
		}
		if c, ok := percentByte(v.text[i:]); ok {
			m.add(i, i+3, c)
			i += 3
			continue
		}
		c := v.text[i]
		if c == '+' {
			c = ' '
		}
		m.add(i, i+1, c)
		i++
	}
	return m.view, true
}

// percentByte decodes %XX at the start of t.
func percentByte(t []byte) (byte, bool) {
	if len(t) < 3 || t[0] != '%' {
		return 0, false
	}
	high, okHigh := hexDigit(t[1])
	low, okLow := hexDigit(t[2])
	return high<<4 | low, okHigh && okLow
}

// isWrapped reports whether a line ends in the midst of what may be a long
// encoded text: after at least as many of its characters as fit a short line.
func isWrapped(t []byte) bool {
	const shortLine = 16
	for i := 0; ; i++ {
		n := bytes.IndexByte(t[i:], '\n')
		if n < 0 {
			return false
		}
		line := bytes.TrimRight(t[i:i+n], "\r")
		if len(line) >= shortLine && isEncoded(line[len(line)-shortLine:]) {
			return true
		}
		i += n
	}
}

func isEncoded(t []byte) bool {
	for _, c := range t {
		if c >= 0x80 || !isWord(c) && c != '+' && c != '/' && c != '-' {
			return false
		}
	}
	return true
}

// unwrapped drops white space.
func unwrapped(v view) view {
	m := newMaker(v)
	const space = " \t\r\n"
	for i := 0; i < len(v.text); {
		n := bytes.IndexAny(v.text[i:], space)
		if n < 0 {
			n = len(v.text) - i
		}
		m.same(i, i+n)
		i += n
		for i < len(v.text) && strings.IndexByte(space, v.text[i]) >= 0 {
			i++
		}
	}
	return m.view
}
