package cli

import (
	"fmt"
	"strings"

	"bridle/internal/kernel/redact"
)

// Page is text for a terminal. Every string that is put on it is made visible
// first; only the page's own colours are escape codes.
type Page struct {
	// Width is the number of columns, 0 when unknown.
	Width int
	color bool
	text  strings.Builder
}

// NewPage returns a page for a terminal.
func (c *Call) NewPage() *Page { return &Page{color: c.color(true)} }

// NewPlainPage returns a page for what is no terminal.
func (c *Call) NewPlainPage() *Page { return &Page{} }

// String returns the text of the page.
func (p *Page) String() string { return p.text.String() }

// Styled is a piece of text with a colour; its text is already visible.
type Styled struct{ text, code string }

// Bold styles a name.
func (p *Page) Bold(s string) Styled { return Styled{redact.Visible(s), "1"} }

// Dim styles text that matters less.
func (p *Page) Dim(s string) Styled { return Styled{redact.Visible(s), "2"} }

// Red styles what failed.
func (p *Page) Red(s string) Styled { return Styled{redact.Visible(s), "31"} }

// Green styles what is well.
func (p *Page) Green(s string) Styled { return Styled{redact.Visible(s), "32"} }

// Yellow styles what needs a look.
func (p *Page) Yellow(s string) Styled { return Styled{redact.Visible(s), "33"} }

// Line writes the parts, strings or Styled, and ends the line.
func (p *Page) Line(parts ...any) {
	for _, part := range parts {
		p.put(part, 0)
	}
	p.text.WriteByte('\n')
}

// Table writes rows in aligned columns. The last column is not padded.
func (p *Page) Table(rows [][]any) {
	widths := columnWidths(rows)
	for _, row := range rows {
		for i, cell := range row {
			if i == len(row)-1 {
				p.put(cell, 0)
				break
			}
			p.put(cell, widths[i]+2)
		}
		p.text.WriteByte('\n')
	}
}

func columnWidths(rows [][]any) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Cells(plain(cell)))
		}
	}
	return widths
}

// put writes a part padded to width columns.
func (p *Page) put(part any, width int) {
	text := plain(part)
	if styled, ok := part.(Styled); ok && p.color && text != "" && styled.code != "" {
		fmt.Fprintf(&p.text, "\x1b[%sm%s\x1b[0m", styled.code, text)
	} else {
		p.text.WriteString(text)
	}
	if pad := width - Cells(text); pad > 0 {
		p.text.WriteString(strings.Repeat(" ", pad))
	}
}

// plain returns the visible text of a part.
func plain(part any) string {
	if styled, ok := part.(Styled); ok {
		return styled.text
	}
	return redact.Visible(fmt.Sprint(part))
}

// Lines writes text that may have several lines.
func (p *Page) Lines(text string) {
	for line := range strings.Lines(text) {
		p.Line(strings.TrimRight(line, "\r\n"))
	}
}
