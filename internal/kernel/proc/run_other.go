//go:build !linux

package proc

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"sync"
	"time"

	"bridle/internal/kernel/sandbox"
)

// linger is how long a pipe may stay open after the leader has ended.
const linger = 200 * time.Millisecond

// Run starts the program, waits for it and cleans up after it. It returns an
// error only when the program did not start. This system has no sandbox, so a
// profile is refused.
func Run(ctx context.Context, s Spec) (Result, error) {
	if err := s.validate(); err != nil {
		return Result{}, err
	}
	if s.Kept != nil {
		s.Profile = s.Kept.Profile()
	}
	if err := uncontained(s.Profile); err != nil {
		return Result{}, err
	}
	if err := beforeStart(ctx, s.Path); err != nil {
		return Result{}, err
	}
	if err := s.begin(ctx)(); err != nil {
		return Result{}, err
	}
	stdout := &collector{keep: keep(s.MaxStdout), tee: s.TeeStdout}
	stderr := &collector{keep: keep(s.MaxStderr), tee: s.TeeStderr}
	cmd := &exec.Cmd{
		Path: s.Path, Args: s.argv(), Env: append([]string{}, s.Env...), Dir: s.Dir,
		Stdin: s.Stdin, Stdout: stdout, Stderr: stderr, WaitDelay: linger,
	}
	tree, err := newGroup(cmd)
	if err != nil {
		return Result{}, startFault(s.Path, s.Dir, err, false)
	}
	defer tree.close()
	started := time.Now() // a duration, not a date: the monotonic part is what counts
	if err := cmd.Start(); err != nil {
		return Result{}, startFault(s.Path, s.Dir, err, false)
	}
	tree.adopt(cmd)
	result := follow(ctx, &s, cmd, tree)
	err = cmd.Wait()
	result.Held = errors.Is(err, exec.ErrWaitDelay)
	result.ExitCode, result.Signal = ending(cmd.ProcessState)
	result.Stdout, result.Stderr = stdout.capture(), stderr.capture()
	result.Duration = time.Since(started)
	return result, nil
}

// follow waits for the leader's end, ends it when it must not go on, and kills
// its tree before it is reaped.
func follow(ctx context.Context, s *Spec, cmd *exec.Cmd, tree *group) Result {
	var result Result
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tree.await(cmd)
	}()
	timer := time.NewTimer(s.Timeout)
	defer timer.Stop()
	canceled := ctx.Done()
	for asked := false; ; {
		select {
		case <-ended:
			tree.kill()
			return result
		case <-canceled:
			canceled = nil
			result.Canceled = !result.TimedOut
		case <-timer.C:
			if asked {
				tree.kill()
				timer.Reset(time.Second)
				continue
			}
			result.TimedOut = true
		}
		if !asked {
			asked = true
			tree.ask()
			timer.Reset(s.grace())
		}
	}
}

// collector keeps the head of an output and counts all of it.
type collector struct {
	mu   sync.Mutex
	keep int64
	head []byte
	size int64
	tee  io.Writer
}

func (c *collector) Write(chunk []byte) (int, error) {
	c.mu.Lock()
	c.size += int64(len(chunk))
	if room := c.keep - int64(len(c.head)); room > 0 {
		c.head = append(c.head, chunk[:min(room, int64(len(chunk)))]...)
	}
	c.mu.Unlock()
	if c.tee != nil {
		if _, err := c.tee.Write(chunk); err != nil {
			c.tee = nil // the rest is taken and dropped
		}
	}
	return len(chunk), nil
}

func (c *collector) capture() Capture {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Capture{Head: append([]byte(nil), c.head...), Size: c.size}
}

// uncontained refuses a profile on a system that has no sandbox.
func uncontained(p *sandbox.Profile) error {
	if p == nil {
		return nil
	}
	return sandbox.Detect().Require(*p)
}
