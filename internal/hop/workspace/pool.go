package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// A Slot is a clean checkout of the pool, held by one check.
type Slot struct {
	// Dir is the checkout.
	Dir string
	// Seeds are the ignored paths that were put beside the tree.
	Seeds   []string
	release func()
}

// Release gives the checkout back to the pool.
func (s *Slot) Release() { s.release() }

// maxSlots bounds the pool.
const maxSlots = 64

// Proof is how a checkout is known to equal a tree.
type Proof int

const (
	// ByState trusts that the kernel gives a file that is changed another time of
	// change, as git does. It is what a check of work in progress needs.
	ByState Proof = iota
	// ByContent reads every file. What is accepted, or written into the user's
	// folder, rests on it: no earlier check may have changed a file there unseen,
	// as through mapped memory on some file systems.
	ByContent
)

// Take returns a checkout that was proven equal to a tree. An existing one that
// nobody uses is brought there by changing what differs; what earlier checks left
// is gone, but for the caches that the configuration names.
func Take(ctx context.Context, repo *git.Repository, l Layout, c Config, tree, commit git.OID, proof Proof) (*Slot, error) {
	number, release, err := freeSlot(l)
	if err != nil {
		return nil, err
	}
	slot := &Slot{Dir: filepath.Join(l.checksDir(), number), release: release}
	kept := slot.stillThere(l.Root, c.Seed.Link)
	err = slot.prepare(ctx, repo, c, tree, commit, proof, kept)
	if err != nil && len(kept) > 0 { // the tree may want their place
		kept = nil
		err = slot.prepare(ctx, repo, c, tree, commit, proof, nil)
	}
	var linked []string
	if err == nil {
		slot.Seeds, linked, err = seed(l.Root, slot.Dir, c, forCheck, kept)
	}
	if err == nil {
		err = slot.remember(l.Root, linked, kept)
	}
	if err != nil {
		release()
		return nil, err
	}
	return slot, nil
}

// freeSlot finds a checkout that nobody uses, an existing one first.
func freeSlot(l Layout) (number string, release func(), err error) {
	for _, existing := range []bool{true, false} {
		for n := 1; n <= maxSlots; n++ {
			number := strconv.Itoa(n)
			if _, err := os.Lstat(filepath.Join(l.checksDir(), number)); existing == errors.Is(err, fs.ErrNotExist) {
				continue
			}
			release, free, err := durable.TryLock(filepath.Join(l.checksDir(), number+".lock"), "hop check")
			if err != nil {
				return "", nil, err
			}
			if free {
				return number, release, nil
			}
		}
	}
	return "", nil, fault.Newf("too_many_checks", "%d checks are running on this project", maxSlots).
		WithHint("wait until one has ended")
}

// prepare brings the checkout to the tree and proves it.
func (s *Slot) prepare(ctx context.Context, repo *git.Repository, c Config, tree, commit git.OID, proof Proof, kept []keptSeed) error {
	w, err := s.open(ctx, repo, commit)
	if err != nil {
		return err
	}
	keep := slices.Clone(c.Check.Caches)
	for _, k := range kept {
		keep = append(keep, k.Path)
	}
	if err := s.bring(ctx, repo, w, tree, keep); err != nil {
		return err
	}
	if proof == ByState {
		return nil
	}
	different, err := w.Verify(ctx, tree)
	if err != nil {
		return err
	}
	if len(different) > 0 {
		return fault.Newf("checkout_differs", "the checkout for the check is not the tree it is about: %q differs", different[0].Path).
			WithHint("a program is changing %q, or a conversion of git's is not the same both ways", s.Dir)
	}
	return nil
}

// bring makes the files in the checkout those of the tree and what is kept.
func (s *Slot) bring(ctx context.Context, repo *git.Repository, w *git.Worktree, tree git.OID, keep []string) error {
	if err := s.sweep(ctx, repo, tree, keep); err != nil {
		return err
	}
	return w.Checkout(ctx, tree)
}

// open opens the checkout, or makes it anew when there is none that works.
func (s *Slot) open(ctx context.Context, repo *git.Repository, commit git.OID) (*git.Worktree, error) {
	if w, err := openPooled(ctx, repo, s.Dir); err == nil {
		return w, nil
	}
	if err := unlockTree(s.Dir); err != nil {
		return nil, err
	}
	if err := durable.RemoveAll(s.Dir); err != nil {
		return nil, err
	}
	return repo.AddWorktree(ctx, s.Dir, commit)
}

// openPooled opens a checkout of the pool. One that was about to become another
// working copy, when it was cut short, is none any more: the repository's data that
// it leads to are the other one's.
func openPooled(ctx context.Context, repo *git.Repository, dir string) (*git.Worktree, error) {
	w, err := open(ctx, repo, dir)
	if err == nil && !w.Joined() {
		err = fault.Newf(git.CodeBadWorktree, "%q has become another working copy", dir)
	}
	return w, err
}

// Drain removes the checkouts that nobody uses and returns how much they held. Those
// that are parked stay where spare says so.
func Drain(ctx context.Context, repo *git.Repository, l Layout, spare bool, size func(dir string) int64) (int64, error) {
	var freed int64
	for n := 1; n <= maxSlots; n++ {
		dir := filepath.Join(l.checksDir(), strconv.Itoa(n))
		if !exists(dir) && !exists(dir+asideSuffix) {
			continue
		}
		release, free, err := durable.TryLock(dir+".lock", "hop gc")
		if err != nil {
			return freed, err
		}
		if !free {
			continue
		}
		freed += size(dir + asideSuffix)
		err = durable.RemoveAll(dir + asideSuffix)
		if !spare || n <= maxSlots-maxParked {
			freed += size(dir)
			err = errors.Join(err, unlockTree(dir), removePooled(ctx, repo, dir))
		}
		release()
		if err != nil {
			return freed, err
		}
	}
	return freed, nil
}

func removePooled(ctx context.Context, repo *git.Repository, dir string) error {
	w, err := openPooled(ctx, repo, dir)
	if err != nil {
		return durable.RemoveAll(dir)
	}
	return w.Remove(ctx)
}

// Busy returns the checkouts that somebody is at work in.
func Busy(l Layout) ([]string, error) {
	var busy []string
	for n := 1; n <= maxSlots; n++ {
		dir := filepath.Join(l.checksDir(), strconv.Itoa(n))
		if !exists(dir) && !exists(dir+asideSuffix) {
			continue
		}
		release, free, err := durable.TryLock(dir+".lock", "hop")
		if err != nil {
			return nil, err
		}
		if !free {
			busy = append(busy, dir)
			continue
		}
		release()
	}
	return busy, nil
}
