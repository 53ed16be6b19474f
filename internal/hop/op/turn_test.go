package op

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"bridle/hop"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/durable"
)

// land lands proposals over an open project of its own.
func land(t *testing.T, s Surroundings, r LandRequest) hop.Landed {
	t.Helper()
	own, err := Open(context.Background(), s)
	if err != nil {
		t.Error(err)
		return hop.Landed{}
	}
	defer own.Close()
	r.Verb = "land"
	done, err := own.Land(context.Background(), r)
	if err != nil {
		t.Error(err)
	}
	return done
}

// TestALandingThatWasOvertakenHasATurn overtakes a batch while it is validated, and
// has another landing wait while it is validated again.
func TestALandingThatWasOvertakenHasATurn(t *testing.T) {
	p, root := demo(t, map[string]string{"a": "a\n"})
	batch := []string{proposed(t, p, "b", "b\n").ID, proposed(t, p, "c", "c\n").ID}
	first, second := proposed(t, p, "d", "d\n").ID, proposed(t, p, "e", "e\n").ID
	var group sync.WaitGroup
	runs := 0
	p.Progress = func(text string) {
		if text != "running the command" {
			return
		}
		if runs++; runs == 1 {
			land(t, around(root), LandRequest{Proposals: []string{first}})
			return
		}
		waits := make(chan struct{})
		s := around(root)
		s.Progress = func(text string) {
			if strings.HasPrefix(text, "waiting for the turn to land, which hop land until ") {
				close(waits)
			}
		}
		group.Go(func() { land(t, s, LandRequest{Proposals: []string{second}}) })
		<-waits
		d, err := Doctor(context.Background(), around(root), false)
		if err != nil || !d.OK || !strings.Contains(strings.Join(d.Warnings, "\n"), "other landings wait for hop land until ") {
			t.Errorf("%+v, %v", d, err)
		}
	}
	done, err := p.Land(context.Background(), LandRequest{Verb: "land", Proposals: batch, Command: []string{"true"}})
	group.Wait()
	if err != nil || done.Retries != 1 || runs != 2 {
		t.Fatalf("%d runs, %+v, %v", runs, done, err)
	}
	history, err := p.History(context.Background())
	if err != nil || len(history) != 4 || history[1].ID != done.State.ID {
		t.Errorf("%+v, %v", history, err)
	}
	if d, err := Doctor(context.Background(), around(root), false); err != nil || len(d.Warnings) != 0 {
		t.Errorf("the turn is over: %+v, %v", d, err)
	}
}

func TestALandingInsideOfAValidationDoesNotWait(t *testing.T) {
	p, root := demo(t, map[string]string{"a": "a\n"})
	s := proposed(t, p, "b", "b\n")
	unlock, err := durable.Lock(t.Context(), p.Layout.LockFile("landing"), "hop land"+untilMark+clock.Stamp(p.Clock.Now().Add(maxTurn)))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	inner := around(root, hop.EnvLockHeld+"=1")
	inner.Progress = func(text string) {
		if strings.HasPrefix(text, "waiting") {
			t.Error(text)
		}
	}
	land(t, inner, LandRequest{Proposals: []string{s.ID}})
}

func TestALeaseThatRanOutIsNotTakenAgain(t *testing.T) {
	p, _ := demo(t, map[string]string{"a": "a\n"})
	hangs, other := &turn{Project: p}, &turn{Project: p}
	hangs.measured(0)
	hangs.take(t.Context(), time.Nanosecond)
	other.begin(t.Context(), false)
	if other.unlock == nil || !hangs.ranOut.Load() {
		t.Fatal("the turn is not given on")
	}
	other.end()
	hangs.end()
	hangs.begin(t.Context(), true)
	if hangs.unlock != nil {
		t.Error("it has a second turn")
	}
	hangs.forMoment(t.Context())
	if hangs.unlock == nil {
		t.Error("it may not publish in a turn")
	}
	hangs.end()
	slow := &turn{Project: p}
	slow.measured(maxTurn)
	if slow.begin(t.Context(), true); slow.unlock != nil {
		t.Error("the turn is given for longer than the bound")
	}
}

// hasty is a clock that goes on by a second with each look.
type hasty struct{ now *time.Time }

func (h hasty) Now() time.Time {
	*h.now = h.now.Add(time.Second)
	return *h.now
}

func TestAHolderThatStandsStillIsPassed(t *testing.T) {
	p, _ := demo(t, map[string]string{"a": "a\n"})
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	now := began
	p.Clock = hasty{&now}
	unlock, err := durable.Lock(t.Context(), p.Layout.LockFile("landing"), "hop land"+untilMark+clock.Stamp(now.Add(5*time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	waits := &turn{Project: p}
	waits.begin(t.Context(), false)
	if took := now.Sub(began); waits.unlock != nil || took < 5*time.Second || took > 8*time.Second {
		t.Errorf("it waited for %s", took)
	}
}

func TestLeasesEnd(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		holder string
		waited time.Duration
		over   bool
	}{
		{"hop land until 2026-11-30T12:00:09.000Z (pid 7)", time.Minute, false},
		{"hop land until 2026-11-30T11:59:58.000Z (pid 7)", 2 * time.Second, true},
		{"hop land until 2026-11-30T11:59:58.000Z (pid 7)", 0, false}, // it may be the one before
		{"hop land until 2026-11-30T11:59:59.500Z (pid 7)", 2 * time.Second, false},
		{"hop land until 2036-11-30T12:00:00.000Z (pid 7)", maxTurn + 1, true},
		{"hop land (pid 7)", 2 * time.Second, true},
		{"", 2 * time.Second, true},
		{"", 0, false},
	} {
		if got := leaseOver(c.holder, c.waited, now); got != c.over {
			t.Errorf("%q after %s: %v", c.holder, c.waited, got)
		}
	}
}
