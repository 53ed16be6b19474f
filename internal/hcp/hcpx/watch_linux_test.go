package hcpx

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
)

// desk is a terminal that a test types at and looks at.
type desk struct {
	keys chan string

	mu      sync.Mutex
	screen  bytes.Buffer
	changed *sync.Cond
	closed  bool
}

func newDesk() *desk {
	d := &desk{keys: make(chan string, 8)}
	d.changed = sync.NewCond(&d.mu)
	return d
}

func (d *desk) Read(p []byte) (int, error) {
	text, open := <-d.keys
	if !open {
		return 0, io.EOF
	}
	return copy(p, text), nil
}

func (d *desk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if bytes.HasPrefix(p, []byte(home)) {
		d.screen.Reset()
	}
	d.screen.Write(p)
	d.changed.Broadcast()
	return len(p), nil
}

// await returns the screen once it shows a text.
func (d *desk) await(text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for !strings.Contains(d.screen.String(), text) && !d.closed {
		d.changed.Wait()
	}
	return d.screen.String()
}

// leave ends all waiting.
func (d *desk) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	d.changed.Broadcast()
}

// person is a call in a store of its own, with the ledger ready.
func person(t *testing.T) (*cli.Call, *local.Runtime) {
	t.Helper()
	dir := t.TempDir()
	c := &cli.Call{Invocation: cli.Invocation{
		Program: Name, Dir: dir, Home: dir, UserID: "uid-test", AccountHome: func() (string, error) { return "", errors.New("no such user") },
		Env: cli.NewEnv([]string{"NO_COLOR=1", "PATH=/usr/bin:/bin"}), Clock: clock.System(),
	}}
	rt, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := filepath.Abs("../../../packs/ledger")
	if err == nil {
		_, err = rt.Store.Install(t.Context(), ledger, store.InstallOptions{})
	}
	if err == nil {
		_, err = rt.Store.Activate(t.Context(), []string{"ledger"}, store.ActivateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return c, rt
}

func TestWatchShowsEachRequestAsItComesAndAnswersIt(t *testing.T) {
	c, rt := person(t)
	screen := newDesk()
	var told []string
	ch := &chooser{
		c: c, rt: rt, terminal: screen, size: func() (int, int) { return 80, 40 }, picker: picker{watch: true},
		notify: func(_ context.Context, r *approval.Record) { told = append(told, strings.Join(notice(r), " ")) },
	}
	done := make(chan error, 1)
	go func() {
		done <- ch.run(t.Context())
		screen.leave()
	}()
	pay := func(amount string, more hcp.Args) hcp.ExecResult {
		args := hcp.Args{"amount": amount, "payee": "demo-transit"}
		for name, value := range more {
			args[name] = value
		}
		return rt.Exec(t.Context(), "ledger", "transfer", args)
	}
	screen.await("a request appears here as soon as an agent asks")

	first := pay("2.80", nil)
	shown := screen.await("amount    2.80")
	if !strings.Contains(shown, "Pay demo-transit") || !strings.Contains(shown, "$ ledger transfer 2.80 --to demo-transit --confirm") {
		t.Errorf("the card is not in view:\n%s", shown)
	}
	screen.keys <- "y"
	screen.await("approve " + first.ApprovalID + "? Enter says yes")
	screen.keys <- "\r"
	screen.await("approved " + first.ApprovalID)
	if got := pay("2.80", nil); !got.OK {
		t.Errorf("after the yes: %+v", got)
	}

	second := pay("7.00", nil)
	screen.await("amount    7.00")
	screen.keys <- "n"
	screen.await("rejected " + second.ApprovalID)
	if got := pay("7.00", hcp.Args{"confirm": true}); got.Code != approval.CodeRejected {
		t.Errorf("after the no: %+v", got)
	}

	screen.keys <- "q"
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(told) != 2 || strings.Contains(strings.Join(told, ""), "2.80") || !strings.Contains(told[0], "ledger transfer") {
		t.Errorf("told %q", told)
	}
	if len(ch.told) != 2 || !strings.HasPrefix(ch.told[0], "approved "+first.ApprovalID) || !strings.HasPrefix(ch.told[1], "rejected "+second.ApprovalID) {
		t.Errorf("left behind: %q", ch.told)
	}
}

func TestWhatWasPastedOrCameInOneBreathIsNoYes(t *testing.T) {
	c, rt := person(t)
	ch := &chooser{c: c, rt: rt, terminal: newDesk(), size: func() (int, int) { return 80, 40 }}
	asked := rt.Exec(t.Context(), "ledger", "transfer", hcp.Args{"amount": "2.80", "payee": "demo-transit"})
	waiting, err := rt.Approvals().Waiting(t.Context())
	if err != nil || len(waiting) != 1 {
		t.Fatal(waiting, err)
	}
	ch.picker.arrive(waiting, c.Clock.Now())
	send := func(chunks ...string) approval.State {
		t.Helper()
		for _, chunk := range chunks {
			if err := ch.draw(); err != nil {
				t.Fatal(err)
			}
			if quit, err := ch.press(t.Context(), []byte(chunk)); quit || err != nil {
				t.Fatal(quit, err)
			}
		}
		r, _, err := rt.Approvals().Find(t.Context(), asked.ApprovalID)
		if err != nil {
			t.Fatal(err)
		}
		return r.State
	}
	for _, chunks := range [][]string{
		{"y\r"},
		{"yy\r\n"},
		{"x", "ls -l y\r"},
		{"yy\r"},
		{"y", "x\r"},
		{"\x1b[200~y", "\r", "n", "q\x1b[201~"},
		{"\x1b[200~y\x1b[201~", "\r"},
		{"\x1b[200~a\x1b[201~\x1b[200~n\x1b[201~"},
	} {
		if got := send(append(chunks, "x")...); got != approval.Open {
			t.Errorf("%q: %s", chunks, got)
		}
	}
	if got := send("y", "\r"); got != approval.Approved {
		t.Errorf("two keys: %s", got)
	}
}

func TestWatchEndsWhenItsProcessIsAskedToEnd(t *testing.T) {
	c, rt := person(t)
	screen := newDesk()
	ch := &chooser{c: c, rt: rt, terminal: screen, size: func() (int, int) { return 80, 24 }, picker: picker{watch: true}, notify: func(context.Context, *approval.Record) {}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- ch.run(ctx) }()
	screen.await("watching")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestNoticesComeFromAProgramOfTheMachine(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, notifyProgram)
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), notifyProgram)
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"": "", ".": "", "bin:.:": "", filepath.Dir(plain): "", filepath.Dir(plain) + ":" + dir: program, "relative:" + dir: program,
	} {
		if got := onPath(path, notifyProgram); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
