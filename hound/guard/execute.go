package guard

import (
	"context"
	"errors"
	"path/filepath"

	"bridle/hound"
	"bridle/internal/hound/approval"
	"bridle/internal/hound/document"
	"bridle/internal/hound/plan"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// lockName is the file in the Git directory that executions take turns by.
const lockName = "hound-execute.lock"

// execution is one run of a plan.
type execution struct {
	*session
	plan     *plan.Plan
	approval *approval.Approval
	dir      string // the record's
	relative string // the same, from the repository's root
	record   *record.Directory
}

// Execute carries out a plan. From the moment the driver may start there is a
// record, also of a failure: then the result says what happened, and so does the
// error.
func (g *Guard) Execute(ctx context.Context, manifestPath string, p *Plan, a *Approval) (*hound.RunResult, error) {
	if err := p.inner.Executable(); err != nil {
		return nil, err
	}
	s, err := g.open(manifestPath, "")
	if err != nil {
		return nil, err
	}
	x := &execution{session: s, plan: p.inner}
	if a != nil && p.Gate == hound.GateHuman {
		x.approval = a.inner
	}
	unlock, err := x.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return x.perform(ctx)
}

// lock keeps other executions in this repository out.
func (x *execution) lock(ctx context.Context) (func(), error) {
	limited, cancel := context.WithTimeout(ctx, x.guard.lockWait)
	defer cancel()
	return durable.Lock(limited, filepath.Join(x.gitDir, lockName), "hound execute "+x.plan.PlanID[:12])
}

// perform goes from the checks to the record. Until the record is created
// nothing is written.
func (x *execution) perform(ctx context.Context) (*hound.RunResult, error) {
	if x.plan.Effect != hound.EffectWrite {
		return nil, fault.Newf(hound.CodeBadOperation, "the plan's operation %q only reads", x.plan.Operation).WithExit(hound.ExitRefused)
	}
	if err := x.reopen(); err != nil {
		return nil, err
	}
	x.dir, x.relative = x.runDir(x.plan.PlanID)
	if err := record.Exists(x.dir); err != nil {
		return nil, err
	}
	now, err := x.watcher.Look(ctx)
	if err != nil {
		return nil, err
	}
	if err := x.unchanged(now, ""); err != nil {
		return nil, err
	}
	if err := x.approved(); err != nil {
		return nil, err
	}
	if err := x.replan(ctx); err != nil {
		return nil, err
	}
	if err := x.approved(); err != nil {
		return nil, err
	}
	if x.record, err = record.Create(x.root, x.relative, record.Run{Manifest: x.manifest, Plan: x.plan, Approval: x.approval}); err != nil {
		return nil, err
	}
	return x.finish(x.drive(ctx))
}

// reopen opens the session for the plan's operation, from the manifest as it is
// now.
func (x *execution) reopen() error {
	s, err := x.guard.open(x.manifest.Path, x.plan.Operation)
	if err != nil {
		if fault.Is(err, hound.CodeBadOperation) {
			return plan.Drifted([]plan.Difference{{Input: "driver_manifest_sha256", Detail: "the driver no longer has the operation"}})
		}
		return err
	}
	x.session = s
	return nil
}

// unchanged compares everything that the plan is bound to, but the proposal,
// with what is there now.
func (x *execution) unchanged(now look, prefix string) error {
	bound, err := x.bound(now, x.plan.Input, x.plan.AsOf, prefix)
	if err != nil {
		return err
	}
	return plan.Drifted(plan.Compare(&x.plan.Plan, &bound))
}

func (x *execution) approved() error {
	return approval.Check(x.plan, x.approval, x.guard.clock.Now())
}

// replan makes the plan once more: it must come out the same, byte for byte.
func (x *execution) replan(ctx context.Context) error {
	again, err := x.session.plan(ctx, x.plan.Input, x.plan.AsOf)
	if err != nil {
		return err
	}
	if again.PlanID == x.plan.PlanID && document.Equal(again.Canonical, x.plan.Canonical) {
		return nil
	}
	differences := plan.Compare(&x.plan.Plan, &again.Plan)
	if len(differences) == 0 {
		differences = []plan.Difference{{Input: "plan_id", Detail: "the plan comes out otherwise"}}
	}
	return plan.Drifted(differences)
}

// run is what became of the driver.
type run struct {
	answered *hound.Response
	cleanup  *hound.Cleanup
	changes  []change
	before   look
	after    look
	err      error // what kept the run from being judged, or ended it early
}

// drive runs the driver between two looks. Everything is checked a last time
// once the record is there and before the driver starts.
func (x *execution) drive(ctx context.Context) run {
	before, err := x.watcher.Look(ctx)
	if err != nil {
		return run{err: err}
	}
	if err := x.reopen(); err != nil {
		return run{err: err}
	}
	if err := x.unchanged(before, x.relative); err != nil {
		return run{err: err}
	}
	if err := x.approved(); err != nil {
		return run{err: err}
	}
	answer, asked := x.driver.Ask(ctx, x.plan.Request())
	x.guard.unproven(hound.ModeExecute, asked, answer.Cleanup)
	r := run{answered: answer.Response, cleanup: &answer.Cleanup, before: before, err: asked}
	if r.after, err = x.watcher.Look(context.WithoutCancel(ctx)); err != nil {
		if !isInterrupt(asked) {
			r.err = err
		}
		return r
	}
	r.changes = before.Changes(r.after)
	return r
}

func isInterrupt(err error) bool { return errors.Is(err, context.Canceled) }

// finish judges the run, and writes result and index.
func (x *execution) finish(r run) (*hound.RunResult, error) {
	altered := x.record.Altered()
	ours := without(r.changes, x.relative)
	failure := x.judge(r, altered, ours)
	result, err := x.result(r, ours, failure)
	if err != nil {
		return nil, err
	}
	if err := x.record.Finish(*result); err != nil {
		return nil, errors.Join(failure, err)
	}
	result.RunDir = x.dir
	return result, failure
}
