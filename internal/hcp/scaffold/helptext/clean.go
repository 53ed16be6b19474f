package helptext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes visible text of what a program printed: without the sequences that
// colour a terminal and the overstriking that makes pages of a manual bold,
// without anything a person cannot see, and with the frames that some programs
// draw taken away. It is bounded in bytes, lines and the length of a line.
func Clean(raw []byte) string {
	if len(raw) > mostBytes {
		raw = raw[:mostBytes]
	}
	var b strings.Builder
	line := make([]rune, 0, 128)
	lines := 0
	flush := func() {
		b.WriteString(strings.TrimRight(string(line), " "))
		b.WriteByte('\n')
		line = line[:0]
		lines++
	}
	for len(raw) > 0 && lines < mostLines {
		if n := escape(raw); n > 0 {
			raw = raw[n:]
			continue
		}
		c, size := utf8.DecodeRune(raw)
		raw = raw[size:]
		switch {
		case c == '\n':
			flush()
		case c == '\b':
			if len(line) > 0 {
				line = line[:len(line)-1]
			}
		case len(line) >= longestLine:
		case c == '\t':
			// At least two, so that a tab ends the name of an entry.
			line = append(line, ' ', ' ')
			for len(line)%8 != 0 {
				line = append(line, ' ')
			}
		case c == utf8.RuneError && size == 1:
		case c >= 0x2500 && c <= 0x257f: // frames
			line = append(line, ' ')
		case unicode.IsSpace(c) && c != '\r' && c != '\v' && c != '\f':
			line = append(line, ' ')
		case unicode.IsPrint(c):
			line = append(line, c)
		}
	}
	if len(line) > 0 && lines < mostLines {
		flush()
	}
	return b.String()
}

// escape is the length of the terminal sequence that raw begins with.
func escape(raw []byte) int {
	if raw[0] != 0x1b {
		return 0
	}
	if len(raw) == 1 {
		return 1
	}
	const longest = 256
	switch raw[1] {
	case '[':
		for i := 2; i < len(raw) && i < longest; i++ {
			if raw[i] >= 0x40 && raw[i] <= 0x7e {
				return i + 1
			}
		}
	case ']':
		for i := 2; i < len(raw) && i < longest; i++ {
			if raw[i] == 0x07 {
				return i + 1
			}
			if raw[i] == '\\' && raw[i-1] == 0x1b {
				return i + 1
			}
		}
	}
	return 2
}

// Sentence is the first sentence of a text, short enough for a table, without
// the characters that mean something in Markdown or in a template.
func Sentence(text string) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch r {
		case '`', '|', '<', '>', '{', '}', '\\', '*':
			return ' '
		}
		return r
	}, text)), " ")
	for i := 0; i+2 < len(text); i++ {
		if text[i] == '.' && text[i+1] == ' ' && text[i+2] >= 'A' && text[i+2] <= 'Z' {
			text = text[:i]
			break
		}
	}
	if len(text) > longestText {
		cut := strings.LastIndexByte(text[:longestText], ' ')
		if cut < longestText/2 {
			cut = longestText
		}
		text = strings.ToValidUTF8(text[:cut], "")
	}
	return strings.TrimRight(strings.TrimSpace(text), ".:;, ")
}
