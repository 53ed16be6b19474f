package ledger

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bridle/hop"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// TestMain keeps the properties short: each of their runs makes a repository.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// stage is a repository with one commit and an empty project folder.
type stage struct {
	options Options
	tree    git.OID
	commit  git.OID
}

func newStage(t testing.TB, dir string) *stage {
	t.Helper()
	ctx := context.Background()
	program, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	o := git.Options{Program: program, Clock: clock.System()}
	if err := git.Init(ctx, dir, o); err != nil {
		t.Fatal(err)
	}
	repo, err := git.Open(ctx, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	if err := os.Mkdir(filepath.Join(dir, ".hop"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := repo.NewBatch()
	tree := b.Tree([]git.Entry{{Mode: git.ModeFile, Name: "a.txt", ID: b.Blob([]byte("a\n"))}})
	who := git.Signature{Name: "Hop", Email: "hop@localhost", When: time.Unix(1_800_000_000, 0)}
	commit := b.Commit(git.Commit{Tree: tree, Author: who, Committer: who, Message: "first\n"})
	if err := b.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	return &stage{options: Options{Git: repo, Dir: filepath.Join(dir, ".hop"), Clock: clock.System()}, tree: tree, commit: commit}
}

// begin makes a ledger with its first accepted state.
func (s *stage) begin(t testing.TB) *Ledger {
	t.Helper()
	l, err := Found(context.Background(), s.options, "init", func(tx *Tx) error {
		tx.Accept(tx.State(s.state(hop.KindAccepted, "", ""), hop.Facts{}))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// open opens the ledger again.
func (s *stage) open(t testing.TB) *Ledger {
	t.Helper()
	l, err := Open(context.Background(), s.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// made is a transaction whose objects are in the repository, and which no ref leads
// to yet.
type made struct {
	*Transaction
	ref    string
	commit git.OID
	state  hop.State
}

func (m made) move(l *Ledger) error {
	return l.Git.UpdateRefs(context.Background(), []git.RefUpdate{{Name: m.ref, Old: git.OID(m.Prev), New: m.commit}})
}

// half makes a checkpoint of the attempt as a writer does that ends before it moves
// the ref.
func (s *stage) half(t testing.TB, l *Ledger, a hop.Attempt) made {
	t.Helper()
	ctx := context.Background()
	tx := &Tx{Reader: l.Reader, Objects: l.Git.NewBatch(), now: time.Now().UTC(), staged: map[string]*hop.State{}}
	tx.About(a.ID)
	m := made{state: tx.State(s.state(hop.KindCheckpoint, a.TaskID, a.ID, hop.Parent{StateID: a.HeadStateID, Role: hop.RoleRunParent}), hop.Facts{})}
	var err error
	if m.Transaction, m.ref, err = l.prepare(ctx, "checkpoint", tx); err != nil {
		t.Fatal(err)
	}
	if m.commit, err = l.store(tx, m.Transaction); err == nil {
		err = tx.Objects.Flush(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (s *stage) write(t testing.TB, l *Ledger, verb string, build func(*Tx) error) {
	t.Helper()
	if _, err := l.Write(context.Background(), verb, build); err != nil {
		t.Fatalf("%s: %v", verb, err)
	}
}

func (s *stage) state(kind hop.Kind, task, attempt string, parents ...hop.Parent) hop.State {
	return hop.State{
		Kind: kind, TaskID: task, AttemptID: attempt, SourceTree: string(s.tree), GitCommit: string(s.commit), Parents: parents,
	}
}

// prompt records a new attempt and returns it.
func (s *stage) prompt(t testing.TB, l *Ledger) hop.Attempt {
	t.Helper()
	var a hop.Attempt
	s.write(t, l, "start", func(tx *Tx) error {
		head, err := tx.Accepted(context.Background())
		if err != nil {
			return err
		}
		task := hop.Task{ID: hop.NewID("T", tx.Now()), Title: "work", Status: hop.StatusActive, CreatedAt: tx.Now()}
		a = hop.Attempt{
			ID: hop.NewID("AT", tx.Now()), TaskID: task.ID, Agent: "a", Workspace: "workspaces/x", BaseStateID: head.State.ID,
			Status: hop.StatusActive, CreatedAt: tx.Now(),
		}
		p := s.state(hop.KindPrompt, task.ID, a.ID,
			hop.Parent{StateID: head.State.ID, Role: hop.RoleRunParent}, hop.Parent{StateID: head.State.ID, Role: hop.RoleCanonicalAnchor})
		p.Prompt, p.CanonicalAnchorID = "do <it> & more", head.State.ID
		tx.About(a.ID)
		a.HeadStateID = tx.State(p, hop.Facts{Redactions: []hop.Redaction{{Kind: "credential", Count: 1}}}).ID
		tx.Task(task)
		tx.Attempt(a)
		tx.Session(Session{Agent: "a", ID: a.ID, Attempt: a.ID, State: a.HeadStateID})
		return nil
	})
	return a
}

// follow records a state of the kind as the attempt's head.
func (s *stage) follow(t testing.TB, l *Ledger, a *hop.Attempt, kind hop.Kind) {
	t.Helper()
	s.write(t, l, string(kind), func(tx *Tx) error {
		tx.About(a.ID)
		a.HeadStateID = tx.State(s.state(kind, a.TaskID, a.ID, hop.Parent{StateID: a.HeadStateID, Role: hop.RoleRunParent}), hop.Facts{}).ID
		tx.Attempt(*a)
		tx.Check(hop.Check{ID: hop.NewID("EVIDENCE", tx.Now()), AttemptID: a.ID, StateID: a.HeadStateID, TreeHash: string(s.tree), Command: []string{"true"}, Key: "k", CreatedAt: tx.Now()})
		return nil
	})
}

// land accepts the attempt's head.
func (s *stage) land(t testing.TB, l *Ledger, a *hop.Attempt) {
	t.Helper()
	ctx := context.Background()
	s.write(t, l, "land", func(tx *Tx) error {
		head, err := tx.Accepted(ctx)
		if err != nil {
			return err
		}
		if err := tx.Link(ctx, a.ID); err != nil {
			return err
		}
		a.Status = hop.StatusAccepted
		tx.Attempt(*a)
		tx.Accept(tx.State(s.state(hop.KindAccepted, a.TaskID, a.ID,
			hop.Parent{StateID: head.State.ID, Role: hop.RoleCanonicalParent}, hop.Parent{StateID: a.HeadStateID, Role: hop.RoleProposalParent}), hop.Facts{Check: "x"}))
		return nil
	})
}

func (s *stage) healthy(t testing.TB, l *Ledger) {
	t.Helper()
	problems, err := l.Verify(context.Background())
	if err != nil || len(problems) > 0 {
		t.Fatalf("Verify = %v, %v", problems, err)
	}
}

// contentsOf is everything that the index says.
func contentsOf(t testing.TB, l *Ledger) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, c := range contents {
		rows, err := texts(context.Background(), l.db, c.query)
		if err != nil {
			t.Fatal(err)
		}
		out[c.what] = rows
	}
	return out
}

func sameContents(t testing.TB, got, want map[string][]string) {
	t.Helper()
	for what, rows := range want {
		if missing(got[what], rows)+missing(rows, got[what]) > 0 || len(got[what]) != len(rows) {
			t.Fatalf("%s: %q, want %q", what, got[what], rows)
		}
	}
}

func TestIndexIsWhatRebuildMakesOfGit(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir := filepath.Join(base, hop.NewID("T", time.Now()))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		s := newStage(t, dir)
		l := s.begin(t)
		var open []*hop.Attempt
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			if len(open) == 0 || rapid.Bool().Draw(rt, "start") {
				a := s.prompt(t, l)
				open = append(open, &a)
				continue
			}
			a := rapid.SampledFrom(open).Draw(rt, "attempt")
			switch rapid.IntRange(0, 2).Draw(rt, "what") {
			case 0:
				s.follow(t, l, a, hop.KindCheckpoint)
			case 1:
				s.follow(t, l, a, hop.KindProposal)
			default:
				s.follow(t, l, a, hop.KindProposal)
				s.land(t, l, a)
			}
		}
		s.healthy(t, l)
		before := contentsOf(t, l)
		if rapid.Bool().Draw(rt, "lost") {
			if err := errors.Join(l.Close(), os.Remove(s.options.indexPath())); err != nil {
				t.Fatal(err)
			}
		}
		if problems, err := Rebuild(context.Background(), s.options); err != nil || len(problems) > 0 {
			t.Fatalf("Rebuild = %v, %v", problems, err)
		}
		again := s.open(t)
		sameContents(t, contentsOf(t, again), before)
		s.healthy(t, again)
	})
}

// TestCrashLeavesAllOrNothing ends a writer between any two of its steps.
func TestCrashLeavesAllOrNothing(t *testing.T) {
	ctx := context.Background()
	for _, refsMoved := range []bool{false, true} {
		s := newStage(t, t.TempDir())
		l := s.begin(t)
		a := s.prompt(t, l)
		before := contentsOf(t, l)
		half := s.half(t, l, a)
		_, err := l.db.ExecContext(ctx, `INSERT INTO intents(id, ref, old, new, accepted) VALUES(?,?,?,?,?)`, half.ID, half.ref, half.Prev, string(half.commit), "x")
		if err == nil && refsMoved {
			err = half.move(l)
		}
		if err = errors.Join(err, l.Close()); err != nil {
			t.Fatal(err)
		}
		again := s.open(t)
		_, err = again.State(ctx, half.state.ID)
		if refsMoved != (err == nil) {
			t.Errorf("refs moved: %v, state: %v", refsMoved, err)
		}
		if !refsMoved {
			sameContents(t, contentsOf(t, again), before)
		}
		if left, err := again.intents(ctx); err != nil || len(left) > 0 {
			t.Errorf("intents are left: %v, %v", left, err)
		}
		s.healthy(t, again)
		// The next write goes on from there.
		s.follow(t, again, &a, hop.KindCheckpoint)
		s.healthy(t, again)
	}
}

func TestNothingIsRecordedThatTheGraphRefuses(t *testing.T) {
	s := newStage(t, t.TempDir())
	l := s.begin(t)
	a, b := s.prompt(t, l), s.prompt(t, l)
	before := contentsOf(t, l)
	refs, err := l.Git.Refs(context.Background(), "refs/")
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Write(context.Background(), "checkpoint", func(tx *Tx) error {
		tx.About(a.ID)
		tx.State(s.state(hop.KindCheckpoint, a.TaskID, a.ID, hop.Parent{StateID: b.HeadStateID, Role: hop.RoleRunParent}), hop.Facts{})
		return nil
	})
	if !fault.Is(err, "illegal_edge") {
		t.Fatalf("Write = %v", err)
	}
	sameContents(t, contentsOf(t, l), before)
	after, err := l.Git.Refs(context.Background(), "refs/")
	if err != nil || len(after) != len(refs) {
		t.Fatalf("refs moved: %v, %v", after, err)
	}
	for i := range refs {
		if refs[i] != after[i] {
			t.Errorf("%v became %v", refs[i], after[i])
		}
	}
}

func TestWritersSeeEachOther(t *testing.T) {
	ctx := context.Background()
	s := newStage(t, t.TempDir())
	l := s.begin(t)
	other := s.open(t)
	a := s.prompt(t, l)
	stale := a.HeadStateID
	s.follow(t, other, &a, hop.KindCheckpoint)
	_, err := l.Write(ctx, "checkpoint", func(tx *Tx) error {
		_, err := tx.ExpectHead(ctx, a.ID, stale)
		return err
	})
	if !fault.Is(err, CodeHeadChanged) || fault.From(err).Exit != hop.ExitHeadChanged {
		t.Fatalf("a stale head: %v", err)
	}
	first, err := l.Accepted(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.follow(t, other, &a, hop.KindProposal)
	s.land(t, other, &a)
	_, err = l.Write(ctx, "land", func(tx *Tx) error { return tx.ExpectAccepted(ctx, first.State.ID) })
	if !fault.Is(err, CodeHeadChanged) {
		t.Fatalf("a stale accepted head: %v", err)
	}
	s.healthy(t, l)
}

// TestLostRefsAreMendedOrTold deletes refs under a living index.
func TestLostRefsAreMendedOrTold(t *testing.T) {
	ctx := context.Background()
	s := newStage(t, t.TempDir())
	l := s.begin(t)
	a := s.prompt(t, l)
	s.follow(t, l, &a, hop.KindProposal)
	s.land(t, l, &a)
	refs, err := l.Git.Refs(ctx, "refs/hop/")
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		if err := l.Git.UpdateRefs(ctx, []git.RefUpdate{{Name: ref.Name, Old: ref.ID}}); err != nil {
			t.Fatal(err)
		}
	}
	lost, err := l.LostRefs(ctx)
	if err != nil || len(lost) != 2 {
		t.Fatalf("LostRefs = %v, %v", lost, err)
	}
	// The next write of the attempt makes its ref anew, with all before it.
	s.follow(t, l, &a, hop.KindProposal)
	if restored, gone, err := l.RestoreRefs(ctx); err != nil || len(restored) != 1 || len(gone) != 0 {
		t.Fatalf("RestoreRefs = %v, %v, %v", restored, gone, err)
	}
	if healed, err := l.HealAccepted(ctx); err != nil || !healed {
		t.Fatalf("HealAccepted = %v, %v", healed, err)
	}
	s.healthy(t, l)
}

// TestLandedWorkSurvivesTheLossOfItsRef relies on the links between refs.
func TestLandedWorkSurvivesTheLossOfItsRef(t *testing.T) {
	ctx := context.Background()
	s := newStage(t, t.TempDir())
	l := s.begin(t)
	a := s.prompt(t, l)
	s.follow(t, l, &a, hop.KindProposal)
	s.land(t, l, &a)
	before := contentsOf(t, l)
	ref, ok, err := l.Git.Ref(ctx, AttemptRef(a.ID))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := l.Git.UpdateRefs(ctx, []git.RefUpdate{{Name: AttemptRef(a.ID), Old: ref}}); err != nil {
		t.Fatal(err)
	}
	if problems, err := Rebuild(ctx, s.options); err != nil || len(problems) > 0 {
		t.Fatalf("Rebuild = %v, %v", problems, err)
	}
	sameContents(t, contentsOf(t, l), before)
}

func TestOpenTellsWhatItFinds(t *testing.T) {
	ctx := context.Background()
	s := newStage(t, t.TempDir())
	if _, err := Open(ctx, s.options); !fault.Is(err, CodeNoProject) {
		t.Errorf("no index: %v", err)
	}
	l := s.begin(t)
	if _, err := l.db.ExecContext(ctx, "PRAGMA user_version = 101"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, s.options); !fault.Is(err, CodeNewer) {
		t.Errorf("a newer schema: %v", err)
	}
	if _, err := Rebuild(ctx, s.options); !fault.Is(err, CodeNewer) {
		t.Errorf("a newer schema is rebuilt over: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"empty": nil, "text": []byte("this is no database, and long enough to look like one\n")} {
		if err := os.WriteFile(s.options.indexPath(), content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(ctx, s.options); !fault.Is(err, CodeIndexBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if problems, err := Rebuild(ctx, s.options); err != nil || len(problems) > 0 {
		t.Fatalf("Rebuild = %v, %v", problems, err)
	}
	if _, err := os.Stat(s.options.indexPath() + ".broken"); errors.Is(err, fs.ErrNotExist) {
		t.Error("the broken index was not kept")
	}
}

func TestLedgerOfANewerProgramIsRefused(t *testing.T) {
	data := []byte(`{"operation":{"at":"2026-11-30T10:00:00Z","future":1,"id":"E_06H2QKHZKNWQZ6PHQ0MHQ70","seq":1,"verb":"x","version":2}}` + "\n")
	if _, err := Decode(data); !fault.Is(err, CodeNewer) {
		t.Fatalf("Decode = %v", err)
	}
}

// TestLockThatAKilledWriterLeftIsRemoved leaves git's lock files behind.
func TestLockThatAKilledWriterLeftIsRemoved(t *testing.T) {
	s := newStage(t, t.TempDir())
	l := s.begin(t)
	a := s.prompt(t, l)
	for _, ref := range []string{AttemptRef(a.ID), AcceptedRef, projectRef} {
		if err := os.WriteFile(filepath.Join(l.Git.CommonDir(), filepath.FromSlash(ref)+".lock"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.follow(t, l, &a, hop.KindProposal)
	s.land(t, l, &a)
	s.healthy(t, l)
}

// TestRefThatMovesLateIsTakenIn lets a transaction arrive whose intent was given
// up already.
func TestRefThatMovesLateIsTakenIn(t *testing.T) {
	ctx := context.Background()
	s := newStage(t, t.TempDir())
	l := s.begin(t)
	a := s.prompt(t, l)
	half := s.half(t, l, a)
	build := func(tx *Tx) error {
		tx.About(a.ID)
		tx.State(s.state(hop.KindCheckpoint, a.TaskID, a.ID, hop.Parent{StateID: a.HeadStateID, Role: hop.RoleRunParent}), hop.Facts{})
		return nil
	}
	_, err := l.Write(ctx, "checkpoint", func(tx *Tx) error { return errors.Join(half.move(l), build(tx)) })
	if !fault.Is(err, CodeHeadChanged) {
		t.Fatalf("a write that did not know of it: %v", err)
	}
	if _, err := l.State(ctx, half.state.ID); err != nil {
		t.Fatal(err)
	}
	s.write(t, l, "checkpoint", build)
	s.healthy(t, l)
}

// said is an error as the database's driver has them.
type said int

func (s said) Error() string { return "said" }
func (s said) Code() int     { return int(s) }

func TestWhatTheDatabaseSaysOfTheDiskIsToldApart(t *testing.T) {
	for code, want := range map[said]string{
		13: durable.CodeDiskFull, 4874: durable.CodeDiskFull, 14: durable.CodeNotPermitted, 8: durable.CodeReadOnly, 264: durable.CodeReadOnly,
		5: durable.CodeLocked, 6: durable.CodeLocked, 10: durable.CodeIO, 778: durable.CodeIO, 11: CodeIndexBroken, 26: CodeIndexBroken,
	} {
		if f := fault.From(unreadable(code)); f.Code != want || f.Hint == "" {
			t.Errorf("%d: %q with the hint %q, want %q", code, f.Code, f.Hint, want)
		}
	}
}

// TestTheWayBackTurnsWhereItIsSaidTo compares with a walk over every state.
func TestTheWayBackTurnsWhereItIsSaidTo(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		db, err := createIndex(ctx, filepath.Join(t.TempDir(), rapid.StringMatching(`[a-z]{20}`).Draw(rt, "name")))
		if err != nil {
			rt.Fatal(err)
		}
		defer db.Close()
		exec := func(query string, args ...any) {
			if _, err := db.ExecContext(ctx, query, args...); err != nil {
				rt.Fatal(err)
			}
		}
		n := rapid.IntRange(1, 12).Draw(rt, "states")
		turn := make([]string, n)
		for i := range n {
			id := fmt.Sprintf("S%02d", i)
			kind := rapid.SampledFrom([]hop.Kind{hop.KindCheckpoint, hop.KindProposal, hop.KindPrompt, hop.KindAccepted}).Draw(rt, "kind")
			based, landed := rapid.Bool().Draw(rt, "based"), rapid.Bool().Draw(rt, "landed")
			facts := ""
			if based {
				facts = `{"base_tree":"x"}`
			}
			exec(`INSERT INTO states(id, kind, attempt_id, operation, doc, facts) VALUES(?,?,'','',?,?)`, id, string(kind), `{"id":"`+id+`"}`, facts)
			if landed {
				exec(`INSERT INTO parents VALUES(?,0,?,?)`, "A"+id, id, string(hop.RoleProposalParent))
			}
			if parent := rapid.IntRange(-1, i-1).Draw(rt, "parent"); parent >= 0 {
				exec(`INSERT INTO parents VALUES(?,0,?,?)`, id, fmt.Sprintf("S%02d", parent), string(hop.RoleRunParent))
				turn[i] = turn[parent]
			}
			if based || kind == hop.KindAccepted || landed && kind == hop.KindProposal {
				turn[i] = id
			}
		}
		for i := range n {
			entry, found, err := Reader{db}.Turn(ctx, fmt.Sprintf("S%02d", i))
			if err != nil || found != (turn[i] != "") || entry.State.ID != turn[i] {
				rt.Fatalf("from S%02d: %q, %v, %v; want %q", i, entry.State.ID, found, err, turn[i])
			}
		}
	})
}
