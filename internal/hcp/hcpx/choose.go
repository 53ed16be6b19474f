package hcpx

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// look is how often the list looks for requests.
const look = 250 * time.Millisecond

// The escape codes of the full screen: another page of the terminal without a
// cursor, where pasted text comes between marks, and back.
const (
	screenOn  = "\x1b[?1049h\x1b[?25l\x1b[?2004h"
	screenOff = "\x1b[?2004l\x1b[?25h\x1b[?1049l"
	home      = "\x1b[H\x1b[2J"
	pasteOn   = "\x1b[200~"
	pasteOff  = "\x1b[201~"
)

// chooser runs the picker on the controlling terminal.
type chooser struct {
	c        *cli.Call
	rt       *local.Runtime
	terminal io.ReadWriter
	size     func() (width, height int)
	picker   picker
	told     []string
	pasting  bool
	notify   func(ctx context.Context, r *approval.Record)
}

// choose lets the person at the terminal answer the requests that wait.
func choose(ctx context.Context, c *cli.Call, watch bool) (cli.Result, error) {
	rt, err := Open(ctx, c)
	if err != nil {
		return cli.Result{}, err
	}
	waiting, err := rt.Approvals().Waiting(ctx)
	if err != nil {
		return cli.Result{}, err
	}
	if len(waiting) == 0 && !watch {
		return cli.Result{Value: approvalsResult{OK: true, Approvals: []waitingRow{}}, Text: approvalsResult{}.print}, nil
	}
	if c.Env.Get("TERM") == "dumb" {
		return cli.Result{}, fault.New(cli.CodeUsage, "this terminal has no screen to draw the list on").
			WithHint("name the request instead: hcpx approve <id>").WithNext("hcpx approvals")
	}
	terminal, err := c.Terminal.Open()
	if err != nil {
		return cli.Result{}, fault.New(CodeHumanOnly, "the terminal cannot be opened").Because(err)
	}
	defer func() { _ = terminal.Close() }()
	size, restore, err := cli.RawTerminal(terminal)
	if err != nil {
		return cli.Result{}, fault.New(CodeHumanOnly, "the terminal cannot be set up to read single keys").
			WithHint("name the request instead: hcpx approve <id>").WithNext("hcpx approvals").Because(err)
	}
	ch := &chooser{c: c, rt: rt, terminal: terminal, size: size, picker: picker{watch: watch}, notify: notifier(c)}
	err = ch.write(screenOn)
	if err == nil {
		err = ch.run(ctx)
	}
	err = errors.Join(err, ch.write(screenOff), restore())
	told := ch.told
	return cli.Result{Value: nil, Raw: strings.Join(append(told, ""), "\n")}, err
}

func (ch *chooser) write(text string) error {
	_, err := io.WriteString(ch.terminal, text)
	return err
}

// run takes keys and arrivals until the person leaves, or, without watching,
// nothing waits any more.
func (ch *chooser) run(ctx context.Context) error {
	keys := make(chan []byte)
	go func() {
		for {
			buffer := make([]byte, 4096)
			n, err := ch.terminal.Read(buffer)
			if err != nil || n == 0 {
				close(keys)
				return
			}
			keys <- buffer[:n]
		}
	}()
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for first := true; ; first = false {
		waiting, err := ch.rt.Approvals().Waiting(ctx)
		if err != nil {
			return err
		}
		fresh := ch.picker.arrive(waiting, ch.c.Clock.Now())
		if !first {
			for i := range fresh {
				ch.notify(ctx, &fresh[i])
			}
		}
		if len(waiting) == 0 && !ch.picker.watch {
			return nil
		}
		if err := ch.draw(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		case sent, open := <-keys:
			if !open {
				return nil
			}
			if quit, err := ch.press(ctx, sent); quit || err != nil {
				return err
			}
		}
	}
}

// press handles what the terminal sent. Only its first key may answer: what
// comes in the same breath was not pressed for the card that follows, nor is it
// the second key of a yes. What was pasted was not pressed at all.
func (ch *chooser) press(ctx context.Context, sent []byte) (quit bool, err error) {
	first := true
	for sent = ch.typed(sent); len(sent) > 0; first = false {
		k, n := readKey(sent)
		sent = sent[max(n, 1):]
		if k == keyEnter && !first {
			k = keyOther
		}
		what, id := ch.picker.press(k)
		switch what {
		case actQuit:
			return true, nil
		case actApprove, actReject:
			return false, ch.decide(ctx, id, what == actApprove)
		case actNone:
		}
		if err := ch.draw(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// typed is what was sent without what was pasted.
func (ch *chooser) typed(sent []byte) []byte {
	var keys []byte
	for len(sent) > 0 {
		mark := pasteOn
		if ch.pasting {
			mark = pasteOff
		}
		before, after, found := bytes.Cut(sent, []byte(mark))
		if !ch.pasting {
			keys = append(keys, before...)
		}
		if !found {
			break
		}
		ch.pasting, sent = !ch.pasting, after
	}
	return keys
}

func (ch *chooser) decide(ctx context.Context, id string, yes bool) error {
	record, err := ch.rt.Approvals().Decide(ctx, id, yes)
	if fault.Is(err, approval.CodeBadApproval) {
		ch.picker.decided(id, fault.From(err).Message)
		return nil
	}
	if err != nil {
		return err
	}
	word := "rejected "
	if yes {
		word = "approved "
	}
	says := word + id + ": " + titleOf(&record)
	ch.told = append(ch.told, says)
	ch.picker.decided(id, says)
	return nil
}

func (ch *chooser) draw() error {
	width, height := ch.size()
	page := ch.c.NewPage()
	ch.picker.draw(page, width, height)
	text := strings.ReplaceAll(strings.TrimSuffix(page.String(), "\n"), "\n", "\r\n")
	return ch.write(home + text)
}
