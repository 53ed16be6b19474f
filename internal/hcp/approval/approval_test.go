package approval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// hand is a clock that tests move.
type hand struct {
	mu sync.Mutex
	at time.Time
}

func (h *hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hand) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func subject() Subject {
	return Subject{
		PackID: "ledger", PackDigest: "p1", Key: "transfer", Args: hcp.Args{"amount": "2.80", "payee": "demo"},
		Argv: []string{"transfer", "2.80"}, BinDigest: "b1", Dir: "/work", Principal: "user", TenantID: "t", ProjectID: "/work", Mode: hcp.Sandboxed,
	}
}

// stores runs a test over both stores.
func stores(t *testing.T, test func(t *testing.T, s Store)) {
	t.Run("memory", func(t *testing.T) { test(t, &Memory{}) })
	t.Run("file", func(t *testing.T) { test(t, NewFile(filepath.Join(t.TempDir(), "approvals.json"), "test")) })
}

func ask(t *testing.T, d *Desk, s Subject) string {
	t.Helper()
	id, err := d.Request(t.Context(), s, &hcp.ApprovalRequest{PackID: s.PackID, Command: s.Key})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func answer(t *testing.T, d *Desk, s Subject) Answer {
	t.Helper()
	a, err := d.Consume(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func decide(t *testing.T, d *Desk, id string, yes bool) {
	t.Helper()
	if _, err := d.Decide(t.Context(), id, yes); err != nil {
		t.Fatal(err)
	}
}

func TestAYesCoversOneRun(t *testing.T) {
	stores(t, func(t *testing.T, s Store) {
		c := &hand{at: noon}
		d := New(s, c)
		if a := answer(t, d, subject()); !reflect.DeepEqual(a, Answer{}) {
			t.Fatalf("%+v before anything", a)
		}
		request := &hcp.ApprovalRequest{PackID: "ledger"}
		id, err := d.Request(t.Context(), subject(), request)
		if err != nil || len(id) != 8 || request.ApprovalID != id || request.ExpiresAt != "2026-07-01T12:15:00.000Z" {
			t.Fatalf("%q %+v %v", id, request, err)
		}
		if again := ask(t, d, subject()); again != id {
			t.Errorf("the same question got the ids %s and %s", id, again)
		}
		if a := answer(t, d, subject()); a.ID != "" {
			t.Fatalf("%+v before an answer", a)
		}
		decide(t, d, id, true)
		if a := answer(t, d, subject()); a.ID != id || a.State != Approved {
			t.Fatalf("%+v", a)
		}
		if a := answer(t, d, subject()); a.ID != "" {
			t.Fatalf("used twice: %+v", a)
		}
		_, err = d.Decide(t.Context(), id, true)
		if fault.CodeOf(err) != "bad_approval" {
			t.Errorf("approving a used one: %v", err)
		}
	})
}

func TestANoHoldsUntilItExpiresAndCanBeChanged(t *testing.T) {
	stores(t, func(t *testing.T, s Store) {
		c := &hand{at: noon}
		d := New(s, c)
		id := ask(t, d, subject())
		decide(t, d, id, false)
		if a := answer(t, d, subject()); a.State != Rejected || a.ID != id {
			t.Fatalf("%+v", a)
		}
		decide(t, d, id, true)
		if a := answer(t, d, subject()); a.State != Approved {
			t.Fatalf("%+v", a)
		}
		other := subject()
		other.Args = hcp.Args{"amount": "1"}
		second := ask(t, d, other)
		decide(t, d, second, true)
		decide(t, d, second, false)
		if a := answer(t, d, other); a.State != Rejected {
			t.Fatalf("a yes that was taken back: %+v", a)
		}
		c.move(Lifetime)
		if a := answer(t, d, other); a.ID != "" {
			t.Fatalf("%+v after its time", a)
		}
	})
}

func TestAnythingDifferentAsksAgainAndSaysWhatChanged(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Subject)
		want   string
	}{
		"a cent":            {func(s *Subject) { s.Args = hcp.Args{"amount": "2.81", "payee": "demo"} }, `argument "amount"`},
		"a new argument":    {func(s *Subject) { s.Args = hcp.Args{"amount": "2.80", "payee": "demo", "memo": ""} }, `argument "memo"`},
		"a missing one":     {func(s *Subject) { s.Args = hcp.Args{"amount": "2.80"} }, `argument "payee"`},
		"the pack's files":  {func(s *Subject) { s.PackDigest = "p2" }, "the files of the pack"},
		"the executable":    {func(s *Subject) { s.BinDigest = "b2" }, "the executable"},
		"the directory":     {func(s *Subject) { s.Dir = "/else" }, "the working directory"},
		"the Principal":     {func(s *Subject) { s.Principal = "other" }, "who acts"},
		"the tenant":        {func(s *Subject) { s.TenantID = "other" }, "the tenant"},
		"the project":       {func(s *Subject) { s.ProjectID = "" }, "the project"},
		"the sandbox":       {func(s *Subject) { s.Mode = hcp.NativeLocal }, "the sandbox"},
		"the credential":    {func(s *Subject) { s.Mock = true }, "the kind of credential"},
		"the words":         {func(s *Subject) { s.Argv = []string{"transfer", "2.80", "--all"} }, "the command line"},
		"words run as one":  {func(s *Subject) { s.Argv = []string{"transfer 2.80"} }, "the command line"},
		"the command":       {func(s *Subject) { s.Key = "pay" }, ""},
		"the pack":          {func(s *Subject) { s.PackID = "bank" }, ""},
		"a number for text": {func(s *Subject) { s.Args = hcp.Args{"amount": 2.8, "payee": "demo"} }, `argument "amount"`},
	} {
		t.Run(name, func(t *testing.T) {
			d := New(&Memory{}, &hand{at: noon})
			decide(t, d, ask(t, d, subject()), true)
			changed := subject()
			c.change(&changed)
			a := answer(t, d, changed)
			if a.ID != "" || strings.Join(a.Changed, ", ") != c.want {
				t.Errorf("%+v", a)
			}
			if a := answer(t, d, subject()); a.State != Approved {
				t.Errorf("the approved call itself: %+v", a)
			}
		})
	}
}

func TestEqualSubjectsAndOnlyTheyShareADigest(t *testing.T) {
	draw := rapid.Custom(func(t *rapid.T) Subject {
		word := rapid.SampledFrom([]string{"", "a", "b", "ab"})
		return Subject{
			PackID: word.Draw(t, "pack"), PackDigest: word.Draw(t, "digest"), Key: word.Draw(t, "key"),
			Args: hcp.Args{word.Draw(t, "name"): word.Draw(t, "value")}, Argv: rapid.SliceOfN(word, 0, 3).Draw(t, "argv"),
			BinDigest: word.Draw(t, "bin"), Dir: word.Draw(t, "dir"), Principal: word.Draw(t, "principal"), Mock: rapid.Bool().Draw(t, "mock"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		x, errX := a.Digest()
		y, errY := b.Digest()
		if errX != nil || errY != nil {
			t.Fatal(errX, errY)
		}
		if a.Argv == nil {
			a.Argv = []string{}
		}
		if b.Argv == nil {
			b.Argv = []string{}
		}
		if (x == y) != reflect.DeepEqual(a, b) {
			t.Fatalf("%+v and %+v: %s %s", a, b, x, y)
		}
	})
}

func TestARequestExpires(t *testing.T) {
	stores(t, func(t *testing.T, s Store) {
		c := &hand{at: noon}
		d := New(s, c)
		id := ask(t, d, subject())
		c.move(Lifetime - time.Second)
		decide(t, d, id, true)
		c.move(time.Second)
		if a := answer(t, d, subject()); a.ID != "" {
			t.Fatalf("%+v after its time", a)
		}
		if _, err := d.Decide(t.Context(), id, true); fault.CodeOf(err) != "bad_approval" {
			t.Errorf("%v", err)
		}
	})
}

func TestAClockSetBackNeverExtendsAnApproval(t *testing.T) {
	stores(t, func(t *testing.T, s Store) {
		c := &hand{at: noon}
		d := New(s, c)
		decide(t, d, ask(t, d, subject()), true)
		c.move(10 * time.Minute)
		if list, err := d.Waiting(t.Context()); err != nil || len(list) != 0 {
			t.Fatal(list, err)
		}
		ask(t, d, Subject{PackID: "other"}) // the book has seen 12:10
		c.move(-9 * time.Minute)
		if a := answer(t, d, subject()); a.ID != "" {
			t.Fatalf("an approval from before the clock was set back: %+v", a)
		}
		c.move(9 * time.Minute)
		if a := answer(t, d, subject()); a.ID != "" {
			t.Fatalf("it came back: %+v", a)
		}
		decide(t, d, ask(t, d, subject()), true)
		c.move(-time.Hour) // before it was even asked
		if a := answer(t, d, subject()); a.ID != "" {
			t.Fatalf("an approval from the future: %+v", a)
		}
	})
}

// running is a clock of a machine that counts by itself.
type running struct {
	hand
	boot   string
	lasted time.Duration
}

func (r *running) Running() (string, time.Duration, bool) { return r.boot, r.lasted, r.boot != "" }

func TestAClockSetBackUnseenAddsNoTimeWhereTheMachineCounts(t *testing.T) {
	stores(t, func(t *testing.T, s Store) {
		c := &running{hand: hand{at: noon}, boot: "first", lasted: time.Hour}
		d := New(s, c)
		decide(t, d, ask(t, d, subject()), true)
		// Nobody looks for fifteen minutes; then the clock says that two passed.
		c.lasted += Lifetime
		c.move(2 * time.Minute)
		if list, err := d.Waiting(t.Context()); err != nil || len(list) != 0 {
			t.Fatal(list, err)
		}
		if a := answer(t, d, subject()); a.ID != "" {
			t.Fatalf("an approval of a quarter of an hour ago: %+v", a)
		}
		id := ask(t, d, subject())
		decide(t, d, id, true)
		c.boot = "second" // the machine was started again
		if a := answer(t, d, subject()); a.ID != "" {
			t.Fatalf("an approval of another run of the machine: %+v", a)
		}
		decide(t, d, ask(t, d, subject()), true)
		c.lasted -= time.Minute // a count that goes back is none
		if a := answer(t, d, subject()); a.ID != "" {
			t.Fatalf("an approval from the future: %+v", a)
		}
		c.boot = "" // no count any more: the clock has to do
		decide(t, d, ask(t, d, subject()), true)
		c.lasted += time.Minute
		if a := answer(t, d, subject()); a.State != Approved {
			t.Fatalf("a good approval: %+v", a)
		}
	})
}

// However the clock is adjusted in small steps, no approval lives longer than
// it should by the sum of the steps forward.
func TestSmallStepsOfTheClockAddNoTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &hand{at: noon}
		d := New(&Memory{}, c)
		id, err := d.Request(context.Background(), subject(), &hcp.ApprovalRequest{})
		if err == nil {
			_, err = d.Decide(context.Background(), id, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		highest := noon
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			c.move(time.Duration(rapid.IntRange(-4, 120).Draw(t, "seconds")) * time.Second)
			if c.Now().After(highest) {
				highest = c.Now()
			}
			_, found, err := d.Find(context.Background(), id)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Cancel(context.Background(), "nobody"); err != nil { // the book sees the time
				t.Fatal(err)
			}
			if found && highest.Sub(noon) >= Lifetime {
				t.Fatalf("it still counts %s after it was asked", highest.Sub(noon))
			}
		}
	})
}

func TestCancelledIsAnAnswerOfItsOwn(t *testing.T) {
	stores(t, func(t *testing.T, s Store) {
		d := New(s, &hand{at: noon})
		id := ask(t, d, subject())
		if err := d.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if r, ok, err := d.Find(t.Context(), id); err != nil || !ok || r.State != Cancelled {
			t.Errorf("%+v %v", r, err)
		}
		if _, err := d.Decide(t.Context(), id, true); fault.CodeOf(err) != "bad_approval" {
			t.Errorf("approving a cancelled one: %v", err)
		}
		if a := answer(t, d, subject()); a.ID != "" {
			t.Errorf("%+v", a)
		}
		second := ask(t, d, subject())
		decide(t, d, second, true)
		if err := d.Cancel(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		if a := answer(t, d, subject()); a.State != Approved {
			t.Errorf("cancelling took an answer back: %+v", a)
		}
	})
}

func TestAFloodOfRequestsIsRefusedAndPushesNoneOut(t *testing.T) {
	d := New(&Memory{}, &hand{at: noon})
	first := ask(t, d, subject())
	var err error
	for i := 0; err == nil && i < 10*maxOpen; i++ {
		_, err = d.Request(t.Context(), Subject{PackID: fmt.Sprint(i)}, &hcp.ApprovalRequest{})
	}
	if fault.CodeOf(err) != CodeTooMany {
		t.Fatalf("%v", err)
	}
	if _, ok, err := d.Find(t.Context(), first); !ok || err != nil {
		t.Error("the first request is gone", err)
	}
	d = New(NewFile(filepath.Join(t.TempDir(), "approvals.json"), "test"), &hand{at: noon})
	if _, err := d.Request(t.Context(), Subject{PackID: strings.Repeat("x", maxFile)}, &hcp.ApprovalRequest{}); fault.CodeOf(err) != CodeTooMany {
		t.Errorf("a huge request: %v", err)
	}
}

func TestAFileThatCannotBeTrustedAnswersNothing(t *testing.T) {
	write := func(text string, mode os.FileMode) func(string) error {
		return func(path string) error {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				return err
			}
			return os.Chmod(path, mode)
		}
	}
	good := `{"approvals":[]}`
	for name, make := range map[string]func(path string) error{
		"no JSON":            write("{", 0o600),
		"an unknown member":  write(`{"approvals":[],"more":1}`, 0o600),
		"a name twice":       write(`{"approvals":[],"approvals":[]}`, 0o600),
		"a list":             write(`[]`, 0o600),
		"writable by others": write(good, 0o666),
		"a folder":           func(p string) error { return os.Mkdir(p, 0o700) },
		"a link": func(p string) error {
			if err := os.WriteFile(p+".real", []byte(good), 0o600); err != nil {
				return err
			}
			return os.Symlink(p+".real", p)
		},
		"huge": func(p string) error {
			if err := os.WriteFile(p, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(p, maxFile+1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "approvals.json")
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			d := New(NewFile(path, "test"), &hand{at: noon})
			if _, err := d.Consume(t.Context(), subject()); fault.CodeOf(err) != CodeBadApprovals {
				t.Errorf("consume: %v", err)
			}
			if _, err := d.Request(t.Context(), subject(), &hcp.ApprovalRequest{}); fault.CodeOf(err) != CodeBadApprovals {
				t.Errorf("request: %v", err)
			}
		})
	}
}

func TestAnErrorLeavesTheBookAsItWas(t *testing.T) {
	stores(t, func(t *testing.T, s Store) {
		d := New(s, &hand{at: noon})
		id := ask(t, d, subject())
		err := s.Update(t.Context(), func(b *Book) error {
			b.Records = nil
			return errors.New("no")
		})
		if err == nil {
			t.Fatal("no error")
		}
		if _, ok, err := d.Find(t.Context(), id); !ok || err != nil {
			t.Error("the request is gone", err)
		}
	})
}

func TestOneOfManyGoroutinesWins(t *testing.T) {
	stores(t, func(t *testing.T, s Store) {
		d := New(s, &hand{at: noon})
		decide(t, d, ask(t, d, subject()), true)
		var wg sync.WaitGroup
		wins := make(chan string, 16)
		for range 16 {
			wg.Go(func() {
				if a, err := d.Consume(context.Background(), subject()); err == nil && a.State == Approved {
					wins <- a.ID
				}
			})
		}
		wg.Wait()
		if len(wins) != 1 {
			t.Errorf("%d runs of one approval", len(wins))
		}
	})
}

const workerVariable = "APPROVAL_TEST_WORKER"

func TestMain(m *testing.M) {
	if path := os.Getenv(workerVariable); path != "" {
		d := New(NewFile(path, "worker"), &hand{at: noon})
		a, err := d.Consume(context.Background(), subject())
		if err == nil {
			_, err = d.Request(context.Background(), Subject{PackID: fmt.Sprint(os.Getpid())}, &hcp.ApprovalRequest{})
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Print(a.State)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestOneOfManyProcessesWinsAndNoRequestIsLost(t *testing.T) {
	const processes = 20
	path := filepath.Join(t.TempDir(), "approvals.json")
	s := NewFile(path, "test")
	d := New(s, &hand{at: noon})
	decide(t, d, ask(t, d, subject()), true)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, processes)
	var wg sync.WaitGroup
	for i := range out {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), workerVariable+"="+path, "GOMAXPROCS=1")
			text, err := cmd.CombinedOutput()
			out[i] = string(text)
			if err != nil {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
	wg.Wait()
	if wins := slices.DeleteFunc(slices.Clone(out), func(s string) bool { return s != string(Approved) }); len(wins) != 1 {
		t.Errorf("%d runs of one approval: %q", len(wins), out)
	}
	if list, err := d.Waiting(t.Context()); err != nil || len(list) != processes {
		t.Errorf("%d of %d requests: %v", len(list), processes, err)
	}
}

func FuzzBook(f *testing.F) {
	f.Add([]byte(`{"latest":"2026-07-01T12:00:00Z","approvals":[{"id":"5ea7eb29","state":"approved","created_at":"2026-07-01T12:00:00Z","expires_at":"2026-07-01T12:15:00Z","digest":"x","subject":{"pack_id":"p","verb_key":"k","args":{},"principal":"u"},"request":{"pack_id":"p","command":"k","operation":"write","confirm":true,"args":[],"reason":"","reason_code":"","mode":"","approvals":""}}]}`))
	f.Add([]byte(`{"approvals":[]}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "approvals.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		d := New(NewFile(path, "fuzz"), &hand{at: noon})
		a, err := d.Consume(t.Context(), subject())
		if err == nil && a.State == Approved {
			t.Fatalf("%s answers a call that nobody asked about", data)
		}
	})
}
