// Package fault is the one error type of the tools.
//
// A fault carries what a person and a program need to go on: a stable code to
// branch on, one sentence that says what happened, a hint that says what to do
// next, the exact next commands where there are any, and the exit code. The
// cause stays reachable for errors.Is and errors.As but is never printed to a
// user by itself: whoever makes the fault says in Message what of it matters.
//
// Messages follow one form: one sentence, lower case, no full stop, values in
// double quotes. Codes are wire facts of the protocol that uses them.
package fault

import (
	"errors"
	"fmt"
)

// ExitFailure is the exit code of a fault that names none.
const ExitFailure = 1

// CodeInternal marks a failure that no rule of ours foresaw.
const CodeInternal = "internal"

// Error is a failure with everything needed to act on it. Its fields are read
// by the renderers; construct it with New or Newf and the With methods.
type Error struct {
	Code    string
	Message string
	Hint    string
	Next    []string
	Exit    int
	Cause   error
}

// New returns a fault with a fixed message.
func New(code, message string) *Error {
	return &Error{Code: code, Message: message, Exit: ExitFailure}
}

// Newf returns a fault with a formatted message. It does not interpret %w: a
// cause is attached with Because, so that it cannot leak into the message.
func Newf(code, format string, args ...any) *Error {
	return New(code, fmt.Sprintf(format, args...))
}

// Error returns the message alone.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Because attaches the cause.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// WithHint says what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	if len(args) == 0 {
		e.Hint = format
		return e
	}
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// WithNext names the exact commands to run instead.
func (e *Error) WithNext(commands ...string) *Error {
	e.Next = append(e.Next, commands...)
	return e
}

// WithExit sets the exit code of the process that ends with this fault.
func (e *Error) WithExit(code int) *Error {
	e.Exit = code
	return e
}

// From returns err as a fault. An error that is none becomes an internal one
// with the error's text as message, so that nothing is lost on the way out.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return New(CodeInternal, err.Error()).Because(err)
}

// CodeOf returns the code of the fault in err's chain, or the empty string.
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// Is reports whether err carries the code.
func Is(err error, code string) bool { return err != nil && CodeOf(err) == code }
