package ledger

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"bridle/hop"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// putBack keeps a copy of the index, lets more happen and puts the copy in the
// place of the index. It returns what the index held before that. The refs' folders
// are old when the copy is made: however coarse their times, a change shows.
func (s *stage) putBack(t *testing.T, l *Ledger, more func(l *Ledger)) (whole map[string][]string) {
	t.Helper()
	long := time.Unix(1_800_000_000, 0)
	for _, name := range []string{Prefix, attemptsPrefix} {
		if err := os.Chtimes(filepath.Join(l.Git.CommonDir(), filepath.FromSlash(name)), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(l.Close(), s.open(t).Close()); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(s.options.indexPath())
	if err != nil {
		t.Fatal(err)
	}
	l = s.open(t)
	more(l)
	whole = contentsOf(t, l)
	if err := errors.Join(l.Close(), removeIndex(s.options.indexPath()), os.WriteFile(s.options.indexPath(), index, 0o600)); err != nil {
		t.Fatal(err)
	}
	return whole
}

// older makes an index that lacks what happened after it: two attempts, one of them
// landed. It returns the whole contents, and the attempt that did not land.
func older(t *testing.T, s *stage) (whole map[string][]string, open hop.Attempt) {
	t.Helper()
	l := s.begin(t)
	before := s.prompt(t, l)
	whole = s.putBack(t, l, func(l *Ledger) {
		s.follow(t, l, &before, hop.KindCheckpoint)
		landed := s.prompt(t, l)
		s.follow(t, l, &landed, hop.KindProposal)
		s.land(t, l, &landed)
		open = s.prompt(t, l)
	})
	return whole, open
}

func TestAnIndexThatIsOlderThanGitFollowsIt(t *testing.T) {
	s := newStage(t, t.TempDir())
	whole, open := older(t, s)
	l := s.open(t)
	sameContents(t, contentsOf(t, l), whole)
	s.follow(t, l, &open, hop.KindProposal)
	s.land(t, l, &open)
	s.healthy(t, l)
}

// TestAnIndexFollowsWhateverItLacks leaves the accepted line where it was: the
// index lacks an attempt, a task and a session; or states and evidence alone; or
// what says of a state that is there something new.
func TestAnIndexFollowsWhateverItLacks(t *testing.T) {
	for name, more := range map[string]func(s *stage, l *Ledger, a *hop.Attempt){
		"an attempt": func(s *stage, l *Ledger, _ *hop.Attempt) { s.prompt(t, l) },
		"a state":    func(s *stage, l *Ledger, a *hop.Attempt) { s.follow(t, l, a, hop.KindCheckpoint) },
		"an operation": func(s *stage, l *Ledger, a *hop.Attempt) {
			s.write(t, l, "cancel", func(tx *Tx) error {
				tx.About(a.ID)
				a.Status = hop.StatusCancelled
				tx.Attempt(*a)
				tx.Completion(hop.Completion{StateID: a.HeadStateID, Summary: "left"})
				return nil
			})
		},
	} {
		s := newStage(t, t.TempDir())
		l := s.begin(t)
		a := s.prompt(t, l)
		whole := s.putBack(t, l, func(l *Ledger) { more(s, l, &a) })
		again := s.open(t)
		t.Log(name)
		sameContents(t, contentsOf(t, again), whole)
		if at, err := again.standing(t.Context()); err != nil || !at.abreast() {
			t.Errorf("%s: the next command looks at all refs again: %+v, %v", name, at, err)
		}
		s.healthy(t, again)
	}
}

func TestAnIndexThatLacksWhatOthersSharedFollowsGit(t *testing.T) {
	m := twoMachines(t)
	whole := m.here.putBack(t, m.l, func(l *Ledger) {
		m.l = l
		m.take(t, m.incoming...)
	})
	m.l = m.here.open(t)
	sameContents(t, contentsOf(t, m.l), whole)
	m.sound(t)
}

// TestRefsThatNobodyMovedAreLookedAtOnce packs the refs, which changes their
// folders and nothing else.
func TestRefsThatNobodyMovedAreLookedAtOnce(t *testing.T) {
	s := newStage(t, t.TempDir())
	l := s.begin(t)
	a := s.prompt(t, l)
	before := contentsOf(t, l)
	if out, err := exec.Command("git", "-C", l.Git.Root(), "pack-refs", "--all", "--prune").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if at, err := l.standing(t.Context()); err != nil || at.known {
		t.Fatalf("%+v, %v", at, err)
	}
	again := s.open(t)
	if at, err := again.standing(t.Context()); err != nil || !at.abreast() {
		t.Errorf("%+v, %v", at, err)
	}
	sameContents(t, contentsOf(t, again), before)
	s.follow(t, again, &a, hop.KindCheckpoint)
	if at, err := again.standing(t.Context()); err != nil || !at.abreast() {
		t.Errorf("after a write: %+v, %v", at, err)
	}
	s.healthy(t, again)
}

// TestADamagedRefStopsOnlyWhoWorksThere empties the ref of an attempt, as a crash of
// the machine may.
func TestADamagedRefStopsOnlyWhoWorksThere(t *testing.T) {
	s := newStage(t, t.TempDir())
	l := s.begin(t)
	hurt, well := s.prompt(t, l), s.prompt(t, l)
	path := filepath.Join(l.Git.CommonDir(), filepath.FromSlash(AttemptRef(hurt.ID)))
	if err := errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	again := s.open(t)
	s.follow(t, again, &well, hop.KindCheckpoint)
	if _, err := again.Write(t.Context(), "checkpoint", func(tx *Tx) error {
		tx.About(hurt.ID)
		tx.Attempt(hurt)
		return nil
	}); !fault.Is(err, git.CodeCorrupt) {
		t.Errorf("who works there was told %v", err)
	}
}

func TestAnIndexFollowsGitOnlyWhileNobodyWrites(t *testing.T) {
	ctx := context.Background()
	s := newStage(t, t.TempDir())
	whole, open := older(t, s)
	unlock, err := durable.Lock(ctx, s.options.lockPath(), "hop land")
	if err != nil {
		t.Fatal(err)
	}
	l := s.open(t)
	if _, err := l.Attempt(ctx, open.ID); err == nil {
		t.Error("the index was changed under a writer")
	}
	unlock()
	// Who writes next takes in the rest.
	_, err = l.Write(ctx, "look", func(*Tx) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	sameContents(t, contentsOf(t, l), whole)
}

func TestAnIndexThatCannotFollowGitKeepsWhatItHas(t *testing.T) {
	ctx := context.Background()
	s := newStage(t, t.TempDir())
	l := s.begin(t)
	a := s.prompt(t, l)
	s.follow(t, l, &a, hop.KindProposal)
	s.land(t, l, &a)
	before := contentsOf(t, l)
	tip, _, err := l.Git.Ref(ctx, projectRef)
	if err != nil {
		t.Fatal(err)
	}
	first, err := readTransaction(ctx, l.Git, tip)
	if err != nil {
		t.Fatal(err)
	}
	back := git.RefUpdate{Name: projectRef, Old: tip, New: git.OID(first.Prev)}
	if err := errors.Join(l.Close(), s.options.Git.UpdateRefs(ctx, []git.RefUpdate{back})); err != nil {
		t.Fatal(err)
	}
	l = s.open(t)
	sameContents(t, contentsOf(t, l), before)
	if _, err := l.Write(ctx, "look", func(*Tx) error { return nil }); !fault.Is(err, CodeDiverged) {
		t.Errorf("a writer was told %v", err)
	}
	sameContents(t, contentsOf(t, l), before)

	// Nor does a ref that a crash emptied stop who only looks.
	if err := errors.Join(l.Close(), os.WriteFile(filepath.Join(s.options.Git.CommonDir(), filepath.FromSlash(projectRef)), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	sameContents(t, contentsOf(t, s.open(t)), before)
}
