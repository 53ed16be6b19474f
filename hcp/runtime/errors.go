package hcpruntime

import (
	"context"
	"errors"

	"bridle/internal/kernel/fault"
)

// Error is what the methods of this package fail with. Code is stable; Hint and
// Next say what to do.
type Error struct {
	Code    string
	Message string
	Hint    string
	Next    []string
	cause   error
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
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if _, ok := errors.AsType[*fault.Error](err); !ok && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	f := fault.From(err)
	return &Error{Code: f.Code, Message: f.Message, Hint: f.Hint, Next: f.Next, cause: f.Unwrap()}
}

// private is the reverse, for errors of drivers, hubs and handlers.
func private(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	return fault.New(e.Code, e.Message).WithHint("%s", e.Hint).WithNext(e.Next...).Because(e.cause)
}
