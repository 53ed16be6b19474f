package wrap

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
)

// The guard's directory holds, for a project with the key K:
//
//	K.lock          held together by the calls under way, alone by who looks
//	K.tree          what the search of its directories found last
//	K.json          what was found when no call was under way
//	K.MARK.call     one for each call, locked while its process lives
//	K.MARK.call.told  what another call on the project found and undid; see blame.go
//	K.ending        held by the call that compares
//	K.dead          a call died, and the project was not compared since
//	kept/…          what was there before the guard undid a change
//
// The record of a call exists from before its program starts until its changes
// were undone. One that nobody holds is therefore that of a process that was
// killed. Any later call ends what is left of such a call, and compares and
// restores its project, before it runs anything itself.
//
// Records are not synced: a kill of the machine ends the programs as well, and
// what it leaves of record and tampering is up to the file system's order.
const (
	lockSuffix     = ".lock"
	baselineSuffix = ".json"
	treeSuffix     = ".tree"
	callSuffix     = ".call"
	deadSuffix     = ".dead"
	endingSuffix   = ".ending"
	toldSuffix     = ".told"
	// noProject stands for the key in the records of calls on no project.
	noProject = "none"
)

// call is the record of one call.
type call struct {
	mark, path string
	unlock     func()
}

// enroll makes the record of a call.
func (g *GitGuard) enroll(key string) (*call, error) {
	const tries = 16
	for range tries {
		mark := proc.NewMark()
		path := filepath.Join(g.Dir, key+"."+mark+callSuffix)
		unlock, ok, err := durable.TryLock(path, g.Holder)
		if err != nil {
			return nil, err
		}
		if ok {
			return &call{mark: mark, path: path, unlock: unlock}, nil
		}
		// Someone who looks for dead calls met it before it was locked.
	}
	return nil, fault.Newf(durable.CodeLocked, "no record of the call can be made in %q", g.Dir)
}

// close ends the record of a call that left nothing behind.
func (c *call) close() {
	_ = os.Remove(toldPath(c.path))
	_ = os.Remove(c.path)
	c.unlock()
}

// bury deals with calls whose process was killed: it ends their leftovers, and
// compares and restores their projects. project is where the caller is, and may
// be nil. An error means that a project could not be restored.
func (g *GitGuard) bury(project *Project) (notes []string, err error) {
	entries, err := os.ReadDir(g.Dir)
	if err != nil {
		return nil, guardFault(g.Dir, err)
	}
	var dead []*call
	for _, entry := range entries {
		if c := g.deadCall(entry.Name()); c != nil {
			dead = append(dead, c)
		}
	}
	if len(dead) > 0 {
		ended, err := g.endLeftovers(dead)
		if err != nil {
			return nil, err
		}
		notes = append(notes, ended...)
		if entries, err = os.ReadDir(g.Dir); err != nil {
			return notes, guardFault(g.Dir, err)
		}
	}
	for _, entry := range entries {
		key, ok := strings.CutSuffix(entry.Name(), deadSuffix)
		if !ok {
			continue
		}
		said, err := g.settle(key, project)
		notes = append(notes, said...)
		if err != nil {
			return notes, err
		}
	}
	return notes, nil
}

// deadCall returns the record of that name, locked, when it is one that nobody
// holds.
func (g *GitGuard) deadCall(name string) *call {
	_, mark, ok := callName(name)
	if !ok {
		return nil
	}
	path := filepath.Join(g.Dir, name)
	unlock, free, err := durable.TryLock(path, g.Holder)
	if err != nil || !free {
		return nil
	}
	return &call{mark: mark, path: path, unlock: unlock}
}

func callName(name string) (key, mark string, ok bool) {
	stem, ok := strings.CutSuffix(name, callSuffix)
	if !ok {
		return "", "", false
	}
	return strings.Cut(stem, ".")
}

// endLeftovers ends the processes of dead calls, and turns the calls' records
// into the debt to compare their projects.
func (g *GitGuard) endLeftovers(dead []*call) (notes []string, err error) {
	defer func() {
		for _, c := range dead {
			c.unlock()
		}
	}()
	marks := make([]string, 0, len(dead))
	for _, c := range dead {
		marks = append(marks, c.mark)
	}
	ended, left := proc.EndLeftovers(marks...)
	if left > 0 {
		return nil, fault.Newf(CodeLeftovers, "%d processes of a call that was killed cannot be ended", left).
			WithHint("they may still change the project; end them yourself, or restart the machine")
	}
	if ended > 0 {
		notes = append(notes, fmt.Sprintf("%d processes of an earlier call that was killed were still running and were ended", ended))
	}
	for _, c := range dead {
		if key, _, _ := callName(filepath.Base(c.path)); key != noProject {
			err := durable.CreateFile(filepath.Join(g.Dir, key+deadSuffix), nil, 0o600)
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return notes, err
			}
		}
		_ = os.Remove(toldPath(c.path))
		_ = os.Remove(c.path)
	}
	return notes, nil
}

// settle compares a project with what it was before the call that died. While
// other calls are under way on it, they compare with the same.
func (g *GitGuard) settle(key string, project *Project) (notes []string, err error) {
	unlock, alone, err := durable.TryLock(filepath.Join(g.Dir, key+lockSuffix), g.Holder)
	if err != nil || !alone {
		return nil, err
	}
	defer unlock()
	debt := filepath.Join(g.Dir, key+deadSuffix)
	before, err := loadBaseline(filepath.Join(g.Dir, key+baselineSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(debt) // it died before anything could run
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if keyOf(before.Root) != key {
		if project == nil || keyOf(project.Root) != key {
			return nil, nil // moved: it is met again by its identity
		}
		before.move(project)
	}
	found := before.compare(&treeFile{path: filepath.Join(g.Dir, key+treeSuffix)})
	kept := g.keep(found, rand.Text()[:12])
	if len(found.stuck) > 0 {
		return nil, found.fault("after a command was killed", kept)
	}
	_ = os.Remove(debt)
	if len(found.changed) == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("%s: a command on %q was killed, and since before it %s: %s; the change was undone%s",
		found.code(), before.Root, found.what(), names(found.changed), kept)}, nil
}

// owes reports whether a project must be compared before its state may become
// the baseline. The caller has the project's lock alone, so no call under way has
// a record.
func (g *GitGuard) owes(key string) (bool, error) {
	entries, err := os.ReadDir(g.Dir)
	if err != nil {
		return false, guardFault(g.Dir, err)
	}
	return slices.ContainsFunc(entries, func(entry os.DirEntry) bool {
		of, _, ok := callName(entry.Name())
		return ok && of == key || entry.Name() == key+deadSuffix
	}), nil
}

// enter is the beginning of every call: what dead calls left is dealt with, and
// the call is recorded. With a project, the guard's watch of it begins.
func (g *GitGuard) enter(ctx context.Context, project *Project) (w *watch, notes []string, err error) {
	if err := durable.MkdirAll(g.Dir, 0o700); err != nil {
		return nil, nil, err
	}
	if notes, err = g.bury(project); err != nil {
		return nil, notes, err
	}
	if len(notes) > 0 && project != nil && project.moved() {
		return nil, notes, fault.Newf(CodeGitConfigChanged, "the project at %q was put back to what it was before a command that was killed", project.Root).
			WithHint("%s. Run the command again", strings.Join(notes, "; "))
	}
	if project == nil {
		c, err := g.enroll(noProject)
		if err != nil {
			return nil, notes, err
		}
		return &watch{guard: g, call: c, release: func() {}}, notes, nil
	}
	w, more, err := g.begin(ctx, project)
	return w, append(notes, more...), err
}
