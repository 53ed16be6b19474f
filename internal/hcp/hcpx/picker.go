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

// draw puts the screen on a page of the given size: the list, the card in view,
// and the keys. Lines are broken to the width, so that what the terminal shows
// is what is counted here.
func (p *picker) draw(page *cli.Page, width, height int) {
	width, height = max(width, cli.MinWidth), max(height, 10)
	list := p.list(max(1, height/4), width-2)
	page.Line(fmt.Sprintf("%d waiting for you", len(p.items)), page.Dim(p.tail()))
	for _, row := range list {
		if row.chosen {
			page.Line(page.Bold("› " + cli.Clip(row.text, width-2)))
		} else {
			page.Line(page.Dim("  " + cli.Clip(row.text, width-2)))
		}
	}
	page.Line()
	p.drawCard(page, width, height-len(list)-6)
	page.Line()
	if p.says != "" {
		page.Line(page.Yellow(cli.Clip(p.says, width)))
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

// list are the rows around the chosen one, in columns: which, what, by which
// command where there is room for it, and how long it waits.
func (p *picker) list(most, width int) []pickRow {
	from := max(0, min(p.at()-most/2, len(p.items)-most))
	shown := p.items[from:min(len(p.items), from+most)]
	titles, calls, lefts := make([]string, len(shown)), make([]string, len(shown)), make([]string, len(shown))
	for i := range shown {
		titles[i] = titleOf(&shown[i])
		calls[i] = card.Show(shown[i].Request.PackID + " " + shown[i].Request.Command)
		lefts[i] = left(shown[i].Expires, p.now)
	}
	fixed := len("12345678") + widest(lefts) + 2*len("  ")
	room := width - fixed
	if with := room - widest(calls) - len("  "); with >= min(widest(titles), leastTitle) {
		room = with
	} else {
		calls = make([]string, len(shown))
	}
	room = min(room, widest(titles))
	rows := make([]pickRow, len(shown))
	for i := range shown {
		text := shown[i].ID + "  " + padded(cli.Clip(titles[i], room), room) + "  "
		if calls[i] != "" {
			text += padded(calls[i], widest(calls)) + "  "
		}
		rows[i] = pickRow{cli.Clip(text+strings.Repeat(" ", widest(lefts)-cli.Cells(lefts[i]))+lefts[i], width), shown[i].ID == p.chosen}
	}
	return rows
}

// leastTitle is how many columns a title keeps beside the name of its command.
const leastTitle = 28

// titleOf words a request in one line.
func titleOf(r *approval.Record) string {
	if r.Request.View != nil {
		return card.Show(r.Request.View.Title)
	}
	return card.Show(r.Request.Command)
}

func widest(texts []string) (most int) {
	for _, text := range texts {
		most = max(most, cli.Cells(text))
	}
	return most
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-cli.Cells(text)))
}

func (p *picker) drawCard(page *cli.Page, width, height int) {
	height = max(height, 3)
	at := p.at()
	if at < 0 {
		page.Line(page.Dim(cli.Clip("a request appears here as soon as an agent asks", width)))
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
	page.Line(page.Yellow(cli.Clip("— "+fault.Count(int64(len(broken)-end), "more line", "more lines")+": space —", width)))
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
	if cli.Cells(long) <= width {
		return long
	}
	return cli.Clip(short, width)
}

// breakLine breaks a line of a card to the width. What goes on stands below the
// value where there is room, and begins with a mark, so that it cannot pass for
// a line of its own.
func breakLine(line card.Line, width int) []card.Line {
	if cli.Cells(line.String()) <= width {
		return []card.Line{line}
	}
	var out []card.Line
	rest, label := []rune(line.String()), len([]rune(line.Label))
	below := strings.Repeat(" ", hang(line, width)-cli.Cells(cli.GoesOn)) + cli.GoesOn
	for room := width; len(rest) > 0; room = width - cli.Cells(below) {
		n := cli.Break(rest, room)
		piece := card.Line{Part: line.Part, Label: string(rest[:min(n, label)]), Text: string(rest[min(n, label):n])}
		switch {
		case len(out) > 0 && line.Part == card.PartRow:
			piece.Label = below + piece.Label
		case len(out) > 0:
			piece.Text = below + piece.Text
		}
		out = append(out, piece)
		rest, label = rest[n:], max(label-n, 0)
	}
	return out
}

// hang is how far in what goes on of a line begins, with its mark.
func hang(line card.Line, width int) int {
	switch label := cli.Cells(line.Label); {
	case line.Part == card.PartCommand:
		return len("  $ ")
	case line.Part == card.PartRow && line.Text != "" && label >= cli.Cells(cli.GoesOn) && label <= width/2:
		return label
	}
	return cli.Cells(cli.GoesOn)
}
