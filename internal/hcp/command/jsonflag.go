package command

import (
	"slices"
	"strings"

	"bridle/hcp"
)

// defaultJSONFlag and defaultFileFlags hold where the pack says nothing.
var (
	defaultJSONFlag  = []string{"--json"}
	defaultFileFlags = []string{"--file", "--json-file", "--output", "-o", "--env-file"}
)

// jsonFlag is what has to be added for JSON output (RFC 0004): the command's
// own json_flag, else nothing where the template already selects JSON, else the
// pack's, else --json.
func (f *form) jsonFlag(m *hcp.Manifest, template []slot) []string {
	switch {
	case f.command.JSONFlag != nil:
		return f.command.JSONFlag
	case selectsJSON(template):
		return nil
	case m.Wrap != nil && m.Wrap.JSONFlag != nil:
		return m.Wrap.JSONFlag
	default:
		return defaultJSONFlag
	}
}

// selectsJSON looks at the declared words, not at what became of them: a
// command written for --json with fields stays one when the fields are left
// out.
func selectsJSON(template []slot) bool {
	for i, s := range template {
		word, _ := s.fixed()
		if word == "--" {
			return false
		}
		next := ""
		if i+1 < len(template) {
			next, _ = template[i+1].fixed()
		}
		if strings.HasPrefix(leadingText(s), "--json=") || jsonWords(word, next) > 0 {
			return true
		}
	}
	return false
}

// leadingText is the pack's text that a slot begins with.
func leadingText(s slot) string {
	if len(s) == 0 {
		return ""
	}
	return s[0].text
}

// jsonWords returns how many words, 0 to 2, select JSON beginning with word.
func jsonWords(word, next string) int {
	flag, value, attached := strings.Cut(word, "=")
	switch {
	case flag == "--json":
		return 1
	case !slices.Contains(outputFlags, flag):
		return 0
	case attached && value == "json":
		return 1
	case !attached && next == "json":
		return 2
	default:
		return 0
	}
}

var outputFlags = []string{"-o", "--output", "--format", "-f"}

// markFiles finds the words that name files by the pack's file flags, and those
// that select JSON, which are no files though they follow the same flags.
// Behind a literal "--" there are no flags.
func markFiles(tokens []Token, flags []string) []Token {
	for i := 0; i < len(tokens); i++ {
		if !tokens[i].own {
			continue
		}
		if tokens[i].Text == "--" {
			break
		}
		next := ""
		if i+1 < len(tokens) {
			next = tokens[i+1].Text
		}
		if n := jsonWords(tokens[i].Text, next); n > 0 {
			for range n {
				tokens[i].JSON = true
				i++
			}
			i--
			continue
		}
		flag, _, attached := strings.Cut(tokens[i].Text, "=")
		switch {
		case !slices.Contains(flags, flag):
		case attached:
			tokens[i].File, tokens[i].FileAt = true, len(flag)+1
		case i+1 < len(tokens):
			i++
			tokens[i].File = true
		}
	}
	return tokens
}

// fileFlags are the flags whose value names a file (§10.6).
func fileFlags(m *hcp.Manifest) []string {
	if m.Wrap != nil && m.Wrap.Workspace != nil && m.Wrap.Workspace.FileFlags != nil {
		return m.Wrap.Workspace.FileFlags
	}
	return defaultFileFlags
}

// withJSONFlag adds the flag at the end, or before a literal "--", behind which
// it would be data.
func withJSONFlag(tokens []Token, flag []string) []Token {
	at := slices.IndexFunc(tokens, func(t Token) bool { return t.own && t.Text == "--" })
	if at < 0 {
		at = len(tokens)
	}
	added := make([]Token, len(flag))
	for i, word := range flag {
		added[i] = Token{Text: word, Parts: []Part{{Text: word}}, JSON: true, Appended: true, own: true}
	}
	return slices.Insert(tokens, at, added...)
}
