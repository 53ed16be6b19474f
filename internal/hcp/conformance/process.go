package conformance

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/redact"
)

// Command is a driver program of another implementation.
type Command struct {
	Path string
	Args []string
	Env  []string
	// Timeout ends a driver that is not done with a vector.
	Timeout time.Duration
}

// Ambient is what a driver finds in its environment and must never use: a
// credential by the name that the fixture pack reads, and a wish for mock
// credentials. HCP_HOME is an empty directory for implementations with a store.
func ambient(home string) []string {
	return []string{"PROBE_TOKEN=ambient-credential", "HCP_MOCK=1", "HCP_HOME=" + home}
}

// Start starts the program for one vector.
func (c Command) Start(ctx context.Context, dir string) (Driver, error) {
	requests, requestsIn := io.Pipe()
	answers, answersIn := io.Pipe()
	p := &process{in: requestsIn, rest: answers, out: bufio.NewScanner(answers), ended: make(chan struct{})}
	p.out.Buffer(nil, maxLine)
	ctx, p.cancel = context.WithCancel(ctx)
	spec := proc.Spec{
		Path: c.Path, Args: c.Args, Env: append(append([]string{}, c.Env...), ambient(filepath.Join(dir, "store"))...), Dir: dir,
		Stdin: requests, Timeout: c.Timeout, MaxStdout: -1, MaxStderr: 4 << 10, TeeStdout: answersIn,
	}
	go func() {
		defer close(p.ended)
		p.result, p.err = proc.Run(ctx, spec)
		_ = requests.CloseWithError(errEnded) // cannot fail
		_ = answersIn.CloseWithError(errEnded)
	}()
	return p, nil
}

var errEnded = errors.New("the driver has ended")

type process struct {
	in     *io.PipeWriter
	out    *bufio.Scanner
	rest   io.Reader
	cancel context.CancelFunc
	ended  chan struct{}
	result proc.Result // once ended
	err    error
}

// Do writes the request on a line and reads the line of the answer.
func (p *process) Do(_ context.Context, r Request) ([]byte, error) {
	line, err := canon.Marshal(r)
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return nil, p.why(err)
	}
	if !p.out.Scan() {
		return nil, p.why(p.out.Err())
	}
	return bytes.Clone(p.out.Bytes()), nil
}

// why says how the driver ended, when it has.
func (p *process) why(err error) error {
	if err != nil && !errors.Is(err, errEnded) {
		return fmt.Errorf("read the answer: %w", err)
	}
	<-p.ended
	if p.err != nil {
		return fmt.Errorf("start the driver: %w", p.err)
	}
	how := fmt.Sprintf("exit code %d", p.result.ExitCode)
	switch {
	case p.result.TimedOut:
		how = "out of time"
	case p.result.Signal != "":
		how = "signal " + p.result.Signal
	}
	said := strings.TrimSpace(redact.Visible(string(p.result.Stderr.Head)))
	if said != "" {
		how += ": " + said
	}
	return fmt.Errorf("the driver ended without an answer, %s", how)
}

// Close ends the input, which ends a driver that keeps to the protocol; any
// other is ended at its deadline.
func (p *process) Close() error {
	_ = p.in.Close() // cannot fail
	// Words after the last answer have no meaning, but the pipe must not block.
	_, _ = io.Copy(io.Discard, p.rest)
	<-p.ended
	p.cancel()
	return nil
}
