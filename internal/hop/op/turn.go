package op

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/durable"
)

// A turn is a landing's place in the order of landings: a lock that says who has
// it and until when. Who only composes and publishes has it for that moment. Who
// validates goes without, until others overtook it: then it knows how long its
// validation takes, and takes a turn for that long, in which the others wait.
//
// It is a courtesy, not what keeps the accepted state right, so whoever cannot have
// it goes on without: inside of a validation, where the folder cannot be written,
// and where the holder's time is over. That a lease ends is up to its holder, and
// after a moment more up to those who wait. One that ran out is not taken again, so
// a validation that hangs delays others once.
type turn struct {
	*Project
	// inside says that this landing is part of another one's validation.
	inside bool
	// took is how long composing and validating took the last time, or zero.
	took time.Duration
	// ranOut says that a lease ended before the landing did.
	ranOut atomic.Bool
	unlock func()
	timer  *time.Timer
}

const (
	// moment is the lease of a landing that has nothing to validate.
	moment = 30 * time.Second
	// turnSlack is what a lease has beside twice the time of the last validation.
	turnSlack = 5 * time.Second
	// maxTurn bounds a lease. To a validation that takes longer no turn is given.
	maxTurn = 2 * time.Minute
	// turnPatience bounds how long one landing waits in all before it goes on.
	turnPatience = 2 * maxTurn
	// turnGrace is how long others wait once a lease is over.
	turnGrace = time.Second
	// turnPoll is how often who waits looks again.
	turnPoll = 5 * time.Millisecond
	// untilMark stands before the end of a lease in the holder's name.
	untilMark = " until "
)

// begin waits for the turn, and keeps it where the landing has nothing to validate
// or was overtaken while it validated.
func (t *turn) begin(ctx context.Context, validates bool) {
	lease := moment
	overtaken := t.took > 0 && t.took < maxTurn && !t.ranOut.Load()
	if validates && overtaken {
		lease = min(2*t.took+turnSlack, maxTurn)
	}
	t.take(ctx, lease)
	if validates && !overtaken {
		t.end()
	}
}

// forMoment takes the turn for publishing, unless it is held.
func (t *turn) forMoment(ctx context.Context) {
	if t.unlock == nil || t.ranOut.Load() {
		t.end()
		t.take(ctx, moment)
	}
}

// measured notes how long it took to compose and to validate.
func (t *turn) measured(took time.Duration) { t.took = max(took, time.Millisecond) }

// end gives the turn back.
func (t *turn) end() {
	if t.unlock != nil {
		t.timer.Stop()
		t.unlock()
		t.unlock = nil
	}
}

func (t *turn) take(ctx context.Context, lease time.Duration) {
	if t.inside {
		return // the validation around it may have the turn, and waits for this
	}
	unlock, ok := t.await(ctx, lease)
	if !ok {
		return
	}
	t.unlock = unlock
	t.timer = time.AfterFunc(lease, func() {
		t.ranOut.Store(true)
		unlock()
	})
}

// await waits until nobody else has the turn.
func (t *turn) await(ctx context.Context, lease time.Duration) (unlock func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	file := t.Layout.LockFile("landing")
	holder, since := "", time.Time{}
	for {
		now := t.Clock.Now()
		unlock, free, err := durable.TryLock(file, "hop land"+untilMark+clock.Stamp(now.Add(lease)))
		if free || err != nil {
			return unlock, free
		}
		if by := durable.Holder(file); by != holder || since.IsZero() {
			holder, since = by, now
			t.say("waiting for the turn to land, which " + holder + " has")
		}
		if leaseOver(holder, now.Sub(since), now) {
			return nil, false
		}
		select {
		case <-ctx.Done():
			return nil, false
		case <-time.After(turnPoll):
		}
	}
}

// leaseOver reports whether a holder that has been waited for has no turn any more.
// Its name may be that of the holder before for a moment, and its clock another one.
func leaseOver(holder string, waited time.Duration, now time.Time) bool {
	_, text, _ := strings.Cut(holder, untilMark)
	text, _, _ = strings.Cut(text, " ")
	end, err := time.Parse(time.RFC3339, text)
	return waited > maxTurn || waited > turnGrace && (err != nil || now.After(end.Add(turnGrace)))
}

// turnHolder names who has the turn to land, or nobody.
func (p *Project) turnHolder() string {
	file := p.Layout.LockFile("landing")
	holder := durable.Holder(file)
	if holder == "" {
		return ""
	}
	unlock, free, err := durable.TryLockShared(file, "hop doctor")
	if err != nil {
		return ""
	}
	if free {
		unlock()
		return ""
	}
	return holder
}
