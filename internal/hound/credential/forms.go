package credential

import (
	"encoding/base32"
	"encoding/binary"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// shortestPart is the length from which a part of a value, or a form that is
// seldom used, is looked for: shorter ones turn up by chance.
const shortestPart = 4

// partsOf are the pieces of a value that are secrets by themselves: what a URL has
// before its host, the password in there, and what its query says under a name that
// promises a secret, each as it stands and without its escapes.
func partsOf(value string) (parts []string) {
	add := func(part string) {
		if plain, err := url.PathUnescape(part); err == nil && plain != part && len(plain) >= shortestPart {
			parts = append(parts, plain)
		}
		if len(part) >= shortestPart {
			parts = append(parts, part)
		}
	}
	_, rest, isURL := strings.Cut(value, "://")
	if !isURL {
		return nil
	}
	rest, query, _ := strings.Cut(rest, "?")
	if end := strings.IndexAny(rest, "/#"); end >= 0 {
		rest = rest[:end]
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, password, both := strings.Cut(rest[:at], ":")
		if both && password != "" {
			add(password)
		} else {
			add(user) // a token in the place of a name
		}
	}
	query, _, _ = strings.Cut(query, "#")
	for pair := range strings.SplitSeq(query, "&") {
		if name, part, _ := strings.Cut(pair, "="); IsSecretName(name) {
			add(part)
		}
	}
	return parts
}

// rareForms are a value in UTF-16, of either order, and in base32, wherever in its
// groups of five bytes it begins.
func rareForms(value string) (forms [][]byte) {
	if len(value) < shortestPart {
		return nil
	}
	var little, big []byte
	for _, unit := range utf16.Encode([]rune(value)) {
		little = binary.LittleEndian.AppendUint16(little, unit)
		big = binary.BigEndian.AppendUint16(big, unit)
	}
	// Both without the zero that a Latin letter has at the outer end: what stands
	// there belongs to the form, and what is cut off at the end of a text does not.
	forms = append(forms, little[:len(little)-1], big[1:])
	const bits, group = 5, 5
	for shift := range group {
		encoded := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(append(make([]byte, shift), value...))
		core := encoded[(8*shift+bits-1)/bits : 8*(shift+len(value))/bits]
		forms = append(forms, []byte(core), []byte(strings.ToLower(core)))
	}
	return forms
}

// unescaped are the readings of a text without the escapes of programming languages
// and of markup. Text may be escaped more than once; what goes deeper than anybody
// escapes is left.
func unescaped(data []byte) (readings []string) {
	const most = 3
	text := string(data)
	for range most {
		again := text
		if strings.Contains(again, `\`) {
			text = withoutBackslashes(again, false)
			readings = append(readings, text)
		}
		if strings.Contains(again, `\0`) {
			text = withoutBackslashes(again, true)
			readings = append(readings, text)
		}
		if strings.Contains(text, "&") {
			text = html.UnescapeString(text)
			readings = append(readings, text)
		}
		if text == again {
			break
		}
	}
	return readings
}

// hexDigits is how many hexadecimal digits may follow a letter behind a backslash.
func hexDigits(letter byte) int {
	switch letter {
	case 'x':
		return 2
	case 'u':
		return 4
	case 'U':
		return 8
	}
	return 0
}

// withoutBackslashes reads the escapes of C, of scripts and of shells: octal, which
// may have a zero before its three digits, hexadecimal, and code points.
func withoutBackslashes(text string, longOctal bool) string {
	var b strings.Builder
	b.Grow(len(text))
	for {
		at := strings.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at])
		text = text[at+1:]
		n := escape(&b, text, longOctal)
		if n == 0 {
			if text[0] != '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(text[0])
			n = 1
		}
		text = text[n:]
	}
}

// escape writes what an escape stands for and returns its length without the
// backslash; 0 for none.
func escape(b *strings.Builder, text string, longOctal bool) int {
	const octal, hexadecimal = "01234567", "0123456789abcdefABCDEF"
	if n := digits(text, octal, 3); n > 0 {
		if longOctal && text[0] == '0' {
			n = digits(text, octal, 4)
		}
		value, err := strconv.ParseUint(text[:n], 8, 8)
		if err != nil {
			return 0
		}
		b.WriteByte(byte(value))
		return n
	}
	most := hexDigits(text[0])
	if most == 0 {
		return 0
	}
	from, end := 1, 1+digits(text[1:], hexadecimal, most)
	length := end
	if strings.HasPrefix(text[1:], "{") {
		from, end = 2, 2+digits(text[2:], hexadecimal, 8)
		if length = end + 1; !strings.HasPrefix(text[end:], "}") {
			return 0
		}
	}
	value, err := strconv.ParseUint(text[from:end], 16, 32)
	switch {
	case err != nil:
		return 0
	case text[0] == 'x' && from == 1:
		b.WriteByte(byte(value))
	case value > utf8.MaxRune:
		return 0
	default:
		b.WriteRune(rune(value))
	}
	return length
}

// digits is how many of the first characters are among some.
func digits(text, among string, most int) int {
	n := 0
	for n < min(len(text), most) && strings.IndexByte(among, text[n]) >= 0 {
		n++
	}
	return n
}
