package workspace

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/fileid"
	"bridle/internal/kernel/git"
	"bridle/internal/kernel/proc"
)

// A workspace that is not needed any more becomes a checkout of the pool, and a new
// one is made of it. Both ways the folder gets a new name in one step, after the
// repository has new data about it for that name; what is cut short before is removed
// by whoever comes next, under the lock of its place.
//
//   - Nothing of the earlier attempt is carried over: what is not in its recorded tree
//     goes when it is parked, every file that stays was read and found to be that
//     tree's, and git's index is written anew. It is brought to the new tree as for a
//     check.
//   - Modes are made those of a new checkout. With attributes beside it does not fit.
//   - No process may be at work in it, and no file may have another name outside, so
//     that nobody reaches the new attempt through the old one.

// maxParked is how many workspaces are parked, in the last places of the pool. Checks
// take one of them only where no other checkout is free.
const maxParked = 2

// asideSuffix marks a checkout that is being parked.
const asideSuffix = ".parking"

// Retire takes a workspace, whose files are recorded as a tree, out of use. It is
// parked if it fits and there is room, and removed otherwise. It returns where it is
// parked, or nothing.
func Retire(ctx context.Context, repo *git.Repository, l Layout, name, dir string, tree, commit git.OID) (parked string, err error) {
	place, release := l.room()
	if place == "" || commit == "" || l.Outside != "" {
		release()
		return "", Remove(ctx, repo, l, name, dir)
	}
	defer release()
	w, err := open(ctx, repo, dir)
	if err != nil {
		return "", err
	}
	aside := place + asideSuffix
	if err := durable.RemoveAll(aside); err != nil {
		return "", err
	}
	if durable.MoveDir(dir, aside) != nil {
		return "", Remove(ctx, repo, l, name, dir)
	}
	if park(ctx, repo, aside, place, tree, commit) != nil {
		// It does not fit. Nothing in it is needed, and its data may be renewed by half.
		if err := durable.RemoveAll(aside); err != nil {
			return "", err
		}
		if err := w.Forget(); err != nil {
			return "", err
		}
		place = ""
	}
	return place, durable.RemoveAll(l.IndexFile(name))
}

// room is a place for a parked workspace, held until released.
func (l Layout) room() (place string, release func()) {
	return l.parkedPlace(func(dir string) bool { return !exists(dir) })
}

// parkedPlace holds the first of the places for parked workspaces that nobody uses and
// that suits, also once it is held.
func (l Layout) parkedPlace(suits func(dir string) bool) (place string, release func()) {
	for n := maxSlots; n > maxSlots-maxParked; n-- {
		dir := filepath.Join(l.checksDir(), strconv.Itoa(n))
		if !suits(dir) {
			continue
		}
		release, free, err := durable.TryLock(dir+".lock", "hop, parking")
		if err != nil || !free {
			continue
		}
		if suits(dir) {
			return dir, release
		}
		release()
	}
	return "", func() {}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// park makes what was moved aside a checkout of the pool in its place.
func park(ctx context.Context, repo *git.Repository, aside, place string, tree, commit git.OID) error {
	s := Slot{Dir: aside}
	if err := s.sweep(ctx, repo, tree, nil); err != nil {
		return err
	}
	if err := apart(aside); err != nil {
		return err
	}
	w, err := repo.OpenWorktree(ctx, aside)
	if err != nil {
		return err
	}
	if w, err = w.Renew(ctx, place, commit, false); err != nil {
		return err
	}
	// Without an index each file is read.
	if err := w.Checkout(ctx, tree); err != nil {
		return err
	}
	if err := durable.RemoveAll((&Slot{Dir: place}).keptFile()); err != nil {
		return err
	}
	return durable.MoveDir(aside, place)
}

// apart fails where something outside could still reach the files of a working copy,
// as a process that works there or a second name of a file, and where one has
// attributes beside its mode. Modes become those that a checkout gives.
func apart(dir string) error {
	files := map[proc.File]bool{}
	umask, known := proc.Umask()
	if !known {
		return unfit(dir)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !d.IsDir() && fileid.Links(info) != 1 || !d.IsDir() && !d.Type().IsRegular() && d.Type() != fs.ModeSymlink {
			return unfit(path)
		}
		if path != filepath.Join(dir, ".git") && d.Type() != fs.ModeSymlink {
			if err := plain(path, info, umask); err != nil {
				return err
			}
		}
		id := fileid.Of(info)
		files[proc.File{Device: id.Device, Inode: id.Inode}] = true
		return nil
	})
	if err != nil {
		return err
	}
	if pids, known := proc.Users(files); !known || len(pids) > 0 {
		return unfit(dir)
	}
	return nil
}

// plain gives a file or folder the mode that it would have if it were made now.
func plain(path string, info fs.FileInfo, umask fs.FileMode) error {
	if !fileid.Plain(path) {
		return unfit(path)
	}
	mode := 0o777 &^ umask
	if !info.IsDir() && info.Mode()&0o100 == 0 {
		mode &= 0o666
	}
	if info.Mode()&^fs.ModeDir == mode {
		return nil
	}
	return os.Chmod(path, mode)
}

func unfit(path string) error {
	return fault.Newf("workspace_in_use", "%q may be changed from elsewhere", path).WithHint("it is removed and made anew")
}

// reuse makes a workspace of a parked one, with the files of a commit. It reports false
// where there is none, or none that works.
func reuse(ctx context.Context, repo *git.Repository, l Layout, dir string, commit git.OID) (bool, error) {
	if l.Outside != "" {
		return false, nil
	}
	place, release := l.parkedPlace(exists)
	if place == "" {
		return false, nil
	}
	defer release()
	s := Slot{Dir: place}
	if s.become(ctx, repo, dir, commit) == nil {
		return true, nil
	}
	for _, path := range []string{place, dir} {
		if err := durable.RemoveAll(path); err != nil {
			return false, err
		}
	}
	return false, nil
}

// become brings a parked checkout to a commit and makes it a workspace.
func (s *Slot) become(ctx context.Context, repo *git.Repository, dir string, commit git.OID) error {
	c, err := repo.Commit(ctx, commit)
	if err != nil {
		return err
	}
	w, err := openPooled(ctx, repo, s.Dir)
	if err != nil {
		return err
	}
	if err := s.bring(ctx, repo, w, c.Tree, nil); err != nil {
		return err
	}
	if err := durable.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if _, err := w.Renew(ctx, dir, commit, true); err != nil {
		return err
	}
	return durable.MoveDir(s.Dir, dir)
}
