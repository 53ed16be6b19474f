package hcpx

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/card"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/cli/screenshot"
	"bridle/internal/kernel/clock"
)

var update = flag.Bool("update", false, "write the pictures of the documentation anew")

// nobodyTypes is a terminal without anyone at it.
type nobodyTypes struct{ bytes.Buffer }

func (*nobodyTypes) Close() error { return nil }

// studio is a store whose screens are the pictures of the documentation: what
// differs from one run to the next is put in place of by what a reader may see.
type studio struct {
	t    *testing.T
	home string
	now  time.Time
}

func newStudio(t *testing.T) *studio {
	s := &studio{t: t, home: t.TempDir(), now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
	packs, err := filepath.Abs("../../../packs")
	work := filepath.Join(s.home, "work")
	err = errors.Join(err, os.MkdirAll(filepath.Join(work, ".hcp"), 0o755), os.MkdirAll(filepath.Join(work, ".git", "objects"), 0o755), os.Mkdir(filepath.Join(work, ".git", "refs"), 0o755))
	if err = errors.Join(err, os.WriteFile(filepath.Join(work, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"ledger", "transit", "git"} {
		s.run("install", filepath.Join(packs, id))
	}
	s.run("activate", "ledger", "transit", "git")
	return s
}

func (s *studio) invocation(words ...string) cli.Invocation {
	return cli.Invocation{
		Program: Name, Args: words, Dir: filepath.Join(s.home, "work"), Home: s.home, UserID: "uid-test",
		AccountHome: func() (string, error) { return "", errors.New("no such user") },
		Env:         cli.NewEnv([]string{"TERM=xterm", "PATH=/usr/bin:/bin"}),
		Stdin:       strings.NewReader(""), Clock: clock.Fixed(s.now),
		Terminal: cli.Terminal{Stdout: true, Stderr: true, Width: columns, Open: func() (io.ReadWriteCloser, error) { return &nobodyTypes{}, nil }},
	}
}

// columns is the width of the pictures.
const columns = 80

// run returns what a person sees of a command line, a second and a half after
// the one before.
func (s *studio) run(words ...string) string {
	s.t.Helper()
	var screen bytes.Buffer
	inv := s.invocation(words...)
	inv.Stdout, inv.Stderr = &screen, &screen
	App().Run(context.Background(), inv)
	s.now = s.now.Add(1500 * time.Millisecond)
	line := append([]string{"\x1b[2m$", Name}, words...)
	return strings.Join(line, " ") + "\x1b[0m\n" + screen.String()
}

// waiting returns the requests of the store, with ids and a folder as they are
// in the pictures.
func (s *studio) waiting(ids ...string) []approval.Record {
	s.t.Helper()
	rt, err := Open(s.t.Context(), &cli.Call{Invocation: s.invocation()})
	if err != nil {
		s.t.Fatal(err)
	}
	records, err := rt.Approvals().Waiting(s.t.Context())
	if err != nil || len(records) != len(ids) {
		s.t.Fatal(records, err)
	}
	for i := range records {
		records[i].ID, records[i].Subject.Dir = ids[i], "/home/ann/work"
	}
	return records
}

// chooser is the list of requests after some keys, on a screen with so many rows.
func (s *studio) chooser(p *picker, records []approval.Record, rows int, keys ...key) string {
	c := &cli.Call{Invocation: s.invocation()}
	p.arrive(records, s.now)
	page := c.NewPage()
	p.draw(page, columns, rows)
	for _, k := range keys {
		p.press(k)
		page = c.NewPage()
		p.draw(page, columns, rows)
	}
	return page.String()
}

// The pictures of the documentation are what the program writes.
func TestPicturesShowWhatThePersonSees(t *testing.T) {
	s := newStudio(t)
	hold := func(name, text string) {
		t.Helper()
		screenshot.Hold(t, filepath.Join("../../../docs/screens", name), *update, text, columns)
	}
	hold("card.svg", s.run("preview", "ledger", "transfer", "--", "amount=7.00", "payee=demo-transit"))

	s.run("mode", "manual", "--pack", "git")
	s.run("deny", "ledger.setup.apply", "--note", "not today")
	s.run("allow", "ledger.transfer", "--when", "payee=demo-transit", "--max", "amount=5", "--note", "fares")
	s.run("allow", "git.log")
	project := filepath.Join(s.home, "work", ".hcp", "access.json")
	if err := os.WriteFile(project, []byte(`{"mode":"run","rules":[{"match":"git.commit","decision":"ask"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	hold("access.svg", s.run("access"))

	s.run("exec", "ledger", "transfer", "--", "amount=2.80", "payee=demo-transit")
	s.run("exec", "transit", "find", "--", "query=main")
	s.run("exec", "ledger", "setup.apply")
	s.run("exec", "ledger", "transfer", "--", "amount=12.00", "payee=demo-rent")
	hold("audit.svg", s.run("audit", "--limit", "5"))
	hold("watch.svg", s.chooser(&picker{watch: true}, s.waiting("6110e513"), 22))

	s.now = s.now.Add(2 * time.Minute)
	s.run("exec", "ledger", "transfer", "--args", `{"amount":"9.50","payee":"demo-grocer","memo":"two\nlines \u202e evil"}`)
	hold("choose.svg", s.chooser(&picker{}, s.waiting("6110e513", "fffda430"), 29, keyDown, keyYes))
}

// kinds are calls whose cards have each of the seven kinds.
var kinds = []struct {
	kind, pack, key string
	args            hcp.Args
}{
	{card.Message, "mail", "send", hcp.Args{"to": "ann@example.org", "subject": "Minutes", "body": "Here they are.\nAnn signs them."}},
	{card.Payment, "ledger", "transfer", hcp.Args{"amount": "12.00", "currency": "EUR", "payee": "demo-rent"}},
	{card.Event, "calendar", "event.cancel", hcp.Args{"title": "Review", "when": "2026-12-01T09:00Z", "attendees": []any{"ann@example.org", "bo@example.org"}}},
	{card.Removal, "files", "delete", hcp.Args{"id": []any{"draft-1", "draft-2"}}},
	{card.Publish, "site", "deploy", hcp.Args{"target": "production", "version": "1.4.0"}},
	{card.Record, "tracker", "issue.update", hcp.Args{"id": "17", "state": "closed", "comment": "Done in the release of this morning, as was agreed with everyone who wrote on it"}},
	{card.Fields, "lamp", "dim", hcp.Args{"room": "kitchen", "level": 40}},
}

func TestCardsOfEachKindAreDrawnInColumns(t *testing.T) {
	for width, name := range map[int]string{80: "cards.svg", 40: "cards-narrow.svg"} {
		page := (&cli.Call{Invocation: (&studio{}).invocation()}).NewPage()
		page.Width = width
		for i, k := range kinds {
			m := &hcp.Manifest{ID: k.pack, Name: strings.ToUpper(k.pack[:1]) + k.pack[1:]}
			m.Verbs.Set(k.key, hcp.Command{})
			view := card.View(m, k.key, k.args, hcp.ViewOptions{})
			if view.Kind != k.kind {
				t.Errorf("%s %s is a card of the kind %s", k.pack, k.key, view.Kind)
			}
			if i > 0 {
				page.Line()
			}
			page.Line(page.Dim(k.kind))
			printCard(page, &hcp.ApprovalRequest{Command: k.key, View: view})
		}
		screenshot.Hold(t, filepath.Join("../../../docs/screens", name), *update, page.String(), width)
	}
}
