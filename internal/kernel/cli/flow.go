package cli

import "slices"

// GoesOn begins what goes on of a line that was broken, so that it cannot pass
// for a line of its own.
const GoesOn = "↪ "

// MinWidth is the width below which nothing is laid out.
const MinWidth = 20

// Flow writes the parts as Line does. Where the page has a known width, a line
// that is longer is broken between words, with a mark before what goes on.
// Command lines that are meant to be copied belong into Line.
func (p *Page) Flow(parts ...any) {
	if p.Width <= 0 {
		p.Line(parts...)
		return
	}
	width := max(p.Width, MinWidth)
	var text []rune
	var codes []string
	for _, part := range parts {
		shown := []rune(plain(part))
		styled, _ := part.(Styled)
		text, codes = append(text, shown...), append(codes, slices.Repeat([]string{styled.code}, len(shown))...)
	}
	if cellsOf(text) <= width {
		p.Line(parts...)
		return
	}
	for room := width; len(text) > 0; room = width - Cells(GoesOn) {
		if room < width {
			p.put(GoesOn, 0)
		}
		n := Break(text, room)
		p.spans(text[:n], codes[:n])
		text, codes = text[n:], codes[n:]
	}
}

// spans writes one line of characters that each have a code.
func (p *Page) spans(text []rune, codes []string) {
	for len(text) > 0 {
		n := 1
		for n < len(text) && codes[n] == codes[0] {
			n++
		}
		p.put(Styled{string(text[:n]), codes[0]}, 0)
		text, codes = text[n:], codes[n:]
	}
	p.text.WriteByte('\n')
}

// Break returns how many characters of a text, at least one, stand in a line with
// room for so many columns: as many as fit, or fewer to break behind a space,
// unless that would leave half of the line empty.
func Break(text []rune, room int) int {
	fit, used := 0, 0
	for fit < len(text) && used+columns(text[fit]) <= room {
		used += columns(text[fit])
		fit++
	}
	if fit < len(text) {
		for n := fit; n > fit/2; n-- {
			if text[n-1] == ' ' {
				return n
			}
		}
	}
	return max(fit, 1)
}

// Clip shortens a text that stands elsewhere in full, with a mark.
func Clip(text string, width int) string {
	if Cells(text) <= width {
		return text
	}
	used := 0
	for i, r := range text {
		if used += columns(r); used > width-1 {
			return text[:i] + "…"
		}
	}
	return text
}

// Cells is how many columns a text takes at most.
func Cells(text string) int {
	n := 0
	for _, r := range text {
		n += columns(r)
	}
	return n
}

func cellsOf(text []rune) int {
	n := 0
	for _, r := range text {
		n += columns(r)
	}
	return n
}

// columns is how many columns a character takes at most.
func columns(r rune) int {
	if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
		r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f000) {
		return 2
	}
	return 1
}

// Fits reports whether rows fit the page as a table.
func (p *Page) Fits(rows [][]any) bool {
	if p.Width <= 0 {
		return true
	}
	widths := columnWidths(rows)
	for _, row := range rows {
		used := 0
		for i, cell := range row {
			if i == len(row)-1 {
				used += Cells(plain(cell))
				break
			}
			used += widths[i] + 2
		}
		if used > p.Width {
			return false
		}
	}
	return true
}
