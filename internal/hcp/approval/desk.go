package approval

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"

	"bridle/hcp"
	"bridle/internal/kernel/clock"
)

// Store keeps a book. Update is alone with it: no other Update, in whatever
// process, happens meanwhile, and what fn leaves is kept when Update returns
// nil. An error of fn leaves the book as it was.
type Store interface {
	Read(ctx context.Context) (Book, error)
	Update(ctx context.Context, fn func(*Book) error) error
}

// Desk takes requests and answers them. It is safe for concurrent use.
type Desk struct {
	store Store
	clock clock.Clock
}

// New returns a desk over a store.
func New(s Store, c clock.Clock) *Desk { return &Desk{s, c} }

// moment is the present.
func (d *Desk) moment() moment {
	m := moment{now: d.clock.Now()}
	if runner, ok := d.clock.(clock.Runner); ok {
		if boot, lasted, known := runner.Running(); known {
			m.boot, m.lasted = boot, lasted
		}
	}
	return m
}

// newID is short enough to type and too random to guess while it counts.
func newID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it does not fail
	return hex.EncodeToString(b[:])
}

// Consume uses up a person's approval of exactly this subject.
func (d *Desk) Consume(ctx context.Context, s Subject) (Answer, error) {
	digest, err := s.Digest()
	if err != nil {
		return Answer{}, err
	}
	// Mostly there is nothing, which takes no lock to see: records are only
	// added before the call that they answer is made.
	book, err := d.store.Read(ctx)
	if err != nil || len(book.Records) == 0 {
		return Answer{}, err
	}
	var a Answer
	err = d.store.Update(ctx, func(b *Book) error {
		b.turn(d.moment())
		a = b.answer(s, digest)
		return nil
	})
	if err != nil {
		return Answer{}, err
	}
	return a, nil
}

// Request stores the question and completes it with its id and its end.
func (d *Desk) Request(ctx context.Context, s Subject, request *hcp.ApprovalRequest) (string, error) {
	digest, err := s.Digest()
	if err != nil {
		return "", err
	}
	err = d.store.Update(ctx, func(b *Book) error {
		m := d.moment()
		r, err := b.ask(s, digest, *request, newID, b.turn(m), m)
		if err == nil {
			request.ApprovalID, request.ExpiresAt = r.ID, r.Request.ExpiresAt
		}
		return err
	})
	return request.ApprovalID, err
}

// Decide answers a request for a person.
func (d *Desk) Decide(ctx context.Context, id string, yes bool) (Record, error) {
	var decided Record
	err := d.store.Update(ctx, func(b *Book) error {
		now := b.turn(d.moment())
		r, err := b.decide(id, yes, now)
		if err == nil {
			decided = *r
		}
		return err
	})
	return decided, err
}

// Cancel answers an open request as cancelled. One that is answered already
// stays as it is.
func (d *Desk) Cancel(ctx context.Context, id string) error {
	return d.store.Update(ctx, func(b *Book) error {
		b.cancel(id, b.turn(d.moment()))
		return nil
	})
}

// Waiting lists the open requests, the oldest first.
func (d *Desk) Waiting(ctx context.Context) ([]Record, error) {
	book, err := d.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	book.turn(d.moment())
	return slices.DeleteFunc(book.Records, func(r Record) bool { return r.State != Open }), nil
}

// Find returns a request that has not expired, whatever its state.
func (d *Desk) Find(ctx context.Context, id string) (Record, bool, error) {
	book, err := d.store.Read(ctx)
	if err != nil {
		return Record{}, false, err
	}
	book.turn(d.moment())
	if r := book.find(func(r *Record) bool { return r.ID == id }); r != nil {
		return *r, true, nil
	}
	return Record{}, false, nil
}
