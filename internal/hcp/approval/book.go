package approval

import (
	"slices"
	"time"

	"bridle/hcp"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

// Lifetime is how long a request is open and its answer counts.
const Lifetime = 15 * time.Minute

// Bounds of a book.
const (
	maxOpen    = 128
	maxRecords = 512
	// stepBack is how far the clock may seem to go back, as it does when it is
	// adjusted, before what was recorded counts for nothing.
	stepBack = 5 * time.Second
)

// State is the state of a request.
type State string

// The states. A yes can be taken back and a no changed until the call has run.
const (
	Open      State = "open"
	Approved  State = "approved"
	Rejected  State = "rejected"
	Used      State = "used"
	Cancelled State = "cancelled"
)

// Record is one request and its answer.
type Record struct {
	ID      string    `json:"id"`
	State   State     `json:"state"`
	Created time.Time `json:"created_at"`
	Expires time.Time `json:"expires_at"`
	Decided time.Time `json:"decided_at,omitzero"`
	// Boot and Asked say when the question was asked by the machine's own count,
	// which runs on when the clock is set back: the run of the machine, and how
	// long it had lasted. Empty where the machine does not tell.
	Boot    string  `json:"boot,omitzero"`
	Asked   int64   `json:"asked_ns,omitzero"`
	Digest  string  `json:"digest"`
	Subject Subject `json:"subject"`
	// Request is what the person sees.
	Request hcp.ApprovalRequest `json:"request"`
}

// Book holds the requests in the order in which they were made. Latest is the
// latest time that it has seen: it does not count time twice.
type Book struct {
	Latest  time.Time `json:"latest,omitzero"`
	Records []Record  `json:"approvals"`
}

// moment is a time by the clock and, where the machine tells it, by its own count.
type moment struct {
	now    time.Time
	boot   string
	lasted time.Duration
}

// over reports whether more time has passed since the question than an answer
// counts for, by the machine's own count. Another run of the machine has no
// count in common with it.
func (r *Record) over(m moment) bool {
	if r.Boot == "" || m.boot == "" {
		return false // the clock has to do
	}
	passed := m.lasted - time.Duration(r.Asked)
	return r.Boot != m.boot || passed < 0 || passed >= Lifetime
}

// turn brings the book to the present: it drops what has expired, and all of
// it when the clock was set back. It returns the time that counts, which never
// goes back.
func (b *Book) turn(m moment) time.Time {
	now := m.now
	if now.Before(b.Latest) {
		if b.Latest.Sub(now) > stepBack {
			b.Records = nil
		} else {
			now = b.Latest
		}
	}
	b.Latest = now
	b.Records = slices.DeleteFunc(b.Records, func(r Record) bool {
		return !now.Before(r.Expires) || now.Before(r.Created) || r.Expires.Sub(r.Created) > Lifetime || r.over(m)
	})
	return now
}

// find returns the newest record that fits.
func (b *Book) find(fits func(*Record) bool) *Record {
	for i := range slices.Backward(b.Records) {
		if fits(&b.Records[i]) {
			return &b.Records[i]
		}
	}
	return nil
}

// ask records a request, or returns the open one of the same subject.
func (b *Book) ask(s Subject, digest string, request hcp.ApprovalRequest, newID func() string, now time.Time, m moment) (*Record, error) {
	if r := b.find(func(r *Record) bool { return r.Digest == digest && r.State == Open }); r != nil {
		return r, nil
	}
	open := 0
	for i := range b.Records {
		if b.Records[i].State == Open {
			open++
		}
	}
	if open >= maxOpen || len(b.Records) >= maxRecords {
		return nil, fault.Newf(CodeTooMany, "%d requests for approval are waiting already", open).
			WithHint("nothing ran; the user answers some of them, or they expire within 15 minutes").WithNext("hcpx approvals")
	}
	id := newID()
	for b.find(func(r *Record) bool { return r.ID == id }) != nil {
		id = newID()
	}
	r := Record{ID: id, State: Open, Created: now, Expires: now.Add(Lifetime), Digest: digest, Subject: s, Boot: m.boot, Asked: int64(m.lasted)}
	request.ApprovalID, request.ExpiresAt = id, clock.Stamp(r.Expires)
	r.Request = request
	b.Records = append(b.Records, r)
	return &b.Records[len(b.Records)-1], nil
}

// Answer is what a book says about a call.
type Answer struct {
	// ID is the request that State is about; empty where the book has no answer.
	ID    string
	State State
	// Changed is what is different from a call that a person approved.
	Changed []string
}

// answer looks the call up and uses up a yes.
func (b *Book) answer(s Subject, digest string) Answer {
	given := func(state State) *Record {
		return b.find(func(r *Record) bool { return r.Digest == digest && r.State == state })
	}
	if r := given(Approved); r != nil {
		r.State = Used
		return Answer{ID: r.ID, State: Approved}
	}
	if r := given(Rejected); r != nil {
		return Answer{ID: r.ID, State: Rejected}
	}
	near := b.find(func(r *Record) bool {
		return r.State == Approved && r.Subject.PackID == s.PackID && r.Subject.Key == s.Key
	})
	if near == nil {
		return Answer{}
	}
	return Answer{Changed: near.Subject.Changes(s)}
}

// decide answers a request.
func (b *Book) decide(id string, yes bool, now time.Time) (*Record, error) {
	r := b.find(func(r *Record) bool { return r.ID == id })
	switch {
	case r == nil:
		return nil, fault.Newf(CodeBadApproval, "no request %q is waiting", id).
			WithHint("it is unknown or has expired; list the waiting ones, or ask the agent to run the command again").WithNext("hcpx approvals")
	case r.State == Used:
		return nil, fault.Newf(CodeBadApproval, "request %q was approved and has run", id).
			WithHint("an approval covers one run; ask the agent to run the command again")
	case r.State == Cancelled:
		return nil, fault.Newf(CodeBadApproval, "request %q was cancelled with the run that asked", id).
			WithHint("ask the agent to run the command again")
	}
	r.State, r.Decided = Rejected, now
	if yes {
		r.State = Approved
	}
	return r, nil
}

// cancel answers an open request as cancelled.
func (b *Book) cancel(id string, now time.Time) {
	if r := b.find(func(r *Record) bool { return r.ID == id && r.State == Open }); r != nil {
		r.State, r.Decided = Cancelled, now
	}
}
