package proc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/proc"
)

type way = func(s proc.Spec, dirs ...string) proc.Spec

func TestOutputsAndExitCodeComeBack(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		r := mustRun(t, way(shell("echo out; echo err >&2; exit 7")))
		if r.ExitCode != 7 || r.Signal != "" || string(r.Stdout.Head) != "out\n" || string(r.Stderr.Head) != "err\n" {
			t.Fatalf("%+v", r)
		}
		if r.TimedOut || r.Canceled || r.Held || r.Leftovers != 0 || r.Duration <= 0 {
			t.Fatalf("%+v", r)
		}
	})
}

func TestSignalThatEndedTheProgramIsNamed(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		r := mustRun(t, way(shell("kill -SEGV $$")))
		if r.Signal != "SIGSEGV" || r.ExitCode != 128+11 {
			t.Fatalf("%+v", r)
		}
	})
}

func TestFloodOnBothOutputsIsCountedAndCapped(t *testing.T) {
	const size = 64 << 20
	bothWays(t, func(t *testing.T, way way) {
		s := way(acting(t, "flood", fmt.Sprint(size)))
		s.MaxStdout, s.MaxStderr = 1000, -1
		r := mustRun(t, s)
		if r.ExitCode != 0 || r.Stdout.Size != size || r.Stderr.Size != size {
			t.Fatalf("exit %d, %d and %d bytes: %s", r.ExitCode, r.Stdout.Size, r.Stderr.Size, r.Stderr.Head)
		}
		if len(r.Stdout.Head) != 1000 || !strings.HasPrefix(string(r.Stdout.Head), "0123456789abcdef") || len(r.Stderr.Head) != 0 {
			t.Fatalf("kept %d and %d bytes", len(r.Stdout.Head), len(r.Stderr.Head))
		}
		if !r.Stdout.Truncated() || !r.Stderr.Truncated() {
			t.Fatal("truncation is not reported")
		}
	})
}

func TestCapThatIsReachedExactlyTruncatesNothing(t *testing.T) {
	s := shell("printf 12345")
	s.MaxStdout = 5
	if r := mustRun(t, s); string(r.Stdout.Head) != "12345" || r.Stdout.Truncated() {
		t.Fatalf("%+v", r.Stdout)
	}
}

func TestStdinIsFedToTheEnd(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		s := way(shell("wc -c"))
		s.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
		if r := mustRun(t, s); strings.TrimSpace(string(r.Stdout.Head)) != "1048576" {
			t.Fatalf("%+v %s", r, r.Stderr.Head)
		}
	})
}

// endless is an input without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestInputThatNobodyReadsHoldsNothingUp(t *testing.T) {
	silent, _ := io.Pipe()
	for name, input := range map[string]io.Reader{
		"large":    bytes.NewReader(make([]byte, 64<<20)),
		"endless":  endless{},
		"blocking": silent,
	} {
		t.Run(name, func(t *testing.T) {
			s := shell("exit 3")
			s.Stdin = input
			if r := mustRun(t, s); r.ExitCode != 3 || r.TimedOut {
				t.Fatalf("%+v", r)
			}
		})
	}
}

func TestChildGetsWhatItsSpecSaysAndNothingElse(t *testing.T) {
	// Someone else in this process left a descriptor open to children.
	var pipe [2]int
	if err := unix.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	s := confine(t, acting(t, "who", fmt.Sprint(pipe[0]), fmt.Sprint(pipe[1])))
	s.Argv0 = "another-name"
	s.Env = []string{"A=1", "B="}
	r := mustRun(t, s)
	want := fmt.Sprintf("session leader: true\ngroup leader: true\nterminal: false\n"+
		"descriptor %d: false\ndescriptor %d: false\n"+
		"input: /dev/null\nname: another-name\nenvironment: A=1 B=\n", pipe[0], pipe[1])
	if got := string(r.Stdout.Head); got != want {
		t.Fatalf("got\n%s\nwant\n%s\n%s", got, want, r.Stderr.Head)
	}
}

func TestNoEnvironmentMeansAnEmptyOne(t *testing.T) {
	s := acting(t, "who")
	s.Env = nil
	r := mustRun(t, confine(t, s))
	if !strings.HasSuffix(string(r.Stdout.Head), "environment: \n") {
		t.Fatalf("%s", r.Stdout.Head)
	}
}

func TestLongestDeadlineIsNoDeadline(t *testing.T) {
	s := shell("exit 6")
	s.Timeout, s.Grace = math.MaxInt64, math.MaxInt64
	if r := mustRun(t, s); r.ExitCode != 6 || r.TimedOut {
		t.Fatalf("%+v", r)
	}
}

func TestUnconfinedChildIsMarkedUnlessTheSpecSaysOtherwise(t *testing.T) {
	s := shell("env")
	s.Env = []string{"PATH=/usr/bin:/bin", proc.MarkVariable + "=outer"}
	marked := string(mustRun(t, s).Stdout.Head)
	if strings.Count(marked, proc.MarkVariable) != 1 || !strings.Contains(marked, proc.MarkVariable+"=outer,") {
		t.Fatalf("marked: %q", marked)
	}
	s.Unmarked = true
	if got := string(mustRun(t, s).Stdout.Head); !strings.Contains(got, proc.MarkVariable+"=outer\n") {
		t.Fatalf("unmarked: %q", got)
	}
}

func TestDirectoryIsTheOneAsked(t *testing.T) {
	dir := t.TempDir()
	s := shell("pwd -P")
	s.Dir = dir
	if got := strings.TrimSpace(string(mustRun(t, s).Stdout.Head)); !strings.HasSuffix(got, dir) {
		t.Fatalf("%q is not %q", got, dir)
	}
}

func TestTeeReceivesEverythingAlsoPastTheCap(t *testing.T) {
	const size = 3 << 20
	var out, errs bytes.Buffer
	s := acting(t, "flood", fmt.Sprint(size))
	s.MaxStdout, s.MaxStderr = 10, 10
	s.TeeStdout, s.TeeStderr = slow{&out}, &errs
	r := mustRun(t, s)
	if out.Len() != size || errs.Len() != size || r.Stdout.Size != size {
		t.Fatalf("%d and %d bytes of %d", out.Len(), errs.Len(), size)
	}
}

// slow makes its writer the slower side.
type slow struct{ w io.Writer }

func (s slow) Write(p []byte) (int, error) {
	for range 100 {
		runtime.Gosched()
	}
	return s.w.Write(p)
}

// blocked is a writer that does not return before it is let go.
type blocked chan struct{}

func (b blocked) Write(p []byte) (int, error) { <-b; return len(p), nil }

func TestTeeThatBlocksDoesNotHoldUpTheDeadline(t *testing.T) {
	release := make(blocked)
	defer close(release)
	s := acting(t, "flood", fmt.Sprint(1<<30))
	s.TeeStdout = release
	s.Timeout, s.Grace = 500*time.Millisecond, 100*time.Millisecond
	if r := mustRun(t, s); !r.TimedOut {
		t.Fatalf("%+v", r)
	}
}

func TestTeeThatFailsLosesNothingOfTheResult(t *testing.T) {
	s := shell("printf abc; printf def")
	s.TeeStdout = broken{}
	if r := mustRun(t, s); string(r.Stdout.Head) != "abcdef" || r.ExitCode != 0 {
		t.Fatalf("%+v", r)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// stopper cancels a context when the child has said that it is ready.
type stopper struct {
	cancel context.CancelFunc
	mu     sync.Mutex
	seen   []byte
}

func (s *stopper) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, p...)
	if bytes.Contains(s.seen, []byte("ready")) {
		s.cancel()
	}
	return len(p), nil
}

func TestCancelEndsTheRun(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := way(shell("echo ready; sleep 300; echo late"))
		s.TeeStdout = &stopper{cancel: cancel}
		r, err := proc.Run(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Canceled || r.TimedOut || r.Signal != "SIGTERM" || string(r.Stdout.Head) != "ready\n" {
			t.Fatalf("%+v %q", r, r.Stdout.Head)
		}
	})
}

func TestCanceledContextStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := t.TempDir() + "/started"
	if _, err := proc.Run(ctx, shell(`: > "$1"`, file)); err == nil {
		t.Fatal("no error")
	}
	if _, err := os.Stat(file); err == nil {
		t.Fatal("it was started")
	}
}

func TestDeadlineEndsEveryShapeOfCommand(t *testing.T) {
	for _, script := range []string{
		"sleep 300",
		"sleep 300; true",
		"(sleep 300; true); true",
		"sleep 300 | cat",
		"sleep 300 & wait",
		"exec sleep 300",
		"sh -c 'sleep 300; true'; true",
		"trap '' TERM; sleep 300; true",
		"trap '' TERM HUP INT; (sleep 300 & wait) & wait",
		"kill -STOP $$",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			bothWays(t, func(t *testing.T, way way) {
				s := way(shell(script))
				s.Timeout, s.Grace = 300*time.Millisecond, 200*time.Millisecond
				if r := mustRun(t, s); !r.TimedOut || r.Signal == "" || r.Held {
					t.Fatalf("%+v", r)
				}
			})
		})
	}
}

func TestProgramThatHeedsTermEndsInItsOwnWay(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := way(shell("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.02; done"))
		s.TeeStdout = &stopper{cancel: cancel}
		s.Grace = limit
		r, err := proc.Run(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		if r.ExitCode != 5 || r.Signal != "" || string(r.Stdout.Head) != "ready\nbye\n" {
			t.Fatalf("%+v %q", r, r.Stdout.Head)
		}
	})
}

func TestExecTakesTheProcessOver(t *testing.T) {
	r := mustRun(t, acting(t, "replace", "/bin/sh"))
	var before, after int
	if _, err := fmt.Sscanf(string(r.Stdout.Head), "%d\n%d other-name given\n", &before, &after); err != nil || before != after {
		t.Fatalf("%s %v", r.Stdout.Head, err)
	}
	r = mustRun(t, acting(t, "replace", "/nonexistent"))
	if r.ExitCode != 3 || !strings.HasSuffix(string(r.Stdout.Head), "\n"+proc.CodeMissing+"\n") {
		t.Fatalf("%+v %s", r, r.Stdout.Head)
	}
}

func TestRunsLeaveNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		for _, s := range []proc.Spec{shell("cat; exit 1"), confine(t, shell("cat; exit 1"))} {
			s.Stdin, s.TeeStdout, s.TeeStderr = strings.NewReader("text"), io.Discard, io.Discard
			mustRun(t, s)
		}
	}
	for deadline := time.Now().Add(limit); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
}
