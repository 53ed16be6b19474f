package proc

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/sandbox"
)

// Run starts the program, waits for it and cleans up after it. It returns an
// error only when the program did not start.
func Run(ctx context.Context, s Spec) (Result, error) {
	if err := s.validate(); err != nil {
		return Result{}, err
	}
	if err := beforeStart(ctx, s.Path); err != nil {
		return Result{}, err
	}
	if s.Kept != nil {
		s.Profile = s.Kept.Profile()
	}
	r := &run{spec: &s, before: s.begin(ctx)}
	if err := r.perform(ctx); err != nil {
		return Result{}, err
	}
	return r.result, nil
}

// perform does the whole run. It fails only when nothing was started.
func (r *run) perform(ctx context.Context) error {
	s := r.spec
	defer func() { _ = r.before() }() // also when the start fails
	ready := newThread
	if s.Profile != nil {
		ready = newDoomedThread
	}
	thread := ready()
	if err := r.prepare(); err != nil {
		thread.do(nil)
		return startFault(s.Path, s.Dir, err, false)
	}
	defer r.release()
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, r.bell.ring)
		defer stop()
	}
	r.ctx = ctx
	thread.do(r.body)
	if r.withheld != nil {
		return r.withheld
	}
	if r.failure != nil {
		return startFault(s.Path, s.Dir, r.failure, s.Profile != nil)
	}
	return nil
}

// run is one run from start to end. After prepare, everything but release is
// done on one thread.
type run struct {
	spec     *Spec
	ctx      context.Context
	before   func() error // waits for what Spec.Before does
	ends     *ends
	bell     *bell
	lineage  lineage
	cage     *cage
	over     *overseer // when the leader is a supervisor
	confined *sandbox.Prepared
	// mediation answers for what the confinement leaves to us.
	mediation mediation
	env       []string
	token     []byte
	child     child
	bond      *bond
	leave     *notice
	out, err  stream
	feed      *feed
	launched  time.Duration // when the leader was started
	started   time.Duration // when the program was, which a supervisor starts later
	result    Result
	failure   error
	withheld  error // why the program was not to start
}

// prepare opens everything, unconfined.
func (r *run) prepare() (err error) {
	defer func() {
		if err != nil {
			r.release()
		}
	}()
	r.lineage = openLineage()
	r.env = r.spec.Env
	if r.spec.Mark != "" || r.spec.Profile == nil && !r.spec.Unmarked {
		r.env, r.token = mark(r.spec.Env, r.spec.Mark)
	}
	switch {
	case r.spec.Kept != nil:
		r.confined, err = r.spec.Kept.Prepare()
	case r.spec.Profile != nil:
		r.confined, err = r.spec.Profile.Prepare()
	}
	if err != nil {
		return err
	}
	if r.spec.Cgroup && r.spec.Profile == nil {
		r.cage, _ = newCage() // most systems give none; the result says so
	}
	if r.ends, err = openEnds(r.spec.Stdin != nil); err != nil {
		return err
	}
	r.bell, err = newBell()
	return err
}

// release gives back what prepare took.
func (r *run) release() {
	r.lineage.close()
	if r.confined != nil {
		r.confined.Close()
	}
	if r.cage != nil {
		r.cage.remove()
	}
	if r.ends != nil {
		r.ends.closeAll()
	}
	if r.bell != nil {
		r.bell.close()
	}
}

// body is what the locked thread does.
func (r *run) body() {
	if r.confined != nil {
		if r.mediation.mediator, r.failure = r.confined.EnterMediated(); r.failure != nil {
			return
		}
	}
	if r.over == nil {
		r.withheld = r.before()
	}
	r.launched = uptime()
	if r.withheld == nil {
		r.failure = r.launch()
	}
	if r.withheld != nil || r.failure != nil {
		r.mediation.end()
		return
	}
	r.ends.closeChild()
	r.started = r.launched
	if r.over == nil { // a supervisor outlives us to clean up
		r.bond = tie(r.child.pid)
	} else if !r.order() {
		return
	}
	r.out = stream{fd: r.ends.stdout, keep: keep(r.spec.MaxStdout), tee: newRelay(r.spec.TeeStdout, r.bell)}
	r.err = stream{fd: r.ends.stderr, keep: keep(r.spec.MaxStderr), tee: newRelay(r.spec.TeeStderr, r.bell)}
	if r.ends.stdin != nil {
		r.feed = startFeed(r.ends.stdin, r.spec.Stdin)
	}
	r.ends = nil // from here on they belong to the streams and the feed
	r.leave = watch(r.child, r.bell)
	r.follow()
	r.end()
	r.result.Duration = uptime() - r.started
}

// order tells the supervisor what to start, when that may start; otherwise it ends
// the supervisor.
func (r *run) order() bool {
	if r.withheld = r.before(); r.withheld == nil {
		r.over.begin()
		r.started = uptime()
		return true
	}
	unix.Kill(-r.child.pid, unix.SIGKILL)
	r.reap()
	if r.child.pidfd >= 0 {
		unix.Close(r.child.pidfd)
	}
	return false
}

// launch starts the child. A control group that does not take it is given up.
func (r *run) launch() (err error) {
	if r.over != nil {
		r.child, err = r.over.launch(r.spec, r.ends)
		return err
	}
	if r.cage != nil {
		if r.child, err = start(r.spec, r.env, r.ends, r.cage, nil); err == nil {
			r.result.Caged = true
			return nil
		}
		r.cage.remove()
		r.cage = nil
	}
	r.child, err = start(r.spec, r.env, r.ends, nil, nil)
	return err
}

// forever is long enough for every run and short enough to be added to a time.
const forever = 100 * 365 * 24 * time.Hour

// buffers are what outputs are read into.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// follow drains the outputs until the leader has ended, and ends it when it must
// not go on.
func (r *run) follow() {
	buf := buffers.Get().(*[64 << 10]byte) //nolint:errcheck,forcetypeassert // the pool makes nothing else
	defer buffers.Put(buf)
	plan := schedule{at: r.started + min(r.spec.Timeout, forever), grace: r.spec.grace()}
	for {
		ended, rung := r.poll(plan.at-uptime(), true)
		r.out.read(buf[:])
		r.err.read(buf[:])
		if ended {
			return
		}
		if rung {
			r.bell.hush()
		}
		now := uptime()
		switch {
		case plan.stage == running && r.ctx.Err() != nil:
			r.result.Canceled = true
			plan.next(now, r)
		case now >= plan.at:
			r.result.TimedOut = r.result.TimedOut || plan.stage == running
			plan.next(now, r)
		}
	}
}

// schedule is the way from running to killed.
type schedule struct {
	stage stage
	at    time.Duration // when the next stage is due
	grace time.Duration
}

type stage int

const (
	running stage = iota
	asked         // TERM was sent
	killed        // KILL was sent
)

// insist is how often KILL is repeated. A group killed while it forks has no
// survivors, so this is for a leader that the kernel cannot end yet.
const insist = time.Second

func (s *schedule) next(now time.Duration, r *run) {
	switch s.stage {
	case running:
		if r.over != nil {
			r.over.ask()
		} else {
			unix.Kill(-r.child.pid, unix.SIGTERM)
		}
		s.stage, s.at = asked, now+s.grace
	default:
		unix.Kill(-r.child.pid, unix.SIGKILL)
		s.stage, s.at = killed, now+insist
	}
}

// poll waits until something can be done, at most for the given time.
func (r *run) poll(limit time.Duration, leader bool) (ended, rung bool) {
	fds := [5]unix.PollFd{
		{Fd: int32(r.out.pollable()), Events: unix.POLLIN},
		{Fd: int32(r.err.pollable()), Events: unix.POLLIN},
		{Fd: int32(r.bell.fd), Events: unix.POLLIN},
		{Fd: -1, Events: unix.POLLIN},
		{Fd: int32(r.mediation.pollable()), Events: unix.POLLIN},
	}
	if leader {
		fds[3].Fd = int32(r.leave.pidfd)
	}
	timeout := unix.NsecToTimespec(int64(max(limit, 0)))
	if _, err := unix.Ppoll(fds[:], &timeout, nil); err != nil {
		return r.leave.gone.Load(), false // interrupted; the caller looks at the clock and comes back
	}
	if fds[4].Revents != 0 {
		r.mediation.begin()
	}
	return fds[3].Revents != 0 || r.leave.gone.Load(), fds[2].Revents != 0
}

// end cleans up after the leader: it counts who is still there, kills the group
// and everyone else while the zombie keeps its number, then reaps it, and reads
// what is left in the pipes.
func (r *run) end() {
	sweep := newSweeper(r.lineage, r.child.pid, r.confined, r.token, uptime()-r.launched)
	there := 0
	if r.over == nil || !r.over.proven() { // what the kernel has told needs no looking
		there = sweep.census()
	}
	if r.cage != nil {
		there = max(there, r.cage.members())
	}
	unix.Kill(-r.child.pid, unix.SIGKILL)
	if r.cage != nil {
		r.cage.kill()
	}
	if there > 0 {
		there = max(there, sweep.kill())
	}
	r.result.Leftovers = there
	r.bond.release()
	r.reap()
	r.leave.close()
	r.feed.stop()
	r.drain()
	r.mediation.end()
	r.result.Stdout, r.result.Stderr = r.out.capture(), r.err.capture()
}

// reap takes the leader's status.
func (r *run) reap() {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(r.child.pid, &status, 0, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			// Someone else in this process reaped it. That it ended is all we know.
			r.result.ExitCode, r.result.Signal = -1, "unknown"
			return
		}
		break
	}
	r.result.ExitCode, r.result.Signal = exitOf(status)
}

// exitOf tells how a process ended, as a shell would say it.
func exitOf(status unix.WaitStatus) (code int, signal string) {
	if status.Signaled() {
		return 128 + int(status.Signal()), unix.SignalName(status.Signal())
	}
	return status.ExitStatus(), ""
}

// linger is how long a pipe may stay open after everything in reach has ended.
const linger = 200 * time.Millisecond

// drain reads what the ended processes left in the pipes. Whoever still holds
// one then is out of reach and is not waited for.
func (r *run) drain() {
	buf := buffers.Get().(*[64 << 10]byte) //nolint:errcheck,forcetypeassert // the pool makes nothing else
	defer buffers.Put(buf)
	ended := uptime()
	for {
		r.out.read(buf[:])
		r.err.read(buf[:])
		limit := linger
		if !r.out.tee.ready() || !r.err.tee.ready() {
			limit = r.spec.grace() // it is our own writer that is slow
		}
		left := ended + limit - uptime()
		if (r.out.fd < 0 && r.err.fd < 0) || left <= 0 {
			break
		}
		if _, rung := r.poll(left, false); rung {
			r.bell.hush()
		}
	}
	r.result.Held = r.out.fd >= 0 || r.err.fd >= 0
	r.out.close()
	r.err.close()
	r.out.tee.finish(r.spec.grace())
	r.err.tee.finish(r.spec.grace())
}
