// Package adapter is the contract between the pipeline and the ways in which a
// command reaches the world (§3.2, §6.4, §6.6).
//
// An adapter is handed a call that was already authorised: it checks no grant,
// asks no question and mints nothing. It says what happened in an Outcome; it
// does not shape the result envelope, clean it or record it. Commands that run
// other commands get an Invoker, so that no path to a command goes around the
// pipeline (§9.5).
//
// What every adapter promises, kept by the suite in adaptertest:
//
//   - Failure nil means success; otherwise Failure has a code and a message.
//   - Started false means that nothing of the command ran.
//   - A context that is already over starts nothing.
//   - Requests are not modified; concurrent runs do not see each other.
package adapter

import (
	"context"
	"encoding/json"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/executable"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// Request is one authorised call.
type Request struct {
	CallID    string
	Pack      *pack.Pack
	Key       string
	Operation hcp.Operation
	Land      hcp.Land
	// Confirmed says that someone entitled to said yes to exactly this call.
	Confirmed bool
	// AskedToConfirm says that the call itself carried confirm, the caller's own
	// word. A command that runs another one passes it on.
	AskedToConfirm bool
	// Args are the checked arguments without the reserved names.
	Args hcp.Args
	// Argv is the rendered command line of a wrap pack.
	Argv command.Argv
	// Bin is the executable that was pinned for a wrap pack.
	Bin        Bin
	Scope      hcp.AuthzContext
	Sandbox    hcp.SandboxMode
	Credential binding.Credential
	Invoke     Invoker
}

// Bin is what wrap.bin of a pack meant when the pack was activated: one
// absolute file without links. Nothing else runs for the pack.
type Bin struct {
	// Name is wrap.bin as the pack has it.
	Name string
	// Path is the file that runs; empty when there is none, and Reason says why.
	Path   string
	Reason string
	// Argv0 is the name under which it runs.
	Argv0  string
	SHA256 string
	// Interpreters are the files that run in its place when it is a script.
	Interpreters []string
}

// BinOf is the pinned executable as adapters take it; nil for a pack without
// one.
func BinOf(f *executable.File) Bin {
	if f == nil {
		return Bin{}
	}
	b := Bin{Name: f.Name, Path: f.Path, Reason: f.Reason, Argv0: f.Argv0, SHA256: f.SHA256}
	for _, interpreter := range f.Interpreters {
		b.Interpreters = append(b.Interpreters, interpreter.Path)
	}
	return b
}

// Invoker runs another command through the whole pipeline, as the same
// Principal.
type Invoker func(ctx context.Context, packID, key string, args hcp.Args) hcp.ExecResult

// Outcome is what came of a call.
type Outcome struct {
	Started bool
	Failure *fault.Error
	// Value is the JSON result of a command that ran in process.
	Value json.RawMessage
	// Stdout and Stderr are the streams of a command that was spawned.
	Stdout, Stderr *Stream
	ExitCode       *int
	Duration       time.Duration
	Notes          []string
	// Found is the code of something that was found and put right beside the
	// call, for the audit log; a note says what.
	Found string
	// Deferred says that the command did nothing but name what would do it.
	Deferred bool
	// Nested is the envelope of the call inside this one that refused or failed,
	// where that is why this one failed.
	Nested *hcp.ExecResult
}

// Stream is the beginning of what a command wrote, and how much that was.
type Stream struct {
	Head []byte
	Size int64
}

// Truncated reports whether the command wrote more than was kept.
func (s *Stream) Truncated() bool { return s.Size > int64(len(s.Head)) }

// How much of a command's output is kept. A result holds less of it; the rest
// is there to be read in pieces.
const (
	MaxStdout = 16 << 20
	MaxStderr = 256 << 10
)

// Adapter runs authorised calls. Implementations are safe for concurrent use.
type Adapter interface {
	Run(ctx context.Context, r Request) Outcome
}

// Func is an Adapter made of one function.
type Func func(ctx context.Context, r Request) Outcome

// Run calls f.
func (f Func) Run(ctx context.Context, r Request) Outcome { return f(ctx, r) }

// The codes of adapters' faults.
const (
	// CodeCommandFailed is a command that ran and reported failure.
	CodeCommandFailed = "command_failed"
	CodeTimeout       = "timeout"
	CodeCanceled      = "canceled"
	CodePanicked      = "handler_panicked"
)

// Refused is the outcome of a call that did not start.
func Refused(err error) Outcome { return Outcome{Failure: fault.From(err)} }

// Over returns the fault of a context that has ended, or nil.
func Over(ctx context.Context) *fault.Error {
	switch ctx.Err() {
	case nil:
		return nil
	case context.DeadlineExceeded:
		return fault.New(CodeTimeout, "the time limit passed before the command started").Because(ctx.Err())
	default:
		return fault.New(CodeCanceled, "the call was cancelled before the command started").Because(ctx.Err())
	}
}
