package repo

import (
	"context"
	"errors"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/fault"
)

// Error is what the functions of this package fail with. Code is stable, Exit is
// the exit code of the hop program, Hint and Next say what to do.
type Error struct {
	Code    string
	Message string
	Hint    string
	Next    []string
	Exit    int
	// Overlap says on which paths a landing is blocked, Check is the evidence of a
	// command that failed, Failed is the state that records it, and Paths are what
	// the failure is about.
	Overlap *hop.Overlap
	Check   *hop.Check
	Failed  string
	Paths   []string
	// Fingerprints name the credentials that a proposal was refused for.
	Fingerprints []string
	cause        error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// public turns an error from inside into one that callers outside can read.
func public(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); !ok && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	f, d := fault.From(err), op.DetailsOf(err)
	return &Error{
		Code: f.Code, Message: f.Message, Hint: f.Hint, Next: f.Next, Exit: max(f.Exit, hop.ExitInternal),
		Overlap: d.Overlap, Check: d.Check, Failed: d.State, Paths: d.Paths, Fingerprints: d.Fingerprints, cause: f.Unwrap(),
	}
}
