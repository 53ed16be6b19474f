package proc

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/sandbox"
)

// DefaultGrace is the time between TERM and KILL when a Spec names none.
const DefaultGrace = 2 * time.Second

// DefaultKeep is the number of bytes kept of each output when a Spec names none.
const DefaultKeep = 1 << 20

// Spec says what to run and within which bounds.
type Spec struct {
	// Path is the absolute path of the file that runs.
	Path string
	// Argv0 is the name that the program sees as its own; "" means Path.
	Argv0 string
	// Args are the arguments after the name.
	Args []string
	// Env is the complete environment, as name=value; nil is an empty one. An
	// unconfined child gets one variable more, unless Unmarked, and so does one with
	// a Mark: see MarkVariable.
	Env []string
	// Dir is the absolute working directory; "" is the caller's.
	Dir string
	// Stdin is fed to the child; nil is /dev/null. It may still be read from after
	// Run returned when its Read blocks.
	Stdin io.Reader
	// Before is done while the start is being readied, on another goroutine. The
	// program starts once it has returned, and not at all when it returned an error,
	// which is then the run's. It is over when the run is.
	Before func() error
	// Timeout is the deadline, counted from the start. It must be positive.
	Timeout time.Duration
	// Grace is the time between TERM and KILL, at most an hour; 0 means
	// DefaultGrace.
	Grace time.Duration
	// MaxStdout and MaxStderr are how many bytes are kept; 0 means DefaultKeep,
	// a negative number none. All bytes are read and counted.
	MaxStdout, MaxStderr int64
	// TeeStdout and TeeStderr receive everything, from another goroutine. When one
	// blocks, the output waits, the deadline does not: then Run returns while the
	// writer is still in use.
	TeeStdout, TeeStderr io.Writer
	// Profile confines the child; nil runs it unconfined.
	Profile *sandbox.Profile
	// Kept confines the child in place of Profile, by a profile that many runs
	// share.
	Kept *sandbox.Kept
	// Cgroup puts an unconfined child into a control group of its own where the
	// system has one to give (Result.Caged says so), which finds every descendant
	// whatever it did to hide.
	Cgroup bool
	// Mark is what the child and its descendants carry in MarkVariable (NewMark);
	// "" makes one up for an unconfined child, and gives a confined one none. A
	// caller that writes the mark down before the run lets another process end
	// what is left of the run when the caller is killed (EndLeftovers).
	Mark string
	// Unmarked leaves the environment of an unconfined child exactly as given. A
	// descendant that leaves session and process tree is then not found.
	Unmarked bool
}

// Capture is what became of one output.
type Capture struct {
	// Head is the beginning, up to the cap.
	Head []byte
	// Size is how many bytes there were.
	Size int64
}

// Truncated says whether bytes are missing from Head.
func (c Capture) Truncated() bool { return c.Size > int64(len(c.Head)) }

// Result is how a run ended.
type Result struct {
	// ExitCode is the program's, or 128 plus the signal that ended it.
	ExitCode int
	// Signal names the signal that ended it, such as "SIGKILL", or is empty.
	Signal string
	// Stdout and Stderr are what it wrote.
	Stdout, Stderr Capture
	// TimedOut says that the deadline passed; Canceled that the context ended.
	TimedOut, Canceled bool
	// Leftovers counts the processes that were still there when the leader had
	// ended and had to be killed.
	Leftovers int
	// Caged says that the run had a control group of its own.
	Caged bool
	// Held says that a process out of reach still had an output open; what it may
	// write later is lost.
	Held bool
	// Duration is the time from start to end.
	Duration time.Duration
}

// validate refuses what could not be run as meant.
func (s *Spec) validate() error {
	switch {
	case !filepath.IsAbs(s.Path):
		return fault.Newf(CodeBadSpec, "program path %q is not absolute", s.Path)
	case s.Dir != "" && !filepath.IsAbs(s.Dir):
		return fault.Newf(CodeBadSpec, "working directory %q is not absolute", s.Dir)
	case s.Timeout <= 0:
		return fault.Newf(CodeBadSpec, "program %q has no time limit", s.Path)
	case s.Mark != "" && (s.Unmarked || !isMark(s.Mark)):
		return fault.Newf(CodeBadSpec, "program %q cannot carry the mark %q", s.Path, s.Mark)
	}
	for _, text := range [...]string{s.Path, s.Argv0, s.Dir} {
		if strings.IndexByte(text, 0) >= 0 {
			return holdsNUL("name", text)
		}
	}
	for _, arg := range s.Args {
		if strings.IndexByte(arg, 0) >= 0 {
			return holdsNUL("argument", arg)
		}
	}
	for _, pair := range s.Env {
		if strings.IndexByte(pair, 0) >= 0 {
			name, _, _ := strings.Cut(pair, "=")
			return holdsNUL("environment variable", name)
		}
	}
	return nil
}

func holdsNUL(what, text string) error {
	return fault.Newf(CodeBadSpec, "%s %q contains a NUL byte, which no program can receive", what, text).
		WithHint("remove the NUL byte")
}

// begin has the work of Before done, and returns what waits for its end.
func (s *Spec) begin(ctx context.Context) (wait func() error) {
	if s.Before == nil {
		return func() error { return nil }
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Before() }()
	return sync.OnceValue(func() error {
		if err := <-ended; err != nil {
			return err
		}
		return beforeStart(ctx, s.Path)
	})
}

// argv is the argument vector with the name in front.
func (s *Spec) argv() []string {
	name := s.Argv0
	if name == "" {
		name = s.Path
	}
	argv := make([]string, 0, 1+len(s.Args))
	return append(append(argv, name), s.Args...)
}

func (s *Spec) grace() time.Duration {
	if s.Grace > 0 {
		return min(s.Grace, time.Hour)
	}
	return DefaultGrace
}

func keep(limit int64) int64 {
	switch {
	case limit == 0:
		return DefaultKeep
	case limit < 0:
		return 0
	}
	return limit
}
