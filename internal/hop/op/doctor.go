package op

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
)

// Doctor looks whether index, records, refs and working copies agree. With
// repair it brings them to agree: the index is made anew from git, refs are put
// right, and nothing is invented or dropped.
func Doctor(ctx context.Context, s Surroundings, repair bool) (hop.Diagnosis, error) {
	if repair && s.env(hop.EnvLockHeld) != "" {
		return hop.Diagnosis{}, fault.New(CodeInValidation, "nothing is repaired during a final validation").
			WithHint("what is validated must not change under it; run hop doctor --repair when it has ended")
	}
	p, err := openBare(ctx, s)
	if err != nil {
		return hop.Diagnosis{}, err
	}
	defer p.Close()
	d := &doctor{Project: p, repair: repair}
	if err := d.openLedger(ctx); err != nil {
		return d.out, err
	}
	if p.Ledger != nil {
		if why := p.Unwritable(); why != nil {
			if repair {
				return d.out, why
			}
			d.out.Warnings = append(d.out.Warnings, readOnlyNote(why))
		}
		if err := d.examine(ctx); err != nil {
			return d.out, err
		}
	}
	d.out.OK = len(d.out.Problems) == 0
	return d.out, nil
}

// openBare opens a project without its ledger, and finds one whose folder was
// removed by its refs.
func openBare(ctx context.Context, s Surroundings) (*Project, error) {
	root, err := Locate(s)
	if err == nil {
		return bareProject(ctx, s, root)
	}
	if !fault.Is(err, CodeNoProject) || s.env(hop.EnvRoot) != "" {
		return nil, err
	}
	home, found := homeOf(s.Dir)
	if !found {
		return nil, err
	}
	p, openErr := bareProject(ctx, s, home.root)
	if openErr != nil {
		return nil, openErr
	}
	exists, existsErr := ledger.Exists(ctx, p.Repo)
	if existsErr != nil || !exists {
		return nil, errors.Join(err, existsErr, p.Repo.Close())
	}
	return p, nil
}

type doctor struct {
	*Project
	repair bool
	out    hop.Diagnosis
}

func (d *doctor) problem(text string) { d.out.Problems = append(d.out.Problems, text) }
func (d *doctor) repaired(text string) {
	d.out.Repaired = true
	d.out.Repairs = append(d.out.Repairs, text)
}

// openLedger opens the index, or makes it anew.
func (d *doctor) openLedger(ctx context.Context) error {
	var err error
	d.Ledger, err = ledger.Open(ctx, d.ledgerOptions())
	switch {
	case err == nil:
		return nil
	case fault.Is(err, ledger.CodeForeignIndex):
		d.Ledger, err = d.carryOver(ctx)
		return err
	case !fault.Is(err, ledger.CodeIndexBroken) && !fault.Is(err, ledger.CodeNoProject) &&
		!fault.Is(err, ledger.CodeDiverged) && !fault.Is(err, ledger.CodeBadRecord):
		// A newer index, or a disk that fails: what git lacks may be in there.
		return err
	}
	why := fault.From(err).Message
	if fault.Is(err, ledger.CodeNoProject) { // which was found by its refs
		why = "the index is gone; git has all that was in it"
	}
	if !d.repair {
		d.problem(why + " (hop doctor --repair makes it anew)")
		return nil
	}
	return d.rebuild(ctx, "the index was made anew from git: "+why)
}

// moveTo goes on with the project that another process has meanwhile made in another
// working tree of the repository.
func (d *doctor) moveTo(ctx context.Context, root string) error {
	there, err := openAt(ctx, d.Surroundings, root)
	if err != nil {
		return err
	}
	err = d.Close()
	*d.Project = *there
	return err
}

// rebuild makes the index anew and reopens it.
func (d *doctor) rebuild(ctx context.Context, why string) error {
	if d.Ledger != nil {
		if err := d.Ledger.Close(); err != nil {
			return err
		}
		d.Ledger = nil
	}
	unlock, err := d.lockFounding(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if home, found := homeOf(d.Layout.Root); found && home.made && !sameFolder(home.root, d.Layout.Root) {
		return d.moveTo(ctx, home.root)
	}
	if err := d.Layout.Prepare(d.Repo.CommonDir()); err != nil {
		return err
	}
	d.say("making the index anew from git")
	problems, err := ledger.Rebuild(ctx, d.ledgerOptions())
	if err != nil {
		return err
	}
	d.out.Warnings = append(d.out.Warnings, problems...)
	d.repaired(why)
	d.Ledger, err = ledger.Open(ctx, d.ledgerOptions())
	return err
}

func (d *doctor) examine(ctx context.Context) error {
	d.say("comparing index, records, refs and working copies")
	if holder := d.turnHolder(); holder != "" {
		d.out.Warnings = append(d.out.Warnings, "other landings wait for "+holder+", whose turn it is to land")
	}
	for _, step := range []func(context.Context) error{d.refs, d.index, d.accepted, d.copies} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// refs looks for ledger refs that are gone.
func (d *doctor) refs(ctx context.Context) error {
	lost, err := d.LostRefs(ctx)
	if err != nil || len(lost) == 0 {
		return err
	}
	if !d.repair {
		for name := range lost {
			d.problem("the ref " + name + " is missing")
		}
		return nil
	}
	restored, gone, err := d.RestoreRefs(ctx)
	if err != nil {
		return err
	}
	for _, name := range restored {
		d.repaired("the ref " + name + " was made anew")
	}
	for _, name := range gone {
		d.problem("the ref " + name + " is missing, and so are the objects that it had; the index still has its records")
	}
	return nil
}

// index compares the index with the records in git.
func (d *doctor) index(ctx context.Context) error {
	problems, err := d.Verify(ctx)
	if err != nil {
		return err
	}
	if len(problems) > 0 && d.repair && len(d.out.Problems) == 0 {
		if err := d.rebuild(ctx, "the index was made anew from git, with which it did not agree"); err != nil {
			return err
		}
		if problems, err = d.Verify(ctx); err != nil {
			return err
		}
	}
	for _, text := range problems {
		d.problem(text)
	}
	return nil
}

// accepted compares the accepted ref with the ledger.
func (d *doctor) accepted(ctx context.Context) error {
	have, want, err := d.AcceptedRefState(ctx)
	if err != nil {
		d.problem(fault.From(err).Message)
		return nil //nolint:nilerr // it is a finding
	}
	d.out.AcceptedState, d.out.AcceptedCommit, d.out.RefCommit = want.ID, want.GitCommit, have
	if have == want.GitCommit {
		return nil
	}
	if !d.repair {
		if have == "" {
			d.problem("the ref " + ledger.AcceptedRef + " is missing")
		} else {
			d.problem("the ref " + ledger.AcceptedRef + " names " + have + " and not the accepted commit " + want.GitCommit)
		}
		return nil
	}
	if _, err := d.HealAccepted(ctx); err != nil {
		return err
	}
	d.out.RefCommit = want.GitCommit
	d.repaired("the ref " + ledger.AcceptedRef + " was put right")
	return nil
}

// copies looks for workspaces that are missing, and for working copies that git
// still lists although their folders are gone.
func (d *doctor) copies(ctx context.Context) error {
	all, err := d.OpenAttempts(ctx)
	if err != nil {
		return err
	}
	open, _, err := d.byMachine(ctx, all)
	if err != nil {
		return err
	}
	for _, a := range open {
		if !d.Layout.Ready(a.ID, a.Workspace) && a.Status != hop.StatusParked {
			d.out.Warnings = append(d.out.Warnings, "the workspace of attempt "+a.ID+" is missing; hop resume "+a.HeadStateID+" makes it anew")
		}
	}
	listed, err := d.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, w := range listed {
		if !w.Missing || !d.ours(w.Root()) {
			continue
		}
		if !d.repair {
			d.out.Warnings = append(d.out.Warnings, "git lists the working copy "+w.Root()+", which is gone")
			continue
		}
		if err := w.Forget(); err != nil {
			return err
		}
		d.repaired("git no longer lists the working copy " + w.Root() + ", which was gone")
	}
	return nil
}

// ours reports whether a folder is one of this project's working copies.
func (d *doctor) ours(dir string) bool {
	for _, base := range []string{d.Layout.Dir(), d.Layout.Outside} {
		if base != "" && strings.HasPrefix(dir, base+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
