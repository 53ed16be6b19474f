package access

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"bridle/hcp"
)

// ParseConfigFor reads an access.json as ParseConfig does, without the rules
// that can only be about other commands: a file with a thousand rules is read
// before every call, and few of them are about it. At holds the place that each
// rule has in the file. What Decide says about the command is the same.
//
// A rule is left out only where it is plainly valid and plainly about something
// else. All that the quick look does not know, it leaves in, so that every byte
// of the document is either understood here or read by ParseConfig.
func ParseConfigFor(data []byte, packID, key string) (c hcp.AccessConfig, at []int, err error) {
	short, at, ok := withoutForeignRules(data, packID, key)
	if ok {
		if c, err := ParseConfig(short); err == nil && len(c.Rules) == len(at) {
			return c, at, nil
		}
	}
	// A fault is named with its place in the whole document.
	c, err = ParseConfig(data)
	return c, nil, err
}

// withoutForeignRules cuts the rules out of the document that can match no
// command of that name. It fails where the document is not laid out plainly.
func withoutForeignRules(data []byte, packID, key string) (short []byte, at []int, ok bool) {
	if len(data) > MaxConfigBytes {
		return nil, nil, false
	}
	r := reader{data: data}
	if !r.findRules() {
		return nil, nil, false
	}
	patterns := patternsFor(packID, key)
	short = append(make([]byte, 0, 1024), data[:r.at]...)
	for place := 0; ; place++ {
		start := r.at
		match, plain := r.rule()
		if !plain {
			r.at = start
			if !r.skip() || r.at == start || data[start] != '{' {
				return nil, nil, false
			}
		}
		if !plain || slices.Contains(patterns[:], string(match)) {
			if len(at) > 0 {
				short = append(short, ',')
			}
			short, at = append(short, data[start:r.at]...), append(at, place)
		}
		r.space()
		switch {
		case r.take(','):
			r.space()
		case r.take(']'):
			return append(append(short, ']'), data[r.at:]...), at, true
		default:
			return nil, nil, false
		}
	}
}

// reader takes plain JSON apart: text without escapes, short whole numbers, no
// deeper than a rule is. Whatever else comes, its methods report that they do not
// know it.
type reader struct {
	data []byte
	at   int
}

func (r *reader) space() {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

func (r *reader) take(c byte) bool {
	if r.at < len(r.data) && r.data[r.at] == c {
		r.at++
		return true
	}
	return false
}

// word takes the text exactly.
func (r *reader) word(text string) bool {
	if end := r.at + len(text); end <= len(r.data) && string(r.data[r.at:end]) == text {
		r.at = end
		return true
	}
	return false
}

// text takes a plain string.
func (r *reader) text() ([]byte, bool) {
	if !r.take('"') {
		return nil, false
	}
	ascii := true
	for start := r.at; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; {
		case c == '"':
			text := r.data[start:r.at]
			r.at++
			return text, ascii || utf8.Valid(text)
		case c < ' ' || c == '\\':
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false
}

// number takes a whole number of a few digits, as everybody writes them.
func (r *reader) number() bool {
	r.take('-')
	start := r.at
	for r.at < len(r.data) && '0' <= r.data[r.at] && r.data[r.at] <= '9' {
		r.at++
	}
	n := r.at - start
	return n > 0 && n <= 15 && (n == 1 || r.data[start] != '0')
}

// members takes an object, calling value at each value. Names are plain and each
// stands once.
func (r *reader) members(value func(name []byte) bool) bool {
	if !r.take('{') {
		return false
	}
	var seen [8][]byte
	for n := 0; ; n++ {
		r.space()
		if n == 0 && r.take('}') {
			return true
		}
		name, plain := r.text()
		if !plain || n == len(seen) || slices.ContainsFunc(seen[:n], func(s []byte) bool { return bytes.Equal(s, name) }) {
			return false
		}
		seen[n] = name
		r.space()
		if !r.take(':') {
			return false
		}
		r.space()
		if !value(name) {
			return false
		}
		r.space()
		if r.take('}') {
			return true
		}
		if !r.take(',') {
			return false
		}
	}
}

// rule takes a rule that is plainly valid and returns what it matches.
func (r *reader) rule() (match []byte, plain bool) {
	var decision []byte
	plain = r.members(func(name []byte) (known bool) {
		switch string(name) {
		case "match":
			match, known = r.text()
			return known
		case "decision":
			decision, known = r.text()
			return known
		case "note":
			note, known := r.text()
			return known && len(note) <= maxNote
		case "when":
			return r.members(r.condition)
		}
		return false
	})
	return match, plain && ruleIsKnown(string(decision)) && (isPlainPattern(match) || IsPattern(string(match)))
}

// isPlainPattern knows most patterns by one look: a pack's id that is longer than
// the names that some systems reserve, a dot, and a command's key of one word.
func isPlainPattern(text []byte) bool {
	const reserved, longest = len("com1"), 128
	begins, dot := true, 0
	for i, c := range text {
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			begins = false
		case c == '-' && !begins:
		case c == '.' && dot == 0 && !begins:
			begins, dot = true, i
		default:
			return false
		}
	}
	return dot > reserved && !begins && len(text) <= longest
}

// condition takes a member of "when".
func (r *reader) condition(name []byte) bool {
	switch string(name) {
	case "op":
		op, known := r.text()
		return known && (string(op) == string(hcp.OperationRead) || string(op) == string(hcp.OperationWrite))
	case "max":
		return r.members(func([]byte) bool { return r.number() })
	case "args":
		return r.members(func([]byte) bool {
			if r.at < len(r.data) && r.data[r.at] == '"' {
				_, known := r.text()
				return known
			}
			return r.word("true") || r.word("false") || r.word("null") || r.number()
		})
	}
	return false
}

// findRules goes to the first rule of the document.
func (r *reader) findRules() bool {
	r.space()
	if !r.take('{') {
		return false
	}
	for {
		r.space()
		name, plain := r.text()
		if !plain {
			return false
		}
		r.space()
		if !r.take(':') {
			return false
		}
		r.space()
		if string(name) == "rules" {
			if !r.take('[') {
				return false
			}
			r.space()
			return r.at < len(r.data) && r.data[r.at] == '{'
		}
		if !r.skip() {
			return false
		}
		r.space()
		if !r.take(',') {
			return false
		}
	}
}

// skip passes over one value. It only finds the end; what it passes over stays
// in the document and is read there.
func (r *reader) skip() bool {
	depth := 0
	for r.at < len(r.data) {
		switch c := r.data[r.at]; c {
		case '"':
			if !r.skipText() {
				return false
			}
			if depth == 0 {
				return true
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				r.at++
				return true
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return true // a number or a word ended
			}
		}
		if depth < 0 {
			return true // so it did, in front of a bracket
		}
		r.at++
	}
	return false
}

func (r *reader) skipText() bool {
	for r.at++; r.at < len(r.data); r.at++ {
		switch r.data[r.at] {
		case '\\':
			r.at++
		case '"':
			r.at++
			return true
		}
	}
	return false
}
