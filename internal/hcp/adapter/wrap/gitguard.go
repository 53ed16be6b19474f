package wrap

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// GitGuard keeps commands that work on a project from deciding what git will
// run later, outside of the sandbox: hooks and configuration of the project's
// repository are as before when a call has ended (§10.2).
//
// A sandbox that opens a directory cannot close a part of it, and committing
// needs the rest. So the guard looks before a call and afterwards. Calls may
// overlap: all of them compare with what the first one found when none was
// running, which is kept in a file while a shared lock says that calls are
// under way. Otherwise one call's tampering could become another's baseline.
type GitGuard struct {
	// Dir holds the locks and baselines; private to the user.
	Dir string
	// Holder names this process to people who wait for the lock.
	Holder string
}

// watch is one call's part of the guard.
type watch struct {
	project *Project
	before  map[string]*gitState // by root
	release func()
}

// roots are the directories that hold guarded data, each with the place of
// git's data in it, also where there is none yet.
func (p *Project) roots() map[string]string {
	roots := map[string]string{p.Root: filepath.Join(p.Root, ".git")}
	switch {
	case p.git == "":
	case below(p.git, p.Root):
		roots[p.Root] = p.git
	default:
		roots[p.git] = p.git
	}
	return roots
}

// begin takes the baseline, or that of the calls already under way.
func (g *GitGuard) begin(ctx context.Context, p *Project) (*watch, error) {
	sum := sha256.Sum256([]byte(p.Root))
	name := filepath.Join(g.Dir, hex.EncodeToString(sum[:16]))
	lock, baseline := name+".lock", name+".json"
	if err := durable.MkdirAll(g.Dir, 0o700); err != nil {
		return nil, err
	}
	unlock, alone, err := durable.TryLock(lock, g.Holder)
	if err != nil {
		return nil, err
	}
	w := &watch{project: p, release: func() {}}
	if alone {
		err := w.look(baseline)
		unlock()
		if err != nil {
			return nil, err
		}
	}
	unlock, err = durable.LockShared(ctx, lock, g.Holder)
	if err != nil {
		return nil, err
	}
	w.release = unlock
	if !alone {
		if w.before, err = loadBaseline(baseline); err != nil {
			unlock()
			return nil, err
		}
	}
	return w, nil
}

// look reads the repository as it is and keeps that as the baseline.
func (w *watch) look(baseline string) error {
	w.before = map[string]*gitState{}
	for root, data := range w.project.roots() {
		state, err := readGitState(root, data, false)
		if err != nil {
			return err
		}
		w.before[root] = state
	}
	return saveBaseline(baseline, w.before)
}

func saveBaseline(path string, states map[string]*gitState) error {
	items := map[string]map[string]item{}
	for root, state := range states {
		items[root] = state.items
	}
	data, err := canon.Marshal(items)
	if err != nil {
		return err
	}
	if kept, err := os.ReadFile(path); err == nil && bytes.Equal(kept, data) {
		return nil
	}
	return durable.WriteFile(path, data, 0o600)
}

func loadBaseline(path string) (map[string]*gitState, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, guardFault(path, err)
	}
	var items map[string]map[string]item
	if err := canon.Decode(data, &items, canon.Limits{MaxBytes: 64 << 20}); err != nil {
		return nil, guardFault(path, err)
	}
	states := map[string]*gitState{}
	for root, of := range items {
		states[root] = &gitState{root: root, items: of}
	}
	return states, nil
}

// end compares, undoes what must not stay, and reports it. It never stops
// half-way: whatever keeps it from looking at one thing, the rest is put back.
func (w *watch) end(context.Context) (notes []string, err error) {
	defer w.release()
	var changed, stuck []string
	for root, data := range w.project.roots() {
		before := w.before[root]
		if before == nil {
			continue
		}
		now, err := readGitState(root, data, true)
		if err != nil {
			stuck = append(stuck, root)
		}
		different := differences(before, now)
		for _, name := range different {
			changed = append(changed, name)
			if !restore(root, name, before.item(name)) {
				stuck = append(stuck, name)
			}
		}
		for _, name := range now.problems {
			if !slices.Contains(different, name) {
				stuck = append(stuck, name)
			}
		}
	}
	if len(changed)+len(stuck) == 0 {
		return nil, nil
	}
	if len(changed) == 0 {
		changed = stuck
	}
	slices.Sort(changed)
	f := fault.Newf(CodeGitConfigChanged, "while the command ran, git hooks or configuration of the project changed: %s", names(changed))
	if len(stuck) > 0 {
		slices.Sort(stuck)
		return nil, f.WithHint("%s could not be put back: look at them before you run git in this project", names(slices.Compact(stuck)))
	}
	return nil, f.WithHint("the change was undone; what else the command did stays. If the change is wanted, a person makes it with git itself")
}

// differences lists the names whose items differ in a way that matters. Parents
// come before what is in them.
func differences(before, now *gitState) []string {
	all := map[string]bool{}
	for name := range before.items {
		all[name] = true
	}
	for name := range now.items {
		all[name] = true
	}
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, is := before.item(name), now.item(name)
		if old.same(is) || tolerable(name, old, is) {
			continue
		}
		changed = append(changed, name)
	}
	return changed
}

// item returns a recorded item; a name that was not there to be recorded is
// absent.
func (s *gitState) item(name string) item {
	if i, ok := s.items[name]; ok {
		return i
	}
	return item{Kind: absent}
}

// tolerable accepts the changes that ordinary git commands make and that run
// nothing: settings of that kind, new directories, and worktrees that come and
// go.
func tolerable(name string, old, is item) bool {
	config := strings.HasSuffix(name, "/config") || name == "config"
	switch {
	case config && is.Kind == file && (old.Kind == absent || old.Kind == file && old.Mode == is.Mode):
		return onlyOrdinary(string(old.Content), string(is.Content))
	case old.Kind == absent && is.Kind == directory:
		return true
	case strings.HasPrefix(name, "worktrees/") || strings.Contains(name, "/worktrees/"):
		came, went := old.Kind == absent && is.Kind == file, old.Kind == file && is.Kind == absent
		return (came || went) && !strings.HasSuffix(name, "/config.worktree")
	}
	return false
}

func names(list []string) string {
	const most = 5
	quotedNames := make([]string, 0, most)
	for i, name := range list {
		if i == most {
			return strings.Join(quotedNames, ", ") + fmt.Sprintf(" and %d more", len(list)-most)
		}
		quotedNames = append(quotedNames, quoted(name))
	}
	return strings.Join(quotedNames, ", ")
}

func quoted(text string) string { return fmt.Sprintf("%q", text) }
