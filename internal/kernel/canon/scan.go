package canon

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// scanner walks one document. With build it also makes the value; without, it
// allocates next to nothing.
type scanner struct {
	data  []byte
	pos   int
	max   int
	build bool
	path  []step
	names [][]byte // decoded names of all open objects, innermost last
	// part, if there is one, is given each member or item of the outermost value.
	part func(name, value []byte)
}

// step is one level of the way to the current value.
type step struct {
	name  []byte // decoded name, in an object
	index int    // position, in an array; -1 in an object
}

func scan(data []byte, l Limits, build bool) (any, error) {
	var steps [8]step
	var names [16][]byte
	s := scanner{build: build, path: steps[:0], names: names[:0]}
	return s.document(data, l)
}

// document reads the whole text.
func (s *scanner) document(data []byte, l Limits) (any, error) {
	l = l.orDefault()
	if len(data) > l.MaxBytes {
		return nil, &Error{
			Kind: KindTooLarge, Offset: int64(l.MaxBytes),
			Reason: fmt.Sprintf("document of %d bytes is over the limit of %d", len(data), l.MaxBytes),
		}
	}
	s.data, s.max = data, l.MaxDepth
	if bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")) {
		return nil, s.fail(KindByteOrderMark, "byte order mark before the value")
	}
	v, err := s.value()
	if err != nil {
		return nil, err
	}
	s.space()
	if s.pos < len(data) {
		return nil, s.fail(KindTrailingData, "unexpected "+s.here()+" after the value")
	}
	return v, nil
}

func (s *scanner) fail(kind Kind, reason string) *Error {
	return s.failAt(kind, reason, s.pos)
}

func (s *scanner) failAt(kind Kind, reason string, offset int) *Error {
	return &Error{Kind: kind, Pointer: s.pointer(), Reason: reason, Offset: int64(offset)}
}

// unexpected reports the byte at pos where want should be.
func (s *scanner) unexpected(want string) *Error {
	if s.pos >= len(s.data) {
		return s.fail(KindTruncated, "text ends where "+want+" should be")
	}
	return s.fail(KindSyntax, "unexpected "+s.here()+" where "+want+" should be")
}

// here names the byte at pos for a sentence.
func (s *scanner) here() string {
	c := s.data[s.pos]
	if ' ' <= c && c < 0x7f {
		return strconv.Quote(string(rune(c)))
	}
	return fmt.Sprintf("byte 0x%02x", c)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func (s *scanner) pointer() string {
	var b strings.Builder
	for _, p := range s.path {
		b.WriteByte('/')
		if p.index >= 0 {
			b.WriteString(strconv.Itoa(p.index))
		} else {
			b.WriteString(pointerEscapes.Replace(strings.ToValidUTF8(string(p.name), "\uFFFD")))
		}
	}
	return b.String()
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// next skips white space and reports whether c follows; it consumes it.
func (s *scanner) next(c byte) bool {
	s.space()
	if s.pos < len(s.data) && s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) value() (any, error) {
	s.space()
	if s.pos >= len(s.data) {
		return nil, s.unexpected("a value")
	}
	switch c := s.data[s.pos]; {
	case c == '{':
		return s.object()
	case c == '[':
		return s.array()
	case c == '"':
		text, err := s.str()
		if err != nil || !s.build {
			return nil, err
		}
		return string(text), nil
	case c == '-' || '0' <= c && c <= '9':
		text, err := s.number()
		if err != nil || !s.build {
			return nil, err
		}
		return number(text), nil
	default:
		return s.word()
	}
}

func (s *scanner) word() (any, error) {
	rest := s.data[s.pos:]
	for _, w := range [...]struct {
		text  string
		value any
	}{{"null", nil}, {"true", true}, {"false", false}} {
		if bytes.HasPrefix(rest, []byte(w.text)) && !wordGoesOn(rest[len(w.text):]) {
			s.pos += len(w.text)
			return w.value, nil
		}
	}
	for _, w := range [...]string{"NaN", "Infinity"} {
		if bytes.HasPrefix(rest, []byte(w)) && !wordGoesOn(rest[len(w):]) {
			return nil, s.fail(KindNotFinite, w+" is not a JSON number")
		}
	}
	for _, w := range [...]string{"null", "true", "false"} {
		if len(rest) < len(w) && strings.HasPrefix(w, string(rest)) {
			return nil, s.fail(KindTruncated, "text ends within a word")
		}
	}
	return nil, s.unexpected("a value")
}

func wordGoesOn(rest []byte) bool {
	if len(rest) == 0 {
		return false
	}
	c := rest[0]
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// enter opens an array or object: it consumes the bracket and adds a level.
func (s *scanner) enter(index int) error {
	if len(s.path) >= s.max {
		return s.fail(KindTooDeep, fmt.Sprintf("more than %d levels of arrays and objects", s.max))
	}
	s.pos++
	s.path = append(s.path, step{index: index})
	return nil
}

func (s *scanner) leave() { s.path = s.path[:len(s.path)-1] }

func (s *scanner) array() (any, error) {
	if err := s.enter(0); err != nil {
		return nil, err
	}
	var list []any
	if s.build {
		list = []any{}
	}
	if s.next(']') {
		s.leave()
		return list, nil
	}
	top := len(s.path) - 1
	for {
		s.space()
		start := s.pos
		v, err := s.value()
		if err != nil {
			return nil, err
		}
		if top == 0 && s.part != nil {
			s.part(nil, s.data[start:s.pos])
		}
		if s.build {
			list = append(list, v)
		}
		if s.next(']') {
			s.leave()
			return list, nil
		}
		if !s.next(',') {
			return nil, s.unexpected(`"," or "]"`)
		}
		s.path[top].index++
	}
}

func (s *scanner) object() (any, error) {
	if err := s.enter(-1); err != nil {
		return nil, err
	}
	var object map[string]any
	if s.build {
		object = map[string]any{}
	}
	own := members{first: len(s.names)}
	if s.next('}') {
		s.leave()
		return object, nil
	}
	for {
		if err := s.name(&own); err != nil {
			return nil, err
		}
		name := s.names[len(s.names)-1]
		s.space()
		start := s.pos
		v, err := s.value()
		if err != nil {
			return nil, err
		}
		if len(s.path) == 1 && s.part != nil {
			s.part(name, s.data[start:s.pos])
		}
		if s.build {
			object[string(name)] = v
		}
		if s.next('}') {
			s.names = s.names[:own.first]
			s.leave()
			return object, nil
		}
		if !s.next(',') {
			return nil, s.unexpected(`"," or "}"`)
		}
	}
}

// name reads a member's name and the colon. It refuses a name that the object
// has already.
func (s *scanner) name(own *members) error {
	top := len(s.path) - 1
	s.path = s.path[:top] // until the name is known, the place is the object
	s.space()
	if s.pos >= len(s.data) || s.data[s.pos] != '"' {
		return s.unexpected("a member name")
	}
	start := s.pos
	text, err := s.str()
	if err != nil {
		return err
	}
	s.path = append(s.path, step{name: text, index: -1})
	if own.have(s.names[own.first:], text) {
		return s.failAt(KindDuplicateName, "duplicate name "+quoteShort(string(text)), start)
	}
	s.names = append(s.names, text)
	if !s.next(':') {
		return s.unexpected(`":"`)
	}
	return nil
}

// members are the names of one open object: those of scanner.names from first
// on, and for a large object also a set, so that a hostile one costs no
// quadratic time.
type members struct {
	first int
	set   map[string]bool
}

// have reports whether text is among names, and makes it so in the set.
func (m *members) have(names [][]byte, text []byte) bool {
	const small = 24
	if len(names) < small {
		for _, n := range names {
			if bytes.Equal(n, text) {
				return true
			}
		}
		return false
	}
	if m.set == nil {
		m.set = make(map[string]bool, 2*small)
		for _, n := range names {
			m.set[string(n)] = true
		}
	}
	if m.set[string(text)] {
		return true
	}
	m.set[string(text)] = true
	return false
}
