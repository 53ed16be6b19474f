package mcpserve

import (
	"strings"

	"bridle/internal/kernel/fault"
)

// CodeMetacharacter is a call that reads like a shell's line.
const CodeMetacharacter = "no_shell"

func metacharacter(what string) error {
	return fault.Newf(CodeMetacharacter, "there is no shell here, and %q means nothing", what).
		WithHint("run one command; put a value that contains it in single quotes, or pass argv as a list of words")
}

// Split takes a line apart into words as a shell does with quotes and
// backslashes, and does nothing else that a shell does: pipes, substitution,
// chaining, redirection and several lines are refused.
func Split(line string) ([]string, error) {
	s := splitter{rest: line}
	for s.rest != "" {
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	s.end()
	return s.words, nil
}

type splitter struct {
	rest   string
	words  []string
	word   strings.Builder
	inWord bool
}

func (s *splitter) end() {
	if s.inWord {
		s.words = append(s.words, s.word.String())
		s.word.Reset()
		s.inWord = false
	}
}

// take puts the next byte into the word.
func (s *splitter) take() {
	s.word.WriteByte(s.rest[0])
	s.rest, s.inWord = s.rest[1:], true
}

// next handles one character or one quoted stretch.
func (s *splitter) next() error {
	switch c := s.rest[0]; c {
	case ' ', '\t':
		s.rest = s.rest[1:]
		s.end()
	case '\'':
		text, after, closed := strings.Cut(s.rest[1:], "'")
		if !closed {
			return unclosed("'")
		}
		s.word.WriteString(text)
		s.rest, s.inWord = after, true
	case '"':
		return s.doubleQuoted()
	case '\\':
		if len(s.rest) < 2 {
			return unclosed(`\`)
		}
		s.rest = s.rest[1:]
		s.take()
	case '|', '&', ';', '<', '>', '`', '\n', '\r', 0:
		return metacharacter(string(c))
	case '$':
		if strings.HasPrefix(s.rest, "$(") || strings.HasPrefix(s.rest, "${") {
			return metacharacter(s.rest[:2])
		}
		s.take()
	default:
		s.take()
	}
	return nil
}

func (s *splitter) doubleQuoted() error {
	s.rest, s.inWord = s.rest[1:], true
	for s.rest != "" {
		switch c := s.rest[0]; {
		case c == '"':
			s.rest = s.rest[1:]
			return nil
		case c == '\\' && len(s.rest) > 1 && strings.IndexByte("\"\\$`", s.rest[1]) >= 0:
			s.rest = s.rest[1:]
			s.take()
		case c == '`' || strings.HasPrefix(s.rest, "$(") || strings.HasPrefix(s.rest, "${"):
			return metacharacter(s.rest[:min(2, len(s.rest))])
		case c == 0:
			return metacharacter("\x00")
		default:
			s.take()
		}
	}
	return unclosed(`"`)
}

func unclosed(mark string) error {
	return fault.Newf(CodeMetacharacter, "the quote %s is not closed", mark).
		WithHint("close it, or pass argv as a list of words")
}

// operators are words by which a list of words shows that a shell was expected.
var operators = []string{"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1"}

// checkWords refuses a list of words that was meant for a shell. Within a word
// such characters are data, since nothing here reads them.
func checkWords(words []string) error {
	dashes := false
	for _, word := range words {
		if strings.ContainsRune(word, 0) {
			return metacharacter("\x00")
		}
		for _, op := range operators {
			if word == op {
				return metacharacter(op)
			}
		}
		if !dashes && (strings.HasPrefix(word, "$(") || strings.HasPrefix(word, "`")) {
			return metacharacter(word[:1])
		}
		dashes = dashes || word == "--"
	}
	return nil
}
