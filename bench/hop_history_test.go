package bench

import (
	"context"
	"fmt"
	"os"
	"testing"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/clock"
)

// history is how many states the project has that BenchmarkHopHistory looks at.
const history = 100_000

// BenchmarkHopHistory is what looking costs in a project with a long past,
// against a program that does nothing and against the same with a short past.
func BenchmarkHopHistory(b *testing.B) {
	dir := scratch(b)
	program, empty := build(b, dir, "./cmd/hop"), build(b, dir, "./bench/empty")
	s, young := newHopSite(b, program, 100), newHopSite(b, program, 100)
	s.age(history)
	looks := [][]string{{"status"}, {"state", s.prompt}, {"log", "-n", "20"}}
	for _, look := range looks {
		m := race(b, rounds, s.racer(nil, look...), racer{name: "empty", argv: []string{empty}})
		report(b, fmt.Sprintf("%s, %d states", look[0], history), m[0], "empty Go program", m[1], "under 10")
	}
	m := race(b, rounds, s.racer(nil, "checkpoint", s.prompt), young.racer(nil, "checkpoint", young.prompt))
	report(b, fmt.Sprintf("checkpoint, %d states", history), m[0], "with a short past", m[1], "about 1")
}

// age records checkpoints until the project has so many states.
func (s *hopSite) age(states int) {
	ctx := context.Background()
	p, err := op.Open(ctx, op.Surroundings{Dir: s.root, Environ: s.env(), Home: os.TempDir(), Clock: clock.System()})
	if err != nil {
		s.b.Fatal(err)
	}
	defer p.Close()
	const each = 500
	for range states / each {
		_, err := p.Write(ctx, "checkpoint", func(t *ledger.Tx) error {
			attempt, err := t.Reader.Attempt(ctx, s.attempt)
			if err != nil {
				return err
			}
			head, err := t.Reader.State(ctx, attempt.HeadStateID)
			if err != nil {
				return err
			}
			t.About(attempt.ID)
			at := head.State
			for range each {
				at = t.State(hop.State{
					Kind: hop.KindCheckpoint, TaskID: attempt.TaskID, AttemptID: attempt.ID, CanonicalAnchorID: at.CanonicalAnchorID,
					SourceTree: at.SourceTree, GitCommit: at.GitCommit, Parents: []hop.Parent{{StateID: at.ID, Role: hop.RoleRunParent}},
				}, hop.Facts{})
			}
			attempt.HeadStateID = at.ID
			t.Attempt(attempt)
			return nil
		})
		if err != nil {
			s.b.Fatal(err)
		}
	}
}
