package hcpx

import (
	"fmt"
	"strings"
	"time"

	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/card"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// picker is the list of requests to choose from, as a value that keys and
// arrivals change; it knows no terminal.
//
// Rules for what a key may do: a request that arrives never moves the choice
// away from the card in view. A yes takes two keys, and the first counts only
// for the card that was drawn when it was pressed, to its end. A no takes one.
type picker struct {
	items  []approval.Record
	chosen string // the id of the card in view
	armed  string // the id that the first key of a yes was for
	top    int    // the first line of the card that is drawn
	ended  bool   // the end of the card has been drawn
	says   string // what happened last
	watch  bool
	now    time.Time
}

// key is what a person pressed.
type key int

const (
	keyOther key = iota
	keyUp
	keyDown
	keyMore
	keyBack
	keyYes
	keyNo
	keyEnter
	keyQuit
)

// readKey reads one key from the beginning of what a terminal sent, and how
// many bytes it takes.
func readKey(sent []byte) (k key, n int) {
	if len(sent) == 0 {
		return keyOther, 0
	}
	for text, k := range map[string]key{
		"\x1b[A": keyUp, "\x1b[B": keyDown, "\x1bOA": keyUp, "\x1bOB": keyDown, "\x1b[6~": keyMore, "\x1b[5~": keyBack,
	} {
		if strings.HasPrefix(string(sent), text) {
			return k, len(text)
		}
	}
	switch sent[0] {
	case 'k', 'K':
		return keyUp, 1
	case 'j', 'J', '\t':
		return keyDown, 1
	case ' ':
		return keyMore, 1
	case 'b':
		return keyBack, 1
	case 'y', 'Y', 'a':
		return keyYes, 1
	case 'n', 'N', 'r':
		return keyNo, 1
	case '\r', '\n':
		return keyEnter, 1
	case 'q', 'Q', 3, 4:
		return keyQuit, 1
	case '\x1b':
		return keyOther, len(sent) // some other sequence, as a whole
	}
	return keyOther, 1
}

// act is what a key asks the program to do.
type act int

const (
	actNone act = iota
	actApprove
	actReject
	actQuit
)

// arrive takes up the requests that wait now.
func (p *picker) arrive(items []approval.Record, now time.Time) (fresh []approval.Record) {
	known := map[string]bool{}
	for i := range p.items {
		known[p.items[i].ID] = true
	}
	for _, r := range items {
		if !known[r.ID] {
			fresh = append(fresh, r)
		}
	}
	p.items, p.now = items, now
	if p.at() >= 0 {
		return fresh
	}
	if p.chosen != "" && p.says == "" {
		p.says = "request " + p.chosen + " does not wait any more"
	}
	p.choose(0)
	return fresh
}

// at is the place of the chosen request, or -1.
func (p *picker) at() int {
	for i := range p.items {
		if p.items[i].ID == p.chosen {
			return i
		}
	}
	return -1
}

// choose puts another card in view.
func (p *picker) choose(i int) {
	p.chosen, p.armed, p.top, p.ended = "", "", 0, false
	if len(p.items) > 0 {
		p.chosen = p.items[min(max(i, 0), len(p.items)-1)].ID
	}
}

// press takes a key.
func (p *picker) press(k key) (act, string) {
	armed := p.armed
	p.armed = ""
	if k == keyQuit {
		return actQuit, ""
	}
	if p.chosen == "" {
		return actNone, ""
	}
	switch k {
	case keyUp:
		p.says = ""
		p.choose(p.at() - 1)
	case keyDown:
		p.says = ""
		p.choose(p.at() + 1)
	case keyMore:
		if !p.ended {
			p.top += 5
		}
	case keyBack:
		p.top = max(0, p.top-5)
	case keyYes:
		if !p.ended {
			p.says = "not read to its end: space goes on"
			return actNone, ""
		}
		p.armed = p.chosen
	case keyEnter:
		if armed != "" && armed == p.chosen {
			return actApprove, p.chosen
		}
	case keyNo:
		return actReject, p.chosen
	case keyOther, keyQuit:
	}
	return actNone, ""
}

// decided drops the request that was answered and says what happened.
func (p *picker) decided(id, says string) {
	at := p.at()
	for i := range p.items {
		if p.items[i].ID == id {
			p.items = append(p.items[:i:i], p.items[i+1:]...)
			break
		}
	}
	p.choose(at)
	p.says = says
}

// minWidth is the width below which nothing is laid out.
const minWidth = 20

// draw puts the screen on a page of the given size: the list, the card in view,
// and the keys. Lines are broken to the width, so that what the terminal shows
// is what is counted here.
func (p *picker) draw(page *cli.Page, width, height int) {
	width, height = max(width, minWidth), max(height, 10)
	list := p.list(max(1, height/4))
	page.Line(page.Bold(fmt.Sprintf("%d waiting for you", len(p.items))), page.Dim(p.tail()))
	for _, row := range list {
		if row.chosen {
			page.Line(page.Bold("› " + clip(row.text, width-2)))
		} else {
			page.Line(page.Dim("  " + clip(row.text, width-2)))
		}
	}
	page.Line()
	p.drawCard(page, width, height-len(list)-6)
	page.Line()
	if p.says != "" {
		page.Line(page.Yellow(clip(p.says, width)))
	} else {
		page.Line()
	}
	if keys := p.keys(width); p.isArmed() {
		page.Line(page.Bold(keys))
	} else {
		page.Line(page.Dim(keys))
	}
}

// isArmed says that one key more is a yes.
func (p *picker) isArmed() bool { return p.armed != "" && p.armed == p.chosen }

func (p *picker) tail() string {
	if p.watch {
		return "  (watching)"
	}
	return ""
}

type pickRow struct {
	text   string
	chosen bool
}

// list are the rows around the chosen one.
func (p *picker) list(most int) []pickRow {
	from := max(0, min(p.at()-most/2, len(p.items)-most))
	var rows []pickRow
	for i := from; i < len(p.items) && len(rows) < most; i++ {
		r := &p.items[i]
		title := r.Request.Command
		if r.Request.View != nil {
			title = r.Request.View.Title
		}
		rows = append(rows, pickRow{card.Show(fmt.Sprintf("%s  %s %s  %s  %s", r.ID, r.Request.PackID, r.Request.Command, left(r.Expires, p.now), title)), r.ID == p.chosen})
	}
	return rows
}

func (p *picker) drawCard(page *cli.Page, width, height int) {
	height = max(height, 3)
	at := p.at()
	if at < 0 {
		page.Line(page.Dim(clip("a request appears here as soon as an agent asks", width)))
		p.ended = false
		return
	}
	r := &p.items[at]
	lines := []card.Line{{Part: card.PartRow, Label: card.Show(r.Request.PackName + " · " + r.Request.Summary)}, {Part: card.PartBlank}}
	if r.Request.View != nil {
		lines = append(lines, card.Format(r.Request.View, r.Request.CLI)...)
	}
	lines = append(lines, card.Line{Part: card.PartBlank}, card.Line{Part: card.PartRow, Label: "  " + card.Show(r.Request.Reason)})
	if r.Subject.Dir != "" {
		lines = append(lines, card.Line{Part: card.PartRow, Label: "  in " + card.Show(r.Subject.Dir)})
	}
	var broken []card.Line
	for _, line := range lines {
		broken = append(broken, breakLine(line, width)...)
	}
	p.top = max(0, min(p.top, len(broken)-height))
	end := min(len(broken), p.top+height)
	for _, line := range broken[p.top:end] {
		cardLine(page, line)
	}
	if end == len(broken) {
		p.ended = true
		return
	}
	page.Line(page.Yellow(clip("— "+fault.Count(int64(len(broken)-end), "more line", "more lines")+": space —", width)))
}

// keys are the keys that do something now, in the longest words that fit.
func (p *picker) keys(width int) string {
	long, short := "y Enter approve · n reject · ↑↓ choose · space more · q leave", "y Enter yes · n no · ↑↓ · space · q"
	switch {
	case p.isArmed():
		long, short = "approve "+p.armed+"? Enter says yes, any other key no", "Enter: yes to "+p.armed+"; else no"
	case p.chosen == "":
		long, short = "q leaves", "q leaves"
	}
	if cells(long) <= width {
		return long
	}
	return clip(short, width)
}

// breakLine breaks a line of a card to the width. What goes on begins with a
// mark, so that it cannot pass for a line of its own.
func breakLine(line card.Line, width int) []card.Line {
	if cells(line.String()) <= width {
		return []card.Line{line}
	}
	var out []card.Line
	rest := []rune(line.String())
	for first := true; len(rest) > 0; first = false {
		mark, room := "", width
		if !first {
			mark, room = "↪ ", width-2
		}
		n, used := 0, 0
		for n < len(rest) && used+cellsOf(rest[n]) <= room {
			used += cellsOf(rest[n])
			n++
		}
		n = max(betweenWords(rest, n), 1)
		piece := card.Line{Part: line.Part, Text: mark + string(rest[:n])}
		if text, ok := strings.CutPrefix(piece.Text, line.Label); first && ok {
			piece.Label, piece.Text = line.Label, text
		}
		out = append(out, piece)
		rest = rest[n:]
	}
	return out
}

// betweenWords moves a break back to behind a space, unless that would leave
// half of the line empty.
func betweenWords(text []rune, at int) int {
	if at >= len(text) {
		return at
	}
	for n := at; n > at/2; n-- {
		if text[n-1] == ' ' {
			return n
		}
	}
	return at
}

// clip shortens a line that repeats what is shown elsewhere, with a mark.
func clip(text string, width int) string {
	if cells(text) <= width {
		return text
	}
	used := 0
	for i, r := range text {
		if used += cellsOf(r); used > width-1 {
			return text[:i] + "…"
		}
	}
	return text
}

func cells(text string) int {
	n := 0
	for _, r := range text {
		n += cellsOf(r)
	}
	return n
}

// cellsOf is how many columns a character takes at most.
func cellsOf(r rune) int {
	if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
		r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f000) {
		return 2
	}
	return 1
}
