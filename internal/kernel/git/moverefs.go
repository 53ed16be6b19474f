package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Most changes of refs are of files that nothing else depends on. They are made
// here the way git makes them, so that programs of either kind keep out of each
// other's way: a lock file beside each ref, the comparison under all locks, and
// each lock becomes its ref. Everything else is git's to do: what removes a ref or
// follows one, branches, refs with a log, and names that may be in each other's way.

// simple reports whether these changes may be made here.
func (r *Repository) simple(updates []RefUpdate) bool {
	if _, set := r.config.lookup("core.sharedrepository"); set {
		return false
	}
	head, err := ReadPlain(filepath.Join(r.gitDir, "HEAD"), maxLine)
	if err != nil {
		return false
	}
	for i, u := range updates {
		switch {
		case u.New.IsZero(), !strings.HasPrefix(u.Name, "refs/"), strings.HasPrefix(u.Name, "refs/heads/"), ofWorktree(u.Name),
			strings.HasSuffix(strings.TrimSpace(string(head)), " "+u.Name),
			exists(filepath.Join(r.common, "logs", filepath.FromSlash(u.Name))),
			slices.ContainsFunc(updates[:i], func(other RefUpdate) bool { return other.Name == u.Name }):
			return false
		}
	}
	return true
}

// heldRef is a ref whose lock is ours.
type heldRef struct {
	RefUpdate
	path, lock string
	same       bool // it names already what it is to name
}

// errNotSimple leaves a change to git.
var errNotSimple = errors.New("this change of refs is git's to make")

// moveRefs makes changes that are simple, or none. What is on disk before the first
// ref moves leaves little that can go wrong between two of them; where something
// does, those that have moved are the first of them, in the caller's order.
func (r *Repository) moveRefs(ctx context.Context, updates []RefUpdate) (err error) {
	var held []heldRef
	defer func() {
		for _, h := range held {
			_ = os.Remove(h.lock)
		}
	}()
	for _, u := range updates {
		h := heldRef{RefUpdate: u, path: r.refFile(u.Name)}
		h.lock = h.path + ".lock"
		if err := h.take(); err != nil {
			return err
		}
		held = append(held, h)
	}
	for i := range held {
		if err := r.compareRef(&held[i]); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for len(held) > 0 {
		h := held[0]
		if h.same {
			_ = os.Remove(h.lock)
		} else if err := durable.ReplaceFile(h.lock, h.path); err != nil {
			return err
		}
		held = held[1:] // a lock of this name is another's from here on
	}
	return r.syncRefs(updates)
}

// take makes the lock and writes what the ref is to name. Others may remove the
// folder meanwhile, as git does with empty ones.
func (h *heldRef) take() error {
	var f *os.File
	for try := 0; ; try++ {
		if err := durable.MkdirOpen(filepath.Dir(h.path)); err != nil {
			if fault.Is(err, durable.CodeDiskFull) || fault.Is(err, durable.CodeReadOnly) {
				return err
			}
			return errNotSimple // a ref has the name of a folder
		}
		var err error
		f, err = os.OpenFile(h.lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // as open as git makes refs
		if err == nil {
			break
		}
		if errors.Is(err, fs.ErrExist) {
			return fault.Newf(CodeRefLocked, "the ref %q is locked", h.Name).
				WithHint("if no git runs here, a crash left the lock; then remove %q", h.lock)
		}
		if !errors.Is(err, fs.ErrNotExist) || try == 3 {
			return durable.Explain("lock the ref", h.path, err)
		}
	}
	_, err := f.WriteString(string(h.New) + "\n")
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(h.lock)
		return durable.Explain("write the ref", h.path, err)
	}
	return nil
}

// compareRef looks whether a ref whose lock is held is what it should be.
func (r *Repository) compareRef(h *heldRef) error {
	if info, err := os.Lstat(h.path); err == nil && !info.Mode().IsRegular() {
		return errNotSimple // a link, or a folder that may be empty
	}
	now, other, err := r.looseRef(r.gitDir, h.Name)
	if err != nil {
		return err
	}
	if other != "" {
		return errNotSimple // it names another ref
	}
	if now == "" {
		packed, err := r.packedRefs()
		if err != nil {
			return err
		}
		id, found := packed.find(h.Name)
		if !found && packed.inTheWay(h.Name) {
			return errNotSimple
		}
		now = id
	}
	if unchanged := now == h.Old || now == "" && h.Old.IsZero(); !h.Any && !unchanged {
		return moved(h.RefUpdate, now)
	}
	h.same = now == h.New
	return nil
}

// inTheWay reports whether a packed ref has the name as a folder of its own, or is
// one of the name's.
func (p packedRefs) inTheWay(name string) bool {
	found := false
	p.all(func(other string, _ OID) bool {
		found = strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/")
		return !found
	})
	return found
}
