package canon

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"
)

// IsCanonical reports whether raw is one document within the limits, and is
// written in the canonical form. It reads raw once and builds nothing: records
// are checked far more often than they are written.
func IsCanonical(raw []byte, l Limits) bool {
	l = l.orDefault()
	if len(raw) > l.MaxBytes {
		return false
	}
	r := recogniser{data: raw, levels: l.MaxDepth}
	return r.value() && r.pos == len(raw)
}

// recogniser walks text that should be canonical; what it does not know for
// canonical it leaves to the scanner.
type recogniser struct {
	data   []byte
	pos    int
	levels int // arrays and objects that may still be opened
}

func (r *recogniser) next(c byte) bool {
	if r.pos < len(r.data) && r.data[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

func (r *recogniser) value() bool {
	if r.pos >= len(r.data) {
		return false
	}
	switch c := r.data[r.pos]; {
	case c == '{':
		return r.object()
	case c == '[':
		return r.array()
	case c == '"':
		_, _, ok := r.str()
		return ok
	case c == '-' || '0' <= c && c <= '9':
		return r.number()
	default:
		return r.word("null") || r.word("true") || r.word("false")
	}
}

func (r *recogniser) word(text string) bool {
	if !bytes.HasPrefix(r.data[r.pos:], []byte(text)) {
		return false
	}
	r.pos += len(text)
	return true
}

func (r *recogniser) array() bool {
	if r.levels--; r.levels < 0 {
		return false
	}
	r.pos++
	for first := true; !r.next(']'); first = false {
		if !first && !r.next(',') || !r.value() {
			return false
		}
	}
	r.levels++
	return true
}

// object needs each name to come after the one before it: so none stands twice.
func (r *recogniser) object() bool {
	if r.levels--; r.levels < 0 {
		return false
	}
	r.pos++
	var before []byte
	for first := true; !r.next('}'); first = false {
		if !first && !r.next(',') {
			return false
		}
		name, ok := r.name()
		if !ok || !first && bytes.Compare(before, name) >= 0 || !r.next(':') || !r.value() {
			return false
		}
		before = name
	}
	r.levels++
	return true
}

// name returns what a member's name says.
func (r *recogniser) name() ([]byte, bool) {
	if r.pos >= len(r.data) || r.data[r.pos] != '"' {
		return nil, false
	}
	text, escaped, ok := r.str()
	if !ok || !escaped {
		return text, ok
	}
	s := scanner{data: r.data, pos: r.pos - len(text) - 2}
	said, err := s.str()
	return said, err == nil
}

// str returns the bytes between the quotes and whether one of them is escaped.
func (r *recogniser) str() (text []byte, escaped, ok bool) {
	start := r.pos + 1
	ascii := true
	for i := start; i < len(r.data); i++ {
		switch c := r.data[i]; {
		case c == '"':
			r.pos = i + 1
			text = r.data[start:i]
			return text, escaped, ascii || utf8.Valid(text)
		case c == '\\':
			n := escapeLength(r.data[i:])
			if n == 0 {
				return nil, false, false
			}
			escaped = true
			i += n - 1
		case c < ' ':
			return nil, false, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false, false
}

// escapeLength is the length of the canonical escape that text begins with, or 0.
func escapeLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', 'b', 't', 'n', 'f', 'r':
		return 2
	case 'u':
	default:
		return 0
	}
	const length = len(`\u001f`)
	if len(text) < length {
		return 0
	}
	code, err := strconv.ParseUint(string(text[2:length]), 16, 8)
	if err != nil || code >= ' ' || !bytes.HasPrefix(appendString(nil, string(rune(code)))[1:], text[:length]) {
		return 0
	}
	return length
}

func (r *recogniser) number() bool {
	s := scanner{data: r.data, pos: r.pos}
	literal, err := s.number()
	if err != nil {
		return false
	}
	r.pos = s.pos
	if bytes.IndexByte(literal, '.') < 0 && bytes.IndexByte(literal, 'e') < 0 && bytes.IndexByte(literal, 'E') < 0 {
		return string(literal) != "-0"
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	if err != nil || math.IsInf(f, 0) {
		return false
	}
	var room [32]byte
	return bytes.Equal(literal, appendFloat(room[:0], f, 64))
}
