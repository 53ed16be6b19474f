package git

import "context"

// mergeApart merges two sides that have nothing to do with each other, without
// git: every path was changed by one of them only, no file of one stands where
// the other needs a folder, and no rename of one can concern the other. A rename
// is a path gone and another come on the same side; it concerns changes of the
// path that is gone, which the first rule excludes, and files that the other side
// has added, which may belong into a folder that was renamed. ok is false when
// the sides are not apart.
func (r *Repository) mergeApart(ctx context.Context, ours OID, mine, other []Change) (tree OID, ok bool, err error) {
	if renames(mine) && adds(other) || renames(other) && adds(mine) || meet(mine, other) || meet(other, mine) {
		return "", false, nil
	}
	batch := r.NewBatch()
	tree, err = batch.Edit(ctx, ours, other)
	if err != nil {
		return "", false, err
	}
	return tree, true, batch.Flush(ctx)
}

func adds(changes []Change) bool { return hasKind(changes, Added) }

func renames(changes []Change) bool { return adds(changes) && hasKind(changes, Deleted) }

func hasKind(changes []Change, kind ChangeKind) bool {
	for _, c := range changes {
		if c.Kind == kind {
			return true
		}
	}
	return false
}

// meet says whether a path of one side is a path of the other, or leads through
// a file of the other.
func meet(a, b []Change) bool {
	paths := make(map[string]bool, len(b))
	for _, c := range b {
		paths[c.Path] = c.Kind != Deleted
	}
	for _, c := range a {
		if _, same := paths[c.Path]; same {
			return true
		}
		if c.Kind == Deleted {
			continue
		}
		for i := range len(c.Path) {
			if c.Path[i] == '/' && paths[c.Path[:i]] {
				return true
			}
		}
	}
	return false
}
