package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/git"
)

// sweep removes everything in the checkout that is not in the tree, ignored
// files too, but for the caches.
func (s *Slot) sweep(ctx context.Context, repo *git.Repository, tree git.OID, caches []string) error {
	sw := sweeper{ctx: ctx, repo: repo, root: s.Dir, keep: caches, more: make(chan struct{}, runtime.GOMAXPROCS(0)-1)}
	return sw.folder("", tree)
}

type sweeper struct {
	ctx  context.Context //nolint:containedctx // lives for one walk
	repo *git.Repository
	root string
	keep []string
	// more has room for those who sweep beside the first.
	more chan struct{}
}

// subfolder is a folder with what is to be left of it.
type subfolder struct {
	prefix string
	tree   git.OID
}

// folder removes what one folder has and the tree has not.
func (s *sweeper) folder(prefix string, tree git.OID) error {
	entries, err := s.repo.Tree(s.ctx, tree)
	if err != nil {
		return err
	}
	known := make(map[string]git.Entry, len(entries))
	for _, e := range entries {
		known[e.Name] = e
	}
	dir := filepath.Join(s.root, filepath.FromSlash(prefix))
	if err := unlock(dir); err != nil {
		return err
	}
	have, err := os.ReadDir(dir)
	if err != nil {
		return durable.Explain("read", dir, err)
	}
	var below []subfolder
	for _, h := range have {
		path := prefix + h.Name()
		e, wanted := known[h.Name()]
		switch {
		case path == ".git" || s.kept(path):
		case wanted && e.IsTree() && h.IsDir():
			below = append(below, subfolder{path + "/", e.ID})
		case wanted && !e.IsTree() && !h.IsDir():
		case h.IsDir() && s.keepsBelow(path):
			below = append(below, subfolder{path + "/", s.repo.Format().EmptyTree()})
		default:
			if err := removeLocked(filepath.Join(s.root, filepath.FromSlash(path))); err != nil {
				return err
			}
		}
	}
	return s.each(below)
}

// each sweeps folders, as many at once as there are processors.
func (s *sweeper) each(folders []subfolder) error {
	var group sync.WaitGroup
	failures := make([]error, len(folders))
	for i, f := range folders {
		select {
		case s.more <- struct{}{}:
			group.Go(func() {
				failures[i] = s.folder(f.prefix, f.tree)
				<-s.more
			})
		default:
			failures[i] = s.folder(f.prefix, f.tree)
		}
	}
	group.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sweeper) kept(path string) bool {
	for _, cache := range s.keep {
		if clean(cache) == path {
			return true
		}
	}
	return false
}

func (s *sweeper) keepsBelow(path string) bool {
	for _, cache := range s.keep {
		if strings.HasPrefix(clean(cache), path+"/") {
			return true
		}
	}
	return false
}

// removeLocked removes a path, also where a folder in it may not be changed.
func removeLocked(path string) error {
	err := os.RemoveAll(path)
	if errors.Is(err, fs.ErrPermission) {
		if err := unlockTree(path); err != nil {
			return err
		}
		err = os.RemoveAll(path)
	}
	return durable.Explain("remove", path, err)
}

// unlock makes one folder writable.
func unlock(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && info.Mode().Perm()&0o700 != 0o700 {
		err = os.Chmod(dir, info.Mode().Perm()|0o700) //nolint:gosec // the checkout is ours alone while its lock is held
	}
	return durable.Explain("open up", dir, err)
}

// unlockTree makes folders writable that a check, or a read-only seed, left
// without permission to change them.
func unlockTree(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if !d.IsDir() {
			return nil
		}
		return unlock(path)
	})
	return durable.Explain("look through", dir, err)
}
