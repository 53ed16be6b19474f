// Package clock is the only source of "now".
//
// Code that needs the time receives a Clock as a value. Programs hand in
// System; tests hand in Fixed, also in processes they start. Nothing in a
// product build can set the clock through the environment, since a clock that
// a caller may turn back would extend approvals.
package clock

import "time"

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// Runner is a clock that also counts in a way that nobody sets: how long this
// run of the machine has lasted, and what names the run. ok is false where that
// cannot be told.
type Runner interface {
	Running() (boot string, lasted time.Duration, ok bool)
}

// System returns the machine's clock, in UTC.
func System() Clock { return system{} }

type system struct{}

func (system) Now() time.Time { return time.Now().UTC() }

// Fixed returns a clock that stands still at t.
func Fixed(t time.Time) Clock { return fixed{t.UTC()} }

type fixed struct{ t time.Time }

func (f fixed) Now() time.Time { return f.t }

// Stamp formats t as the tools write times: RFC 3339 in UTC with milliseconds.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
