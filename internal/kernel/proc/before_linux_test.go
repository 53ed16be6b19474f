package proc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
)

// eachRun runs a test with every way to run a program.
func eachRun(t *testing.T, test func(t *testing.T, run func(context.Context, proc.Spec) (proc.Result, error))) {
	t.Run("alone", func(t *testing.T) { test(t, proc.Run) })
	eachMethod(t, func(t *testing.T, m proc.Method) {
		test(t, func(ctx context.Context, s proc.Spec) (proc.Result, error) {
			r, _, err := proc.Supervise(ctx, s, supervision(t, m))
			return r, err
		})
	})
}

func TestProgramStartsAfterWhatIsDoneBefore(t *testing.T) {
	eachRun(t, func(t *testing.T, run func(context.Context, proc.Spec) (proc.Result, error)) {
		made := filepath.Join(t.TempDir(), "made")
		s := shell(`cat "$1"`, made)
		s.Before = func() error { return os.WriteFile(made, []byte("before"), 0o600) }
		if r, err := run(t.Context(), s); err != nil || string(r.Stdout.Head) != "before" {
			t.Fatalf("%+v %v", r, err)
		}
	})
}

func TestTimeLimitDoesNotCountWhatIsDoneBefore(t *testing.T) {
	eachRun(t, func(t *testing.T, run func(context.Context, proc.Spec) (proc.Result, error)) {
		s := shell(`sleep 100`)
		s.Timeout, s.Grace = 50*time.Millisecond, time.Millisecond
		const long = 150 * time.Millisecond
		s.Before = func() error {
			<-time.After(long)
			return nil
		}
		r, err := run(t.Context(), s)
		if err != nil || !r.TimedOut || r.Duration < s.Timeout {
			t.Fatalf("%+v %v", r, err)
		}
	})
}

func TestProgramDoesNotStartWhenWhatIsDoneBeforeFails(t *testing.T) {
	eachRun(t, func(t *testing.T, run func(context.Context, proc.Spec) (proc.Result, error)) {
		started := filepath.Join(t.TempDir(), "started")
		s := shell(`echo >"$1"`, started)
		fails := errors.New("not now")
		s.Before = func() error { return fails }
		if _, err := run(t.Context(), s); !errors.Is(err, fails) {
			t.Errorf("error %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		s.Before = func() error { cancel(); return nil }
		if _, err := run(ctx, s); !fault.Is(err, proc.CodeCanceled) {
			t.Errorf("error %v of a run that was given up meanwhile", err)
		}
		if _, err := os.Stat(started); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the program has started: %v", err)
		}
		if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
			t.Errorf("a process is left: %d %v", pid, err)
		}
	})
}

func TestWhatIsDoneBeforeIsOverWithTheRunThatCannotStart(t *testing.T) {
	over := false
	s := shell("exit 0")
	s.Path = filepath.Join(t.TempDir(), "missing")
	s.Before = func() error {
		<-time.After(20 * time.Millisecond)
		over = true
		return nil
	}
	if _, err := proc.Run(t.Context(), s); !fault.Is(err, proc.CodeMissing) || !over {
		t.Errorf("error %v, over %v", err, over)
	}
	over = false
	if _, _, err := proc.Supervise(t.Context(), s, proc.Supervision{Program: s.Path}); err == nil || !over {
		t.Errorf("error %v, over %v", err, over)
	}
}

func TestSupervisedProgramKeepsTheCallersPriority(t *testing.T) {
	eachMethod(t, func(t *testing.T, m proc.Method) {
		// Long enough after the start for the supervisor to have raised its own.
		r, _ := supervise(t, shell(`read -r line; nice`), m)
		own, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
		if want := strconv.Itoa(20-own) + "\n"; err != nil || string(r.Stdout.Head) != want {
			t.Errorf("%q, want %q (%v)", r.Stdout.Head, want, err)
		}
	})
}
