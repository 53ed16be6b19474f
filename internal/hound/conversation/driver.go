package conversation

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
)

// grace is the time between TERM and KILL at the deadline.
const grace = 250 * time.Millisecond

// maxComplaint is how much of what a failed driver wrote goes into the error.
const maxComplaint = 4096

// Runner runs a program under supervision and says how it was cleaned up after.
type Runner func(ctx context.Context, spec proc.Spec) (proc.Result, hound.Cleanup, error)

// Driver is a driver in its repository.
type Driver struct {
	Manifest *manifest.Manifest
	// Root is the absolute path of the owner's repository.
	Root string
	Env  Environment
	Run  Runner
}

// Answer is a response with what belongs to its receipt.
type Answer struct {
	Response *hound.Response
	// Request is the canonical request as it was sent.
	Request []byte
	Cleanup hound.Cleanup
}

// Ask sends one request. The answer's Cleanup counts also when there is an error.
func (d *Driver) Ask(ctx context.Context, request hound.Request) (Answer, error) {
	return d.AskAfter(ctx, request, nil)
}

// AskAfter is Ask with something that is done first, while the start is readied.
// The driver starts after it and, when it fails, not at all: its error is then
// returned as it is. Where the driver cannot be started it may not be done at all.
func (d *Driver) AskAfter(ctx context.Context, request hound.Request, first func() error) (Answer, error) {
	request.SchemaVersion = hound.SchemaRequest
	line, err := document.Line(request)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Request: line[:len(line)-1]}
	path, err := d.program()
	if err != nil {
		return answer, err
	}
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	meter := &meter{cancel: cancel}
	var early error
	var before func() error
	if first != nil {
		before = func() error {
			early = first()
			return early
		}
	}
	result, cleanup, err := d.Run(bounded, proc.Spec{
		Path: path, Argv0: d.Manifest.Exec[0], Args: d.Manifest.Exec[1:], Env: d.Env.list(), Unmarked: true,
		Dir: d.Root, Stdin: bytes.NewReader(line), Timeout: d.Manifest.Timeout(request.Operation), Grace: grace,
		MaxStdout: maxOutput, MaxStderr: maxOutput, TeeStdout: meter, TeeStderr: meter, Before: before,
	})
	answer.Cleanup = cleanup
	if early != nil {
		return answer, early
	}
	if err != nil {
		return answer, notStarted(d.Manifest.Exec[0], err)
	}
	if ctx.Err() != nil && result.Canceled {
		return answer, context.Cause(ctx)
	}
	answer.Response, err = d.read(result, meter.full.Load(), d.Manifest.Timeout(request.Operation))
	return answer, err
}

// read takes the answer apart, in the order in which failures count.
func (d *Driver) read(result proc.Result, tooMuch bool, timeout time.Duration) (*hound.Response, error) {
	scanner := d.Env.scanner()
	out, complaint := result.Stdout.Head, result.Stderr.Head
	if scanner.InBytes(out) || scanner.InDocument(complaint, ResponseLimits()) {
		return nil, leaked()
	}
	id := d.Manifest.ID
	switch {
	case tooMuch || result.Stdout.Truncated() || result.Stderr.Truncated():
		return nil, fault.Newf(hound.CodeTooMuch, "the driver %q wrote more than %d bytes", id, maxOutput)
	case !utf8.Valid(out) || !utf8.Valid(complaint):
		return nil, fault.Newf(hound.CodeDriver, "the driver %q wrote what is not UTF-8", id)
	case result.TimedOut:
		return nil, fault.Newf(hound.CodeTimeout, "the driver %q did not end within %s%s", id, timeout, said(complaint))
	case result.ExitCode != 0:
		return nil, fault.Newf(hound.CodeDriver, "the driver %q ended with status %d%s", id, result.ExitCode, said(complaint))
	}
	response, err := ParseResponse(out)
	if err != nil && scanner.InDocument(out, ResponseLimits()) {
		return nil, leaked() // what breaks the contract is named in the failure
	}
	if err != nil {
		f := fault.Newf(hound.CodeBadResponse, "the driver %q: %s", id, err.Error()).WithExit(hound.ExitRefused).Because(err)
		return nil, f.WithHint("it must print one hound.driver.response.v1 object and nothing else%s", said(complaint))
	}
	if scanner.InDocument(response.Raw, ResponseLimits()) {
		return nil, leaked()
	}
	return response, nil
}

func leaked() error {
	return fault.New(hound.CodeCredential, "the driver's output holds the value of a secret variable, or what cannot be searched for one").
		WithHint("the answer was dropped; a driver must not print what it was handed")
}

// said quotes the driver's error output, which has been searched for secrets.
func said(complaint []byte) string {
	text := strings.TrimSpace(string(complaint))
	if text == "" {
		return ""
	}
	if runes := []rune(text); len(runes) > maxComplaint {
		text = string(runes[:maxComplaint])
	}
	return ": " + text
}

// program finds the file that runs: a name without a slash on the fixed PATH,
// any other from the repository's root.
func (d *Driver) program() (string, error) {
	name := d.Manifest.Exec[0]
	if strings.Contains(name, "/") {
		if filepath.IsAbs(name) {
			return filepath.Clean(name), nil
		}
		return filepath.Join(d.Root, name), nil
	}
	for dir := range strings.SplitSeq(SystemPath, ":") {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fault.Newf(hound.CodeDriverMissing, "the program %q is not in %s", name, SystemPath).
		WithHint("a driver of the repository itself is named by its path, such as ./tools/driver")
}

func notStarted(name string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	f := fault.From(err)
	if f.Code == proc.CodeSupervisorLost {
		// It may have run, and done anything.
		return fault.Newf(hound.CodeDriver, "the driver's program %q did not come to its end: %s", name, f.Message).WithHint("%s", f.Hint).Because(err)
	}
	return fault.Newf(hound.CodeDriverMissing, "the driver's program %q could not be started: %s", name, f.Message).
		WithHint("%s", f.Hint).Because(err)
}

// meter counts both outputs together and ends the driver that writes too much.
type meter struct {
	count  atomic.Int64
	full   atomic.Bool
	cancel context.CancelCauseFunc
}

var errFull = errors.New("the output is too large")

func (m *meter) Write(p []byte) (int, error) {
	if m.count.Add(int64(len(p))) > maxOutput && m.full.CompareAndSwap(false, true) {
		m.cancel(errFull)
	}
	return len(p), nil
}
