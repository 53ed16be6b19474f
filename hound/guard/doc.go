// Package guard is the public face of Hound: it checks drivers, invokes reads,
// plans writes, takes approvals, executes plans and verifies records.
//
// Invariants:
//
//   - A driver runs below a supervisor that leaves nothing of it behind, and
//     between two snapshots of its repository. Checking, reading and planning
//     fail when the snapshots differ, whatever the driver answered; an execution
//     fails, and says so in its record, when anything but the planned files
//     changed, or those not exactly as planned.
//   - Nothing is executed but a plan that is made again and comes out the same,
//     byte for byte, by the same kernel, manifest, environment and repository,
//     with an approval where its gate asks for one.
//   - An execution leaves a record, whatever happened, from before the driver
//     starts.
//
// It implements the Hound protocol up to its research extension. A Guard takes
// environment and clock as values and keeps no state between calls.
package guard

import (
	"context"
	"time"

	"bridle/hound"
	"bridle/internal/hound/conversation"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/proc"
)

// Options are a Guard's surroundings.
type Options struct {
	// Lookup returns a variable of the environment that drivers may be handed.
	Lookup func(name string) (value string, set bool)
	// Now is the clock; nil is the machine's.
	Now func() time.Time
	// Supervisor is the absolute path of a program that can be started as the
	// supervisor, which hound is.
	Supervisor string
	// Home is the user's home folder, for the configuration that git takes from
	// there; empty takes none.
	Home string
	// CacheDir is a private directory outside of repositories where hashes of files
	// are kept between calls; empty keeps none.
	CacheDir string
	// Paranoid hashes every file at every look.
	Paranoid bool
	// ReadOnly has checks, reads and plans see the repository read-only, so that they
	// cannot change it. Where the system cannot do that they are refused.
	ReadOnly bool
	// Unproven is told of each call after which nothing proves that no process of
	// the driver is left. Receipts and records say so themselves; checks and plans
	// have no room for it.
	Unproven func(hound.Mode, hound.Cleanup)
	// LockWait bounds the wait for another execution in the same repository; zero
	// is half a minute.
	LockWait time.Duration
}

// Guard carries out the operations of the protocol.
type Guard struct {
	lookup   conversation.Lookup
	clock    clock.Clock
	run      conversation.Runner
	reading  func(places []string) conversation.Runner // nil when reads are only watched
	watch    func(root string, excludes []string) watcher
	lockWait time.Duration
	notice   func(hound.Mode, hound.Cleanup) // may be nil
}

// New returns a Guard.
func New(o Options) *Guard {
	g := &Guard{lookup: o.Lookup, clock: clock.System(), lockWait: o.LockWait, notice: o.Unproven}
	if o.Now != nil {
		g.clock = nowFunc(o.Now)
	}
	if g.lookup == nil {
		g.lookup = func(string) (string, bool) { return "", false }
	}
	if g.lockWait <= 0 {
		g.lockWait = 30 * time.Second
	}
	g.run = supervised(proc.Supervision{Program: o.Supervisor})
	if o.ReadOnly {
		g.reading = func(places []string) conversation.Runner {
			return supervised(proc.Supervision{Program: o.Supervisor, ReadOnly: places})
		}
	}
	g.watch = snapshots(o)
	return g
}

type nowFunc func() time.Time

func (f nowFunc) Now() time.Time { return f() }

// supervised runs drivers below the supervisor.
func supervised(v proc.Supervision) conversation.Runner {
	return func(ctx context.Context, spec proc.Spec) (proc.Result, hound.Cleanup, error) {
		result, proof, err := proc.Supervise(ctx, spec, v)
		cleanup := hound.Cleanup{Method: string(proof.Method), Proven: proof.Proven, Killed: proof.Killed}
		if cleanup.Method == "" {
			cleanup.Method = "none"
		}
		return result, cleanup, err
	}
}
