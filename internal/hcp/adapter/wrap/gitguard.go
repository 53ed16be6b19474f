package wrap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// GitGuard keeps commands that work on a project from deciding what git or an
// agent's host will run later, outside of the sandbox, and from loosening the
// project's access settings: hooks and configuration of the project's
// repositories, and the files of governing.go, are as before when a call has
// ended (§10.2).
//
// A sandbox that opens a directory cannot close a part of it, and committing
// needs the rest. So the guard looks before a call and afterwards. Calls may
// overlap: all of them compare with what the first one found when none was
// running, which is kept in a file while a shared lock says that calls are
// under way. Otherwise one call's tampering could become another's baseline. What one
// of them finds is reported by all of them; see blame.go.
// The same file judges the calls that were killed; see calls.go.
type GitGuard struct {
	// Dir holds the locks, records and baselines; private to the user.
	Dir string
	// Holder names this process to people who wait for the lock.
	Holder string
}

// watch is one call's part of the guard.
type watch struct {
	guard   *GitGuard
	call    *call
	before  *baseline // nil without a project
	tree    *treeFile // what the search of the project found
	release func()
}

// begin takes the baseline, or that of the calls already under way.
func (g *GitGuard) begin(ctx context.Context, p *Project) (w *watch, notes []string, err error) {
	// Together some seconds: another call may be ending what a killed one left.
	const tries, pause, longest = 64, 5 * time.Millisecond, 100 * time.Millisecond
	for i := range tries {
		if i > 0 {
			select {
			case <-ctx.Done():
				return nil, notes, ctx.Err()
			case <-time.After(min(time.Duration(i)*pause, longest)):
			}
		}
		w, more, err := g.join(ctx, p, filepath.Join(g.Dir, keyOf(p.Root)))
		notes = append(notes, more...)
		if w != nil || err != nil {
			return w, notes, err
		}
	}
	return nil, notes, fault.Newf(durable.CodeLocked, "the project %q is not free to be looked at", p.Root).
		WithHint("wait until the commands that work on it have ended")
}

// join is one try. It gives nothing when something came in between.
func (g *GitGuard) join(ctx context.Context, p *Project, stem string) (w *watch, notes []string, err error) {
	unlock, alone, err := durable.TryLock(stem+lockSuffix, g.Holder)
	if err != nil {
		return nil, nil, err
	}
	tree := &treeFile{path: stem + treeSuffix}
	if alone {
		owes, err := g.renew(p, stem, tree)
		unlock()
		if err != nil {
			return nil, nil, err
		}
		if owes {
			notes, err = g.bury(p)
			return nil, notes, err
		}
	}
	if unlock, err = durable.LockShared(ctx, stem+lockSuffix, g.Holder); err != nil {
		return nil, nil, err
	}
	before, err := loadBaseline(stem + baselineSuffix)
	if err == nil && !before.covers(p) {
		unlock()
		return nil, nil, g.await(ctx, stem)
	}
	if err == nil {
		var c *call
		if c, err = g.enroll(filepath.Base(stem)); err == nil {
			before.move(p)
			return &watch{guard: g, call: c, before: before, tree: tree, release: unlock}, nil, nil
		}
	}
	unlock()
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return nil, nil, err
}

// await waits until the calls under way on a project have ended.
func (g *GitGuard) await(ctx context.Context, stem string) error {
	unlock, err := durable.Lock(ctx, stem+lockSuffix, g.Holder)
	if err != nil {
		return err
	}
	unlock()
	return nil
}

// renew makes what is there the baseline, unless a dead call must be judged by
// the old one first.
func (g *GitGuard) renew(p *Project, stem string, tree *treeFile) (owes bool, err error) {
	if owes, err = g.owes(filepath.Base(stem)); owes || err != nil {
		return owes, err
	}
	b, err := takeBaseline(p, tree)
	if err != nil {
		return false, err
	}
	return false, b.save(stem + baselineSuffix)
}

// end compares, undoes what must not stay, and reports it. A call whose changes
// could not be undone stays on record: nothing runs in the project until they
// are.
func (w *watch) end() (notes []string, err error) {
	defer w.release()
	if w.before == nil {
		w.call.close()
		return nil, nil
	}
	unlock, err := w.one()
	if err != nil {
		w.call.unlock() // it stays on record, and the next call compares
		return nil, err
	}
	defer unlock()
	f := w.before.compare(w.tree)
	kept := w.guard.keep(f, w.call.mark)
	if len(f.changed)+len(f.stuck) > 0 {
		f.among, err = w.tell(f, kept)
	}
	before, hearErr := w.hear(&f)
	if kept == "" {
		kept = before
	}
	if len(f.stuck) > 0 {
		w.call.unlock()
	} else {
		w.call.close()
	}
	if len(f.changed)+len(f.stuck) == 0 {
		return f.notes, errors.Join(err, hearErr)
	}
	return f.notes, f.fault("while the command ran", kept)
}

// fault words what was found.
func (f findings) fault(when, kept string) error {
	changed := f.changed
	if len(changed) == 0 {
		changed = f.stuck
	}
	report := fault.Newf(f.code(), "%s, %s: %s", when, f.what(), names(changed))
	if f.among {
		kept += "; other commands were at work on the project meanwhile, and it may have been one of them"
	}
	if len(f.stuck) > 0 {
		return report.WithHint("%s could not be put back: look at them before you run git or an agent in this project%s", names(f.stuck), kept)
	}
	return report.WithHint("the change was undone%s; what else the command did stays. If the change is wanted, a person makes it outside of a command", kept)
}

// code tells the two kinds of changes apart. Where both happened, what git would
// run counts.
func (f findings) code() string {
	if f.governs && !f.git {
		return CodeSettingsChanged
	}
	return CodeGitConfigChanged
}

func (f findings) what() string {
	switch {
	case f.governs && f.git:
		return "git hooks or configuration, and settings that say what runs in the project, changed"
	case f.governs:
		return "settings that say what runs in the project changed"
	}
	return "git hooks or configuration of the project changed"
}

func quoted(text string) string { return fmt.Sprintf("%q", text) }
