package hcpx

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bridle/hcp"
	"bridle/internal/hcp/approval"
	"bridle/internal/kernel/cli"
)

var pickTime = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// waiting makes a request whose card has the given number of lines of text.
func waiting(id string, lines int) approval.Record {
	view := &hcp.ApprovalView{Kind: "message", Title: "Send " + id}
	view.Fields.Set("body", "line"+strings.Repeat("\nline", lines))
	return approval.Record{
		ID: id, State: approval.Open, Created: pickTime, Expires: pickTime.Add(approval.Lifetime),
		Request: hcp.ApprovalRequest{PackID: "mail", Command: "send", View: view, CLI: "mail send", Reason: "because"},
	}
}

func drawn(p *picker, width, height int) []string {
	page := (&cli.Call{Invocation: cli.Invocation{Env: cli.NewEnv([]string{"NO_COLOR=1"})}}).NewPage()
	p.draw(page, width, height)
	return strings.Split(strings.TrimSuffix(page.String(), "\n"), "\n")
}

func TestAYesTakesTwoKeysForTheCardInView(t *testing.T) {
	var p picker
	p.arrive([]approval.Record{waiting("aaaa", 1), waiting("bbbb", 1)}, pickTime)
	drawn(&p, 80, 40)
	for _, keys := range [][]key{{keyEnter}, {keyYes, keyDown, keyEnter}, {keyYes, keyOther, keyEnter}, {keyYes, keyYes, keyOther, keyEnter}} {
		for _, k := range keys {
			if what, _ := p.press(k); what != actNone {
				t.Errorf("%v: answered", keys)
			}
			drawn(&p, 80, 40)
		}
	}
	p.choose(0)
	drawn(&p, 80, 40)
	p.press(keyYes)
	if what, id := p.press(keyEnter); what != actApprove || id != "aaaa" {
		t.Errorf("%v %q", what, id)
	}
	if what, id := p.press(keyNo); what != actReject || id != "aaaa" {
		t.Errorf("%v %q", what, id)
	}
}

func TestAnArrivalNeverMovesTheCardFromUnderTheFinger(t *testing.T) {
	var p picker
	p.arrive([]approval.Record{waiting("aaaa", 1)}, pickTime)
	drawn(&p, 80, 40)
	p.press(keyYes)
	if fresh := p.arrive([]approval.Record{waiting("zzzz", 1), waiting("aaaa", 1)}, pickTime); len(fresh) != 1 || fresh[0].ID != "zzzz" {
		t.Errorf("fresh %v", fresh)
	}
	if what, id := p.press(keyEnter); what != actApprove || id != "aaaa" {
		t.Errorf("%v %q", what, id)
	}
	// The card in view goes: the first key of a yes was not for the next one.
	drawn(&p, 80, 40)
	p.press(keyYes)
	p.arrive([]approval.Record{waiting("zzzz", 1)}, pickTime)
	drawn(&p, 80, 40)
	if what, id := p.press(keyEnter); what != actNone {
		t.Errorf("%v %q", what, id)
	}
	if !strings.Contains(p.says, "aaaa does not wait any more") {
		t.Errorf("%q", p.says)
	}
}

func TestALongCardIsReadToItsEndBeforeAYes(t *testing.T) {
	var p picker
	p.arrive([]approval.Record{waiting("aaaa", 60)}, pickTime)
	screen := strings.Join(drawn(&p, 80, 24), "\n")
	if !strings.Contains(screen, "more lines: space") {
		t.Fatal(screen)
	}
	p.press(keyYes)
	if what, _ := p.press(keyEnter); what != actNone || !strings.Contains(p.says, "end") {
		t.Fatalf("a yes before the end: %q", p.says)
	}
	for range 40 {
		p.press(keyMore)
		drawn(&p, 80, 24)
	}
	if !strings.Contains(strings.Join(drawn(&p, 80, 24), "\n"), "$ mail send") {
		t.Error("the end does not show")
	}
	p.press(keyYes)
	if what, _ := p.press(keyEnter); what != actApprove {
		t.Error("no yes after the end")
	}
}

// Whatever is pressed and whatever comes and goes, the screen has room for what
// is drawn and an answer is for the card that was drawn.
func TestTheScreenHoldsAndAnswersAreForTheCardInView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(24, 120).Draw(t, "width"), rapid.IntRange(16, 50).Draw(t, "height")
		var p picker
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "arrive") {
				var items []approval.Record
				for i := range rapid.IntRange(0, 6).Draw(t, "n") {
					items = append(items, waiting(fmt.Sprintf("id%02d", i+rapid.IntRange(0, 1).Draw(t, "shift")*50), rapid.IntRange(0, 30).Draw(t, "lines")))
				}
				p.arrive(items, pickTime)
			}
			lines := drawn(&p, width, height)
			if len(lines) > height {
				t.Fatalf("%d lines on a screen of %d:\n%s", len(lines), height, strings.Join(lines, "\n"))
			}
			for _, line := range lines {
				if cli.Cells(line) > width+1 && !strings.Contains(line, "waiting for you") {
					t.Fatalf("%d columns of %d: %q", cli.Cells(line), width, line)
				}
			}
			shown := p.chosen
			what, id := p.press(key(rapid.IntRange(0, int(keyQuit)).Draw(t, "key")))
			if (what == actApprove || what == actReject) && id != shown {
				t.Fatalf("%v of %q while %q was shown", what, id, shown)
			}
			if what == actApprove || what == actReject {
				p.decided(id, "done")
			}
		}
	})
}

func TestKeysAsTerminalsSendThem(t *testing.T) {
	for sent, want := range map[string]key{
		"\x1b[A": keyUp, "\x1b[B": keyDown, "k": keyUp, "j": keyDown, " ": keyMore, "\x1b[6~": keyMore, "y": keyYes, "n": keyNo,
		"\r": keyEnter, "\n": keyEnter, "q": keyQuit, "\x03": keyQuit, "\x04": keyQuit, "\x1b[200~": keyOther, "x": keyOther, "": keyOther,
	} {
		if got, n := readKey([]byte(sent)); got != want || n > len(sent) || n == 0 && sent != "" {
			t.Errorf("%q: %v, %d", sent, got, n)
		}
	}
}

func TestWhatGoesOnOfALongLineIsMarked(t *testing.T) {
	p := picker{}
	r := waiting("aaaa", 0)
	r.Request.CLI = "mail send " + strings.Repeat("word ", 40) + "\n  $ rm -rf"
	p.arrive([]approval.Record{r}, pickTime)
	for i, line := range drawn(&p, 60, 40) {
		if strings.HasPrefix(line, "  $ ") && !strings.Contains(line, "mail send word") {
			t.Errorf("line %d passes for a command: %q", i, line)
		}
	}
}

func TestANoticeHoldsNoMarkupNoOptionAndNoValue(t *testing.T) {
	r := waiting("aaaa", 0)
	r.Request.PackID, r.Request.Command = "--icon=<b>x</b>\x1b[0m\u202e", "send"
	r.Request.View.Title, r.Request.CLI = "Log in with hunter2", "mail login hunter2"
	words := notice(&r)
	last := words[len(words)-1]
	if strings.ContainsAny(last, "<>&\x1b\u202e") || words[len(words)-3] != "--" || strings.Contains(strings.Join(words, " "), "hunter2") {
		t.Errorf("%q", words)
	}
}

// Whatever fills the line up to the edge of the screen, the rest of a value does
// not begin a line as a row of the card does.
func TestTheRestOfAValueCannotPassForARow(t *testing.T) {
	for _, filler := range []string{" ", "x", "x ", "\u00a0", "\u3000", "\u2003", "\u2800", "\u3164", "é", "日"} {
		for width := 20; width <= 90; width++ {
			for n := range 2 * width {
				view := &hcp.ApprovalView{Kind: "payment", Title: "Pay"}
				view.Fields.Set("amount", "2.80")
				view.Fields.Set("memo", strings.Repeat(filler, n)+"  amount  0.01")
				page := &cli.Page{Width: width}
				printCard(page, &hcp.ApprovalRequest{View: view})
				rows := 0
				for line := range strings.Lines(page.String()) {
					if cli.Cells(strings.TrimSuffix(line, "\n")) > width {
						t.Fatalf("width %d: %q", width, line)
					}
					if strings.HasPrefix(strings.TrimLeft(line, " "), "amount") {
						rows++
					}
				}
				if rows != 1 {
					t.Fatalf("%d of %q at width %d:\n%s", n, filler, width, page.String())
				}
			}
			if testing.Short() {
				width += 9
			}
		}
	}
}

func TestKeysAreToldInWordsThatFit(t *testing.T) {
	for _, armed := range []bool{false, true} {
		p := picker{}
		p.arrive([]approval.Record{waiting("5ea7eb29", 1)}, pickTime)
		drawn(&p, 40, 40)
		if armed {
			p.press(keyYes)
		}
		for _, width := range []int{40, 100} {
			last := drawn(&p, width, 40)
			if text := last[len(last)-1]; strings.Contains(text, "…") || !strings.Contains(text, "Enter") {
				t.Errorf("at %d: %q", width, text)
			}
		}
	}
}
