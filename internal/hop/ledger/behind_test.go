package ledger

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"bridle/hop"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// older makes an index that lacks what happened after it: two attempts, one of them
// landed. It returns the whole contents, and the attempt that did not land.
func older(t *testing.T, s *stage) (whole map[string][]string, open hop.Attempt) {
	t.Helper()
	l := s.begin(t)
	before := s.prompt(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(s.options.indexPath())
	if err != nil {
		t.Fatal(err)
	}
	if l, err = Open(context.Background(), s.options); err != nil {
		t.Fatal(err)
	}
	s.follow(t, l, &before, hop.KindCheckpoint)
	landed := s.prompt(t, l)
	s.follow(t, l, &landed, hop.KindProposal)
	s.land(t, l, &landed)
	open = s.prompt(t, l)
	whole = contentsOf(t, l)
	if err := errors.Join(l.Close(), removeIndex(s.options.indexPath()), os.WriteFile(s.options.indexPath(), index, 0o600)); err != nil {
		t.Fatal(err)
	}
	return whole, open
}

func TestAnIndexThatIsOlderThanGitFollowsIt(t *testing.T) {
	s := newStage(t, t.TempDir())
	whole, open := older(t, s)
	l, err := Open(context.Background(), s.options)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sameContents(t, contentsOf(t, l), whole)
	s.follow(t, l, &open, hop.KindProposal)
	s.land(t, l, &open)
	s.healthy(t, l)
}

func TestAnIndexFollowsGitOnlyWhileNobodyWrites(t *testing.T) {
	ctx := context.Background()
	s := newStage(t, t.TempDir())
	whole, open := older(t, s)
	unlock, err := durable.Lock(ctx, s.options.lockPath(), "hop land")
	if err != nil {
		t.Fatal(err)
	}
	l, err := Open(ctx, s.options)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
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
	if l, err = Open(ctx, s.options); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sameContents(t, contentsOf(t, l), before)
	if _, err := l.Write(ctx, "look", func(*Tx) error { return nil }); !fault.Is(err, CodeDiverged) {
		t.Errorf("a writer was told %v", err)
	}
	sameContents(t, contentsOf(t, l), before)

	// Nor does a ref that a crash emptied stop who only looks.
	if err := errors.Join(l.Close(), os.WriteFile(filepath.Join(s.options.Git.CommonDir(), filepath.FromSlash(projectRef)), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(ctx, s.options); err != nil {
		t.Fatal(err)
	}
	sameContents(t, contentsOf(t, l), before)
}
