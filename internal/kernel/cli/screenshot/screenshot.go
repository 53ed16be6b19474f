// Package screenshot draws what a program wrote on a terminal as an SVG file, and
// holds the pictures of the documentation to what the programs really write.
//
// It knows the escape codes that package cli writes, and refuses every other
// one: a picture never leaves out what a terminal would show. A line that is
// longer than the screen goes on in the next one, as on a terminal.
package screenshot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/durable"
)

// The measures of a picture, in pixels.
const (
	cell   = 8.4 // the width of a column
	line   = 18  // the height of a row
	margin = 16
)

const (
	plainColour = "#d5d8e0"
	background  = "#1a1b26"
)

// styles are the colours of the escape codes.
var styles = map[string]string{
	"0": `fill="` + plainColour + `"`, "1": `fill="` + plainColour + `" font-weight="bold"`, "2": `fill="#7a8194"`,
	"31": `fill="#f07178"`, "32": `fill="#9ece6a"`, "33": `fill="#e0af68"`,
}

// span is a piece of a row in one style.
type span struct {
	column, columns int
	code, text      string
}

// Draw draws what a terminal of so many columns shows of a text.
func Draw(text string, columns int) ([]byte, error) {
	rows, err := layOut(text, columns)
	if err != nil {
		return nil, err
	}
	widest := 0
	for _, row := range rows {
		for _, s := range row {
			widest = max(widest, s.column+s.columns)
		}
	}
	var b bytes.Buffer
	width, height := int(float64(widest)*cell+0.5)+2*margin, len(rows)*line+margin+line/2
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="14">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	for i, row := range rows {
		for _, s := range row {
			if strings.TrimSpace(s.text) == "" {
				continue
			}
			fmt.Fprintf(&b, `<text xml:space="preserve" x="%.1f" y="%d" textLength="%.1f" %s>`, margin+float64(s.column)*cell, 26+i*line, float64(s.columns)*cell, styles[s.code])
			_ = xml.EscapeText(&b, []byte(s.text)) // a buffer takes everything
			b.WriteString("</text>\n")
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// layOut puts a text into rows of spans.
func layOut(text string, columns int) (rows [][]span, err error) {
	var row []span
	code, column := "0", 0
	next := func() {
		rows, row, column = append(rows, row), nil, 0
	}
	for text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"); text != ""; {
		if after, ok := strings.CutPrefix(text, "\x1b["); ok {
			if code, text, ok = strings.Cut(after, "m"); !ok || styles[code] == "" {
				return nil, fmt.Errorf("unknown escape code %.12q", after)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		if r == '\n' {
			next()
			continue
		}
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return nil, fmt.Errorf("unknown character %q", r)
		}
		wide := cli.Cells(string(r))
		if column+wide > columns {
			next()
		}
		if len(row) == 0 || row[len(row)-1].code != code {
			row = append(row, span{column: column, code: code})
		}
		last := &row[len(row)-1]
		last.text, last.columns = last.text+string(r), last.columns+wide
		column += wide
	}
	next()
	return rows, nil
}

// Hold fails unless the file holds the picture of a text, or, with update, writes
// it anew.
func Hold(t *testing.T, file string, update bool, text string, columns int) {
	t.Helper()
	want, err := Draw(text, columns)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if update {
		if err := durable.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s does not show what the program writes now (%v): run this test with -update and look at it\n%s", file, err, text)
	}
}
