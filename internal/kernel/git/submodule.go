package git

import (
	"path/filepath"
)

// submodule takes the commit that a submodule has checked out. Changes inside
// it are not part of this repository and are named.
func (v *visitor) submodule(path string, e *indexEntry) error {
	root := filepath.Join(v.w.root, filepath.FromSlash(path))
	if found, _, err := dataOf(root); !found || err != nil {
		return v.unpopulated(path, e)
	}
	sub, err := Open(v.ctx, root, v.w.repo.options)
	if err != nil {
		v.cannot(path, ReasonUnreadable)
		return nil //nolint:nilerr // named as a problem
	}
	defer func() { _ = sub.Close() }()
	head, err := sub.Head(v.ctx)
	if err != nil || head.Unborn {
		v.cannot(path, ReasonUnborn)
		return nil //nolint:nilerr // named as a problem
	}
	if !v.sameAsCommit(sub, head.Commit) {
		v.problem(path, ReasonSubmodule)
	}
	info := fileInfo{}
	v.put(path, e, string(head.Commit.raw()), ModeGitlink, &info)
	return nil
}

// unpopulated keeps a submodule that is not checked out. Files in its place
// belong to nobody.
func (v *visitor) unpopulated(path string, e *indexEntry) error {
	f, err := v.place.folder(path)
	if err != nil {
		v.cannot(path, ReasonUnreadable)
		return nil //nolint:nilerr // named as a problem
	}
	defer f.close()
	names, err := f.list(make([]byte, 4096))
	switch {
	case err != nil:
		v.problem(path, ReasonUnreadable)
	case len(names) > 0:
		v.problem(path, ReasonNoModule)
	}
	v.keep(e)
	return nil
}

// sameAsCommit says whether the files of a submodule are those of its commit.
func (v *visitor) sameAsCommit(sub *Repository, commit OID) bool {
	w, err := sub.Worktree()
	if err != nil {
		return false
	}
	tree, err := sub.treeOf(v.ctx, commit)
	if err != nil {
		return false
	}
	s, err := w.newScan(v.ctx, scanOptions{})
	if err != nil {
		return false
	}
	defer s.place.close()
	found, err := s.tree()
	return err == nil && len(s.problems) == 0 && string(tree.raw()) == found.raw
}
