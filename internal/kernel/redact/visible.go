package redact

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s on one line with everything escaped that a terminal obeys,
// hides or moves. Kept are U+0020 and what Unicode counts as letters, marks,
// numbers, punctuation and symbols, but for those below that show nothing.
// Escaped, as \n \t \xNN \uNNNN or \UNNNNNNNN, are
//
//   - the C0 and C1 controls and DELETE: with ESCAPE and CONTROL SEQUENCE
//     INTRODUCER every ANSI sequence is plain text
//   - LINE SEPARATOR and PARAGRAPH SEPARATOR
//   - every format character (Cf): the bidirectional controls ARABIC LETTER
//     MARK, LEFT-TO-RIGHT and RIGHT-TO-LEFT MARK, EMBEDDING, OVERRIDE and
//     ISOLATE, POP DIRECTIONAL FORMATTING, FIRST STRONG ISOLATE, POP
//     DIRECTIONAL ISOLATE; ZERO WIDTH SPACE, NON-JOINER, JOINER and NO-BREAK
//     SPACE (the byte order mark), WORD JOINER, SOFT HYPHEN, MONGOLIAN VOWEL
//     SEPARATOR, the invisible operators, the interlinear annotation and
//     deprecated format characters, and the tag characters U+E0001 to U+E007F
//   - every space but U+0020, such as NO-BREAK SPACE and IDEOGRAPHIC SPACE
//   - the fillers and other blanks that count as letters, marks or symbols:
//     COMBINING GRAPHEME JOINER, HANGUL CHOSEONG, JUNGSEONG, plain and
//     HALFWIDTH FILLER, KHMER VOWEL INHERENT AQ and AA, the MONGOLIAN FREE
//     VARIATION SELECTORS, KHITAN SMALL SCRIPT FILLER, BRAILLE PATTERN BLANK,
//     MUSICAL SYMBOL NULL NOTEHEAD
//   - VARIATION SELECTOR-1 to -256, but for one of -15 and -16 after a symbol,
//     where it chooses between an emoji and its outline
//   - private use, unassigned and noncharacter code points
//   - bytes that are not UTF-8
//
// A backslash in s stays as it is, so Visible of its own result changes
// nothing; the result is for eyes, not for reading back.
func Visible(s string) string { return visible(s, false) }

// VisibleLines is Visible for text of several lines: line feeds and tabs stay,
// and a carriage return before a line feed is dropped.
func VisibleLines(s string) string { return visible(s, true) }

func visible(s string, lines bool) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	before := rune(0) // the character that was written just before, if it was
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		last := before
		before = 0
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x`)
			b.WriteString(hexByte(s[i]))
		case lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case lines && r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case shows(r) || isPresentation(r) && unicode.IsSymbol(last):
			b.WriteRune(r)
			before = r
		default:
			b.WriteString(escape(r))
		}
		i += n
	}
	return b.String()
}

// isPlain is true of most text.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// shows reports whether r alone leaves a mark on the screen where it stands.
func shows(r rune) bool {
	return strconv.IsPrint(r) && !isBlank(r)
}

// isBlank lists what strconv.IsPrint calls printable though it shows nothing.
func isBlank(r rune) bool {
	switch {
	case r < 0x34F:
		return false
	case r == 0x034F, // COMBINING GRAPHEME JOINER
		r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, // Hangul fillers
		r == 0x17B4, r == 0x17B5, // KHMER VOWEL INHERENT AQ, AA
		0x180B <= r && r <= 0x180F,   // Mongolian selectors and vowel separator
		r == 0x2800,                  // BRAILLE PATTERN BLANK
		0xFE00 <= r && r <= 0xFE0F,   // VARIATION SELECTOR-1 to -16
		r == 0x16FE4,                 // KHITAN SMALL SCRIPT FILLER
		r == 0x1D159,                 // MUSICAL SYMBOL NULL NOTEHEAD
		0xE0000 <= r && r <= 0xE0FFF: // tags, VARIATION SELECTOR-17 to -256
		return true
	default:
		return false
	}
}

// isPresentation reports whether r is VARIATION SELECTOR-15 or -16.
func isPresentation(r rune) bool { return r == 0xFE0E || r == 0xFE0F }

func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return `\x` + hexByte(byte(r))
	case r < 0x10000:
		return `\u` + hexByte(byte(r>>8)) + hexByte(byte(r))
	default:
		return `\U` + hexByte(byte(r>>24)) + hexByte(byte(r>>16)) + hexByte(byte(r>>8)) + hexByte(byte(r))
	}
}

func hexByte(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

// ValidUTF8 returns b as a valid string, with U+FFFD for each byte that is part
// of no character, and their number.
func ValidUTF8(b []byte) (s string, replaced int) {
	if utf8.Valid(b) {
		return string(b), 0
	}
	var out strings.Builder
	out.Grow(len(b) + 16)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			replaced++
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String(), replaced
}
