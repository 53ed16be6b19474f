package git

import "slices"

// A working tree without an index was never checked out, as after git clone
// --no-checkout, or lost its index. That a file is not there does not mean then that
// somebody removed it: it is in a snapshot as the head has it, like a file outside of
// a sparse checkout. Who is about to bring the working tree to another tree has to know
// what is there, and takes nothing for granted.

// headIndex is the index of a working tree that has none: all that the head has, as
// not checked out.
func (s *scan) headIndex() (*index, error) {
	x := &index{format: s.w.repo.format}
	head, err := s.w.Head(s.ctx)
	if err != nil || head.Commit == "" {
		return x, err
	}
	commit, err := s.w.repo.Commit(s.ctx, head.Commit)
	if err != nil {
		return nil, err
	}
	if err := s.listTree(x, "", commit.Tree); err != nil {
		return nil, err
	}
	slices.SortFunc(x.entries, func(a, b indexEntry) int { return compareIndex(&a, &b) })
	return x, nil
}

func (s *scan) listTree(x *index, path string, tree OID) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	entries, err := s.w.repo.Tree(s.ctx, tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsTree() {
			if err := s.listTree(x, path+e.Name+"/", e.ID); err != nil {
				return err
			}
			continue
		}
		if !safePath(path + e.Name) { // git would not check it out either
			continue
		}
		x.entries = append(x.entries, indexEntry{path: path + e.Name, raw: string(e.ID.raw()), mode: e.Mode, flags: flagSkip})
	}
	return nil
}
