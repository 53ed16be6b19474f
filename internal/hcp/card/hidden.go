package card

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"bridle/hcp"
	"bridle/internal/kernel/redact"
)

// hidden raises a signal for each argument with characters that a person would
// not see as what they are, and for the pack's own words alike.
func (b *builder) hidden() []string {
	var found []string
	look := func(name string, value any) {
		invisible, alike := false, false
		walk(value, func(text string) {
			invisible = invisible || redact.VisibleLines(text) != text
			alike = alike || len(lookAlikes(text)) > 0
		})
		if invisible {
			found = append(found, fmt.Sprintf("%q has characters that are invisible or move other text; they are shown escaped", name))
		}
		if alike {
			found = append(found, fmt.Sprintf("%q has letters of another script that look like common ones; they are shown escaped", name))
		}
	}
	for _, name := range b.order {
		look(name, b.args[name])
	}
	for name, value := range b.view.Fields.All() {
		if len(b.view.Sources[name]) == 0 {
			look(name, value)
		}
	}
	return slices.Compact(found)
}

// walk visits every text of a value, the names of members among them.
func walk(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, item := range v {
			walk(item, visit)
		}
	case map[string]any:
		for name, member := range v {
			visit(name)
			walk(member, visit)
		}
	case hcp.Args:
		walk(map[string]any(v), visit)
	}
}

// Show is a text of one line with everything escaped that a person would not
// see as what it is.
func Show(text string) string { return redact.Visible(escapeAlike(text)) }

// showLines is Show for a text that keeps its lines.
func showLines(text string) string { return redact.VisibleLines(escapeAlike(text)) }

func escapeAlike(text string) string {
	at := lookAlikes(text)
	if len(at) == 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case !at[i]:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// alikes are letters of Cyrillic, Greek, Armenian and Cherokee, and a few
// Latin ones, that a common typeface draws as an ASCII letter or digit.
const alikes = "аеорсухіјѕһԁԛԝӏѵԍгвнкмтьбз" + "АВЕКМНОРСТУХІЈЅҮԌЗ" +
	"αογνιρυκτωΑΒΕΖΗΙΚΜΝΟΡΤΥΧϳ" + "օսոհյցքզѕգԼՕՍ" + "ᎪᏴᏟᎠᎬᎫᎻᎥᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ" + "ıɡɑɩʟℓⅼⅽⅾⅿꞌʼ"

// lookAlikes returns the places of the letters that may pass for others: forms
// of ASCII characters from elsewhere in Unicode; letters of another script in a
// word that has Latin ones; and a word that is nothing but letters that look
// Latin, in a text that shows no other sign of their script.
func lookAlikes(text string) map[int]bool {
	if isASCII(text) {
		return nil
	}
	var found map[int]bool
	mark := func(i int) {
		if found == nil {
			found = map[int]bool{}
		}
		found[i] = true
	}
	for i, r := range text {
		if isForm(r) {
			mark(i)
		}
	}
	foreign := strings.ContainsFunc(text, func(r rune) bool { return isConfusingScript(r) && !strings.ContainsRune(alikes, r) })
	for _, w := range wordsOf(text) {
		w.judge(foreign, mark)
	}
	return found
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// isForm reports whether a character is another form of an ASCII one: full
// width, mathematical, enclosed, of a ligature, a Roman numeral, or a digit
// that is none of ours.
func isForm(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case 0xFF01 <= r && r <= 0xFF5E, 0x1D400 <= r && r <= 0x1D7FF, 0x2160 <= r && r <= 0x217F,
		0x249C <= r && r <= 0x24E9, 0x1F130 <= r && r <= 0x1F189, 0xFB00 <= r && r <= 0xFB06,
		r == 0x2024, r == 0x2044, r == 0x2215, r == 0xFF0F, r == 0x2236, r == 0xA789, r == 0x02D0,
		r == 0x3002, r == 0xFF61, r == 0x0589, 0x2010 <= r && r <= 0x2012, r == 0x2212:
		return true
	}
	return unicode.Is(unicode.Nd, r)
}

func isConfusingScript(r rune) bool {
	return unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee)
}

// word is a run of letters and what joins them in names and addresses, with
// the place of each character.
type word struct {
	runes []rune
	at    []int
}

func wordsOf(text string) []word {
	var all []word
	var w word
	flush := func() {
		if len(w.runes) > 0 {
			all = append(all, w)
		}
		w = word{}
	}
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.@+/:", r) {
			w.runes, w.at = append(w.runes, r), append(w.at, i)
			continue
		}
		flush()
	}
	flush()
	return all
}

func (w word) judge(foreign bool, mark func(int)) {
	latin, confusing, others := false, 0, false
	for _, r := range w.runes {
		switch {
		case isConfusingScript(r):
			confusing++
			others = others || !strings.ContainsRune(alikes, r)
		case r > 0x7f && strings.ContainsRune(alikes, r):
			confusing++
		case unicode.Is(unicode.Latin, r):
			latin = true
		}
	}
	if confusing == 0 || !latin && (others || foreign || confusing < 2) {
		return
	}
	for i, r := range w.runes {
		if isConfusingScript(r) || r > 0x7f && strings.ContainsRune(alikes, r) {
			mark(w.at[i])
		}
	}
}
