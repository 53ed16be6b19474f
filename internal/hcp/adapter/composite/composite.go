// Package composite runs commands in process (§3.2, §6.6).
//
// The host program registers a handler per pack and command; packs cannot bring
// code of their own. A handler that panics is a failed command, never a crash
// of the program, and what it panicked with stays out of the result.
package composite

import (
	"context"
	"errors"
	"fmt"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

// CodeNoHandler is a composite command that this program has no code for.
const CodeNoHandler = "no_handler"

// Handler is the code of one command. The value it returns becomes the result;
// an error becomes a failed result, with code, hint and next when it is a fault.
type Handler func(ctx context.Context, r adapter.Request) (any, error)

// Handlers maps a pack's commands to their code.
type Handlers map[string]Handler

// Adapter runs registered handlers. It does not change after New, so that calls
// need no lock.
type Adapter struct {
	packs map[string]Handlers
	clock clock.Clock
}

// New returns an adapter for the given packs' handlers, by pack id.
func New(c clock.Clock, packs map[string]Handlers) *Adapter {
	return &Adapter{packs: packs, clock: c}
}

// Has reports whether a pack's command has code in this program.
func (a *Adapter) Has(packID, key string) bool { return a.packs[packID][key] != nil }

// Run calls the handler of the command.
func (a *Adapter) Run(ctx context.Context, r adapter.Request) (out adapter.Outcome) {
	handler := a.packs[r.Pack.ID][r.Key]
	if handler == nil {
		return adapter.Refused(fault.Newf(CodeNoHandler, "no handler for composite command %q of pack %q", r.Key, r.Pack.ID).
			WithHint("a composite pack needs a program that implements its commands; this one does not"))
	}
	if over := adapter.Over(ctx); over != nil {
		return adapter.Refused(over)
	}
	began := a.clock.Now()
	out.Started = true
	defer func() {
		out.Duration = max(0, a.clock.Now().Sub(began))
		if p := recover(); p != nil {
			out.Value = nil
			out.Failure = panicked(r, p)
		}
	}()
	value, err := handler(ctx, r)
	if err != nil {
		out.Failure = failure(ctx, err)
		if nested, ok := errors.AsType[*NestedError](err); ok {
			out.Nested = &nested.Result
		}
		return out
	}
	_, out.Deferred = value.(Deferred)
	out.Value, err = canon.Marshal(value)
	if err != nil {
		out.Failure = fault.Newf(adapter.CodeCommandFailed, "command %q of pack %q returned a value that is no JSON", r.Key, r.Pack.ID).Because(err)
	}
	return out
}

func panicked(r adapter.Request, value any) *fault.Error {
	cause, ok := value.(error)
	if !ok {
		cause = fmt.Errorf("panic: %v", value)
	}
	return fault.Newf(adapter.CodePanicked, "command %q of pack %q failed unexpectedly", r.Key, r.Pack.ID).
		WithHint("this is a defect of the program, not of the call; other commands still work").
		Because(cause)
}

// failure gives a handler's error a code when it has none, so that callers can
// always branch.
func failure(ctx context.Context, err error) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil:
		return fault.New(adapter.CodeTimeout, "the time limit passed while the command ran").Because(err)
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return fault.New(adapter.CodeCanceled, "the call was cancelled while the command ran").Because(err)
	}
	return fault.New(adapter.CodeCommandFailed, err.Error()).Because(err)
}

// NestedError is the failure of a command because one that it ran was refused or
// failed. What a host needs to go on, such as a request for approval, is in the
// result.
type NestedError struct{ Result hcp.ExecResult }

// Error is the message of the result.
func (e *NestedError) Error() string { return e.Result.Error }

// Unwrap is the failure of the result as a fault.
func (e *NestedError) Unwrap() error {
	return fault.New(e.Result.Code, e.Result.Error).WithHint("%s", e.Result.Hint).WithNext(e.Result.Next...)
}

// Deferred is the answer of a command that changes the store when the program
// that runs it does not own the store (hcp-cli's lifecycle commands).
type Deferred struct {
	DeferredToCLI bool   `json:"deferred_to_cli"`
	Hint          string `json:"hint"`
}

// DeferToCLI returns a handler that answers with the command line to run
// instead.
func DeferToCLI(line string) Handler {
	answer := Deferred{DeferredToCLI: true, Hint: "the store belongs to the command line; run: " + line}
	return func(context.Context, adapter.Request) (any, error) { return answer, nil }
}
