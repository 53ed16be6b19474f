package access

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"bridle/hcp"
)

// reader takes plain JSON apart: text without escapes, short whole numbers, no
// deeper than a rule is. Whatever else comes, its methods report that they do not
// know it.
type reader struct {
	data []byte
	at   int
	kept *hcp.AccessRule // filled by rule, when there is one
}

func (r *reader) space() {
	if r.at >= len(r.data) || r.data[r.at] <= ' ' {
		r.spaces()
	}
}

func (r *reader) spaces() {
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
	rest := r.data[r.at:]
	n := 0
	for n < len(rest) && isPlain(rest[n]) {
		n++
	}
	ascii := n < len(rest) && rest[n] == '"'
	for !ascii && n < len(rest) && (isPlain(rest[n]) || rest[n] >= utf8.RuneSelf) {
		n++
	}
	if n == len(rest) || rest[n] != '"' {
		return nil, false
	}
	r.at += n + 1
	return rest[:n], ascii || utf8.Valid(rest[:n])
}

// isPlain tells the ASCII characters that stand for themselves in a string.
func isPlain(c byte) bool { return c-' ' < utf8.RuneSelf-' ' && c != '"' && c != '\\' }

// number takes a whole number of a few digits, as everybody writes them.
func (r *reader) number() bool {
	r.take('-')
	rest := r.data[r.at:]
	n := 0
	for n < len(rest) && rest[n]-'0' <= 9 {
		n++
	}
	r.at += n
	return n > 0 && n <= 15 && (n == 1 || rest[0] != '0')
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
		if !plain || n == len(seen) {
			return false
		}
		for _, other := range seen[:n] {
			if bytes.Equal(other, name) {
				return false
			}
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

// rules takes a list of rules that are plainly valid.
func (r *reader) rules() ([]hcp.AccessRule, bool) {
	if !r.take('[') {
		return nil, false
	}
	list := []hcp.AccessRule{}
	r.space()
	for n := 0; !r.take(']'); n++ {
		if n > 0 {
			if !r.take(',') {
				return nil, false
			}
			r.space()
		}
		var rule hcp.AccessRule
		r.kept = &rule
		if _, plain := r.rule(); !plain {
			return nil, false
		}
		list = append(list, rule)
		r.space()
	}
	return list, true
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
			if r.kept != nil {
				r.kept.Note = string(note)
			}
			return known && len(note) <= maxNote
		case "when":
			if r.kept != nil {
				r.kept.When = &hcp.AccessWhen{}
			}
			return r.members(r.condition)
		}
		return false
	})
	if r.kept != nil {
		r.kept.Match, r.kept.Decision = string(match), string(decision)
	}
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
		if r.kept != nil {
			r.kept.When.Op = hcp.Operation(op)
		}
		return known && (string(op) == string(hcp.OperationRead) || string(op) == string(hcp.OperationWrite))
	case "max":
		if r.kept != nil {
			r.kept.When.Max = map[string]json.Number{}
		}
		return r.members(r.limit)
	case "args":
		if r.kept != nil {
			r.kept.When.Args = map[string]any{}
		}
		return r.members(r.wanted)
	}
	return false
}

// limit takes a member of "max".
func (r *reader) limit(name []byte) bool {
	start := r.at
	if !r.number() {
		return false
	}
	if r.kept != nil {
		r.kept.When.Max[string(name)] = json.Number(r.data[start:r.at])
	}
	return true
}

// wanted takes a member of "args".
func (r *reader) wanted(name []byte) bool {
	start := r.at
	var value any
	switch {
	case start < len(r.data) && r.data[start] == '"':
		text, known := r.text()
		if !known {
			return false
		}
		if r.kept != nil {
			value = string(text)
		}
	case r.word("true"):
		value = true
	case r.word("false"):
		value = false
	case r.word("null"):
	case r.number():
		if r.kept != nil {
			value = json.Number(r.data[start:r.at])
		}
	default:
		return false
	}
	if r.kept != nil {
		r.kept.When.Args[string(name)] = value
	}
	return true
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
