package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/redact"
)

// Result is what a verb hands back.
type Result struct {
	// Value is what --json prints. Nil prints nothing: the verb wrote its
	// output itself, as a server or a follower does.
	Value any
	// Line, when not empty, is the compact JSON of the value, for a verb that writes
	// it faster than an encoder for any type.
	Line []byte
	// Raw, when not empty, is what is printed without --json, as it is.
	Raw string
	// Text renders the value for a person at a terminal. Nil prints the value
	// as indented JSON there as well.
	Text func(*Page)
	// Exit is the exit code.
	Exit int
}

// ExitInterrupted is the exit code after SIGINT or SIGTERM.
const ExitInterrupted = 130

// finish renders the result or the failure and returns the exit code.
func (c *Call) finish(ctx context.Context, err error) int {
	if err != nil {
		return c.fail(ctx, err)
	}
	return c.print(c.result)
}

func (c *Call) print(r Result) int {
	text, err := c.render(r)
	if err != nil {
		return c.fail(context.Background(), err)
	}
	if _, err := io.WriteString(c.Stdout, text); err != nil {
		return c.lost(err, r.Exit)
	}
	return r.Exit
}

// render returns exactly what goes to standard output.
func (c *Call) render(r Result) (string, error) {
	switch {
	case r.Value == nil && r.Raw == "":
		return "", nil
	case c.JSON && len(r.Line) > 0 && c.App.Layout == nil:
		return string(r.Line) + "\n", nil
	case c.JSON && r.Value != nil:
		data, err := c.layOut(r.Value)
		return string(data) + "\n", err
	case r.Text != nil && c.Terminal.Stdout:
		page := &Page{Width: c.Terminal.Width, color: c.color(c.Terminal.Stdout)}
		r.Text(page)
		return page.text.String(), nil
	case r.Raw != "" && c.Terminal.Stdout:
		return redact.VisibleLines(endLine(r.Raw)), nil
	case r.Raw != "":
		return endLine(r.Raw), nil
	}
	data, err := canon.MarshalIndent(r.Value)
	if err != nil {
		data, err = canon.MarshalLossy(r.Value)
	}
	if c.Terminal.Stdout {
		return redact.VisibleLines(string(data)) + "\n", err
	}
	return string(data) + "\n", err
}

// fail prints a failure and returns its exit code.
func (c *Call) fail(ctx context.Context, err error) int {
	if isBrokenPipe(err) {
		return exitBrokenPipe
	}
	f := fault.From(err)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		f = fault.New("interrupted", "interrupted").WithExit(ExitInterrupted)
	}
	if f.Hint == "" && c.App.Advise != nil {
		advised := *f
		f = advised.WithHint("%s", c.App.Advise(f.Code))
	}
	exit := max(f.Exit, fault.ExitFailure)
	if f.Code == CodeUsage {
		exit = max(exit, c.App.UsageExit)
	}
	if !c.JSON {
		c.explain(f)
		return exit
	}
	layout, out := c.App.Failure, c.Stdout
	if layout == nil {
		layout = hcpFailure
	}
	if c.App.FailureToStderr {
		out = c.Stderr
	}
	data, err := c.layOut(layout(f))
	if err == nil {
		_, err = fmt.Fprintf(out, "%s\n", data)
	}
	switch {
	case err == nil:
		return exit
	case isBrokenPipe(err):
		return exitBrokenPipe
	}
	c.explain(f) // the failure itself must not be lost with the output
	return exit
}

// layOut writes the JSON form of a result or a failure.
func (c *Call) layOut(v any) ([]byte, error) {
	if c.App.Layout != nil {
		return c.App.Layout(v)
	}
	data, err := canon.Marshal(v)
	if err != nil {
		// Names of files are bytes and need not be text.
		return canon.MarshalLossy(v)
	}
	return data, nil
}

// explain prints a failure for a person.
func (c *Call) explain(f *fault.Error) {
	p := &Page{color: c.color(c.Terminal.Stderr)}
	if c.Terminal.Stderr {
		p.Width = c.Terminal.Width
	}
	p.Flow(p.Red(c.App.Name+":"), " ", f.Message)
	if f.Hint != "" {
		p.Flow(p.Dim("hint:"), " ", f.Hint)
	}
	for _, next := range f.Next {
		p.Line(p.Dim("next:"), " ", next)
	}
	// There is no other stream to complain on.
	_, _ = io.WriteString(c.Stderr, p.text.String())
}

// failure is HCP's layout of a failure.
type failure struct {
	OK    bool     `json:"ok"`
	Error string   `json:"error"`
	Code  string   `json:"code,omitempty"`
	Hint  string   `json:"hint,omitempty"`
	Next  []string `json:"next,omitempty"`
}

func hcpFailure(f *fault.Error) any {
	return failure{Error: f.Message, Code: f.Code, Hint: f.Hint, Next: f.Next}
}

// CodeOutputLost is a command that ran and whose result could not be written.
const CodeOutputLost = "output_lost"

// lost reports that the result of a command that ran, and ended with exit, could not
// be written. A reader that went away, as `head` does, is no failure worth a word.
//
// A standard output that was closed before the program started cannot be told from
// /dev/null, which the Go runtime opens in its place before anything of ours runs.
func (c *Call) lost(err error, exit int) int {
	if isBrokenPipe(err) {
		return exitBrokenPipe
	}
	how := "ran and succeeded"
	if exit != 0 {
		how = "ran and failed"
	}
	c.explain(fault.Newf(CodeOutputLost, "the command %s, but its result could not be written: %s", how, plainReason(err)).
		WithHint("what it did is done; look at that before running it again"))
	return max(exit, fault.ExitFailure)
}

// plainReason is what the system says, without the names of calls and streams.
func plainReason(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	return err.Error()
}

// exitBrokenPipe is what a shell reports for a process that SIGPIPE ended.
const exitBrokenPipe = 128 + 13

func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// color reports whether escape codes may be used on a stream.
func (c *Call) color(terminal bool) bool {
	return terminal && c.Env.Get("NO_COLOR") == "" && c.Env.Get("TERM") != "dumb"
}

func endLine(s string) string {
	if strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
