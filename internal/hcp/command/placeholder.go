package command

import (
	"slices"
	"strings"
)

// piece is a stretch of a template token: literal text of the pack, or the name
// of an argument.
type piece struct{ text, name string }

// pieces splits a token at its placeholders, {{name}}. What stands between
// braces and is no name, such as {{.ID}} or {{json .}}, is literal text.
func pieces(token string) []piece {
	var out []piece
	literal := ""
	for {
		start := strings.Index(token, "{{")
		if start < 0 {
			break
		}
		length := strings.Index(token[start:], "}}")
		if length < 0 {
			break
		}
		name := token[start+2 : start+length]
		if !isName(name) {
			literal += token[:start+2]
			token = token[start+2:]
			continue
		}
		if literal += token[:start]; literal != "" {
			out = append(out, piece{text: literal})
		}
		out = append(out, piece{name: name})
		literal, token = "", token[start+length+2:]
	}
	if literal += token; literal != "" {
		out = append(out, piece{text: literal})
	}
	return out
}

// isName reports whether an argument may be called so: visible ASCII without
// what would break a placeholder, a k=v pair or the quoting around it, and not
// beginning like an option or a Go template's field.
func isName(name string) bool {
	if name == "" || len(name) > 128 {
		return false
	}
	if first := name[0]; !isAlphanumeric(first) && first != '_' && first != '$' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c > '~' || strings.IndexByte("={}\"'`\\", c) >= 0 {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// slot is one token of a command's template.
type slot []piece

// fixed reports whether the slot is the pack's text alone, and returns it.
func (s slot) fixed() (string, bool) {
	switch {
	case len(s) == 0:
		return "", true
	case len(s) == 1 && s[0].name == "":
		return s[0].text, true
	default:
		return "", false
	}
}

// Placeholders returns the argument names of template tokens in order, each
// once, as a command's own cli[] has them: there verb is an argument like any
// other.
func Placeholders(tokens []string) []string {
	slots := make([]slot, len(tokens))
	for i, token := range tokens {
		slots[i] = pieces(token)
	}
	return placeholdersOf(slots)
}

func placeholdersOf(slots []slot) []string {
	var names []string
	for _, s := range slots {
		for _, p := range s {
			if p.name != "" && !slices.Contains(names, p.name) {
				names = append(names, p.name)
			}
		}
	}
	return names
}
