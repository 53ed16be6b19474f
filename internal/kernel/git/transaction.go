package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// RefUpdate changes one ref. An empty New removes it. Old is what it must name
// now, empty when it must not exist; Any leaves that open.
type RefUpdate struct {
	Name     string
	New, Old OID
	Any      bool
}

func (u RefUpdate) removes() bool { return u.New.IsZero() && (u.Any || !u.Old.IsZero()) }

// UpdateRefs makes all changes or none, durably. When a ref is not what the
// caller last saw, the fault is ref_moved and names it; when somebody holds a
// lock on one, ref_locked. Symbolic refs are not followed.
func (r *Repository) UpdateRefs(ctx context.Context, updates []RefUpdate) error {
	if len(updates) == 0 {
		return ctx.Err()
	}
	var script strings.Builder
	for _, u := range updates {
		if err := r.checkUpdate(u); err != nil {
			return err
		}
		script.WriteString(r.instruction(u))
	}
	if r.simple(updates) {
		if err := r.moveRefs(ctx, updates); !errors.Is(err, errNotSimple) {
			return err
		}
	}
	_, _, err := r.git(ctx, job{args: []string{"update-ref", "--stdin", "-z"}, stdin: []byte(script.String())})
	if err != nil {
		return r.explainRefs(ctx, updates, err)
	}
	return r.syncRefs(updates)
}

func (r *Repository) checkUpdate(u RefUpdate) error {
	if err := checkRefName(u.Name); err != nil {
		return err
	}
	for _, id := range []OID{u.New, u.Old} {
		if id.IsZero() {
			continue
		}
		if err := r.format.Check(id); err != nil {
			return err
		}
	}
	if !u.New.IsZero() && !r.objects.has(u.New) {
		return fault.Newf(CodeMissingObject, "the ref %q cannot name %s, which is not in the repository", u.Name, u.New)
	}
	return nil
}

// instruction is one change in the language of update-ref.
func (r *Repository) instruction(u RefUpdate) string {
	const end = "\x00"
	old := string(u.Old)
	if u.Old.IsZero() {
		old = string(r.format.Zero())
	}
	if u.Any {
		old = ""
	}
	line := "option no-deref" + end
	switch {
	case !u.New.IsZero():
		return line + "update " + u.Name + end + string(u.New) + end + old + end
	case u.removes():
		return line + "delete " + u.Name + end + old + end
	}
	return line + "verify " + u.Name + end + old + end
}

// explainRefs finds out why a transaction failed by looking at the refs, not by
// reading what git said. Git moves the refs one after the other once it has
// compared them all: where it was killed, or one is where it was to go, some may be
// moved and others not, which is no refusal.
func (r *Repository) explainRefs(ctx context.Context, updates []RefUpdate, cause error) error {
	if ctx.Err() != nil || errors.Is(cause, ErrKilled) {
		return cause
	}
	var other error
	for _, u := range updates {
		id, ok, err := r.refIn(r.gitDir, u.Name)
		switch {
		case err != nil:
			return err
		case !u.Any && (ok != !u.Old.IsZero() || ok && id != u.Old) && other == nil:
			other = moved(u, id)
		}
		if len(updates) > 1 && ok && !u.Any && id == u.New && u.New != u.Old {
			return cause
		}
	}
	if other != nil {
		return other
	}
	if locks := r.RefLocks(updates); len(locks) > 0 {
		return fault.Newf(CodeRefLocked, "the ref %q is locked", updates[0].Name).Because(cause).
			WithHint("if no git runs here, a crash left the lock; then remove %q", locks[0])
	}
	return cause
}

// RefLocks returns the lock files that are in the way of a transaction: those of
// its refs, that of the head, which git takes when its branch moves, and that of
// the packed refs, which it takes when a ref is removed.
func (r *Repository) RefLocks(updates []RefUpdate) []string {
	var locks []string
	for _, u := range updates {
		if path := r.refFile(u.Name) + ".lock"; exists(path) {
			locks = append(locks, path)
		}
	}
	shared := []string{filepath.Join(r.gitDir, "HEAD.lock")}
	if slices.ContainsFunc(updates, RefUpdate.removes) {
		shared = append(shared, filepath.Join(r.common, "packed-refs.lock"))
	}
	return append(locks, slices.DeleteFunc(shared, func(path string) bool { return !exists(path) })...)
}

func moved(u RefUpdate, now OID) error {
	is := "does not exist"
	if now != "" {
		is = "is at " + string(now)
	}
	want := "should not exist"
	if !u.Old.IsZero() {
		want = "should be at " + string(u.Old)
	}
	return fault.Newf(CodeRefMoved, "the ref %q %s and %s", u.Name, is, want).
		WithHint("somebody else has changed it; look at it again and repeat")
}

func (r *Repository) refFile(name string) string {
	dir := r.common
	if ofWorktree(name) {
		dir = r.gitDir
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// syncRefs flushes the folders of the refs: git flushes the files alone, and a
// new name is only as safe as its folder.
func (r *Repository) syncRefs(updates []RefUpdate) error {
	done := map[string]bool{}
	for _, u := range updates {
		top := r.refFile("refs")
		for dir := filepath.Dir(r.refFile(u.Name)); !done[dir]; dir = filepath.Dir(dir) {
			done[dir] = true
			if err := durable.SyncDir(dir); err != nil && !fault.Is(err, durable.CodeNotFound) {
				return err
			}
			if dir == top || len(dir) <= len(top) {
				break
			}
		}
	}
	return nil
}
