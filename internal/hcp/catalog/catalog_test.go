package catalog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
	"bridle/packs"
)

// What the snapshot says of a pack is what a directory of it would say.
func TestSnapshotIsThatOfTheBundledPacks(t *testing.T) {
	got, err := Snapshot()
	if err != nil || len(got) != len(packs.IDs()) {
		t.Fatal(len(got), err)
	}
	for i, id := range packs.IDs() {
		tree, _ := packs.Pack(id)
		dir := filepath.Join(t.TempDir(), id)
		if err := os.CopyFS(dir, tree); err != nil {
			t.Fatal(err)
		}
		p, err := pack.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(RowOf(p, pack.Lead(p.Skill), published+id), got[i]); diff != "" {
			t.Error(id, diff)
		}
		if !got[i].usable() || got[i].Description == "" || len(got[i].Commands) == 0 {
			t.Errorf("%+v would be refused from a stranger, or says nothing", got[i])
		}
	}
}

// world is an origin, the file of the last answer, and a clock.
type world struct {
	answer  string
	failure error
	asked   int
	opts    Options
}

func newWorld(t *testing.T) *world {
	w := &world{}
	w.opts = Options{
		Origin: "https://catalog.example/packs",
		Kept:   filepath.Join(t.TempDir(), "catalog.json"),
		Fetch: func(_ context.Context, address string) ([]byte, error) {
			if address != "https://catalog.example/packs" && address != "https://other.example/packs" {
				t.Errorf("%q was asked", address)
			}
			w.asked++
			return []byte(w.answer), w.failure
		},
		Clock: clock.Fixed(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)),
	}
	return w
}

func (w *world) later(d time.Duration) { w.opts.Clock = clock.Fixed(w.opts.Clock.Now().Add(d)) }

func (w *world) load(t *testing.T) Listing {
	t.Helper()
	listing, err := Load(t.Context(), w.opts)
	if err != nil {
		t.Fatal(err)
	}
	return listing
}

func idsOf(entries []Entry) string {
	var all []string
	for i := range entries {
		all = append(all, entries[i].ID)
	}
	return strings.Join(all, " ")
}

func TestAnswerServesForAnHour(t *testing.T) {
	w := newWorld(t)
	w.answer = `{"packs":[{"id":"weather","class":"public-read","extra":{"is":"ignored"}}],"count":1}`
	if l := w.load(t); l.Source != Remote || idsOf(l.Packs) != "weather" {
		t.Fatalf("%+v", l)
	}
	w.answer = `{"packs":[{"id":"tides","class":"public-read"}]}`
	w.later(time.Hour - time.Second)
	if l := w.load(t); l.Source != Cache || idsOf(l.Packs) != "weather" || w.asked != 1 {
		t.Fatalf("%+v, asked %d times", l, w.asked)
	}
	w.later(time.Second)
	if l := w.load(t); l.Source != Remote || idsOf(l.Packs) != "tides" || w.asked != 2 {
		t.Fatalf("%+v, asked %d times", l, w.asked)
	}
}

func TestAnswerFromTheFutureIsNotFresh(t *testing.T) {
	w := newWorld(t)
	w.answer = `[{"id":"weather"}]`
	w.load(t)
	w.later(-time.Minute)
	if l := w.load(t); l.Source != Remote || w.asked != 2 {
		t.Fatalf("%+v, asked %d times", l, w.asked)
	}
}

func TestUnreachableOriginGivesTheLastAnswerThenTheSnapshot(t *testing.T) {
	w := newWorld(t)
	w.failure = fault.New("net_unreachable", "cannot reach it")
	l := w.load(t)
	if l.Source != Bundled || !strings.Contains(idsOf(l.Packs), "transit") || !strings.Contains(strings.Join(l.Notes, "\n"), "cannot reach it") {
		t.Fatalf("%+v", l)
	}
	w.failure, w.answer = nil, `[{"id":"weather"}]`
	w.load(t)
	w.failure = errors.New("down")
	w.later(48 * time.Hour)
	if l = w.load(t); l.Source != Cache || idsOf(l.Packs) != "weather" || len(l.Notes) != 2 {
		t.Fatalf("%+v", l)
	}
	w.opts.Fetch, w.opts.Kept = nil, filepath.Join(t.TempDir(), "none")
	if l = w.load(t); l.Source != Bundled || len(l.Notes) != 0 {
		t.Fatalf("%+v", l)
	}
}

func TestKeptAnswerCountsForItsOriginOnly(t *testing.T) {
	w := newWorld(t)
	w.opts.Origin = "https://other.example/packs"
	w.answer = `[{"id":"transit","install":"github:someone/else"}]`
	w.load(t)
	w.opts.Origin = "https://catalog.example/packs"
	w.failure = errors.New("down")
	if l := w.load(t); l.Source != Bundled {
		t.Fatalf("another origin's answer was taken: %+v", l)
	}
}

func TestDamagedKeptAnswerIsNotUsed(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":       `{`,
		"unknown field": `{"origin":"https://catalog.example/packs","at":"2026-11-30T12:00:00Z","packs":[],"more":1}`,
		"bad entry":     `{"origin":"https://catalog.example/packs","at":"2026-11-30T12:00:00Z","packs":[{"id":"../x","class":""}]}`,
	} {
		w := newWorld(t)
		w.failure = errors.New("down")
		if err := os.WriteFile(w.opts.Kept, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if l := w.load(t); l.Source != Bundled || len(l.Notes) != 2 {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func TestAddressThatIsNoneIsRefused(t *testing.T) {
	for _, origin := range []string{"catalog", "file:///etc/passwd", "https://", "https://user:word@catalog.example/", "://", "ftp://catalog.example"} {
		w := newWorld(t)
		w.opts.Origin = origin
		if _, err := Load(t.Context(), w.opts); !fault.Is(err, CodeBadOrigin) || strings.Contains(err.Error(), "word") {
			t.Errorf("%q: %v", origin, err)
		}
	}
}

func TestAnswerThatIsNoCatalogIsRefused(t *testing.T) {
	for _, text := range []string{``, `null`, `{}`, `{"packs":{}}`, `"packs"`, `{"packs":[],"packs":[]}`, "[" + strings.Repeat("1,", mostEntries) + "1]"} {
		if _, _, err := decode([]byte(text)); !fault.Is(err, CodeBadAnswer) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func TestEntryThatIsNotWellFormedIsLeftOut(t *testing.T) {
	for _, row := range []string{
		`1`, `{}`, `{"id":1}`, `{"id":"../x"}`, `{"id":"x","install":"--accept"}`, `{"id":"x","name":"a\u001b[2J"}`,
		`{"id":"x","tags":"t"}`, `{"id":"x","tags":[1]}`, `{"id":"x","commands":[1]}`, `{"id":"x","commands":[{"command":"a b"}]}`,
		`{"id":"x","commands":[{"command":"a","operation":"delete"}]}`, `{"id":"x","commands":[{"command":"a","confirm":"never"}]}`,
		`{"id":"x","commands":[{"command":"a","confirm":1}]}`, `{"id":"x","description":"` + strings.Repeat("a", longestText+1) + `"}`,
		`{"id":"first"}`,
	} {
		rows, left, err := decode([]byte(`[{"id":"first"},` + row + `]`))
		if err != nil || left != 1 || idsOf(rows) != "first" {
			t.Errorf("%s: %v %d %v", row, rows, left, err)
		}
	}
	rows, left, err := decode([]byte(`[{"id":"x","class":null,"tags":["t"],"commands":[{"command":"a.b","operation":"write","confirm":"always"},{"command":"c","confirm":true},{"command":"d","confirm":false}]}]`))
	if err != nil || left != 0 || len(rows) != 1 || rows[0].Commands[0].Confirm != "always" || rows[0].Commands[1].Confirm != "true" || rows[0].Commands[2].Confirm != "" {
		t.Errorf("%+v %d %v", rows, left, err)
	}
}

func TestSearchFindsEveryWordAndPutsTheNameFirst(t *testing.T) {
	entries := []Entry{
		{ID: "alpha", Class: PublicRead, Description: "Times of Transit"},
		{ID: "transit-log", Class: GatedWrite, Name: "Log"},
		{ID: "zulu", Class: PublicRead, Tags: []string{"transit"}},
		{ID: "transit", Class: PublicRead},
		{ID: "beta", Class: PublicRead, Commands: []Command{{Command: "plan", Description: "a journey in transit"}}},
	}
	for _, c := range []struct{ query, class, want string }{
		{"transit", "", "transit transit-log zulu alpha beta"},
		{"TRANSIT", PublicRead, "transit zulu alpha beta"},
		{"transit log", "", "transit-log"},
		{"plan", "", "beta"},
		{"", "", "alpha beta transit transit-log zulu"},
		{"", GatedWrite, "transit-log"},
		{"nothing", "", ""},
	} {
		if got := idsOf(Search(entries, c.query, c.class)); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.query, c.class, got, c.want)
		}
	}
	if !slices.IsSortedFunc(Search(entries, "", ""), func(a, b Entry) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("equal hits have no order")
	}
}

// Whatever an origin answers, what comes out may be shown and installed from.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"packs":[{"id":"a","class":"b","install":"npm:x","tags":["t"],"commands":[{"command":"c","confirm":true}]}]}`))
	f.Add([]byte(`[{"id":"a"},{"id":"a"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, left, err := decode(data)
		if err != nil {
			return
		}
		if left < 0 {
			t.Fatal(left)
		}
		for i := range rows {
			if !rows[i].usable() {
				t.Fatalf("%+v", rows[i])
			}
		}
		again, err := canon.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		same, left, err := decode(again)
		if err != nil || left != 0 || !cmp.Equal(rows, same) {
			t.Fatalf("%s: %v %v", again, same, err)
		}
	})
}
