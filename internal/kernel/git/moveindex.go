package git

import "context"

// MoveIndex carries the working tree's own index from one tree to another, as a
// fast-forward does, and leaves the files alone. An index that holds a change of
// its own where the trees differ is left as it is, and the call fails.
func (w *Worktree) MoveIndex(ctx context.Context, from, to OID) error {
	if _, _, err := w.git(ctx, job{args: []string{"read-tree", "-m", "-i", string(from), string(to)}}); err != nil {
		return err
	}
	// That a file differs from the index is no failure: then it is edited.
	_, _, err := w.git(ctx, job{args: []string{"update-index", "-q", "--refresh"}, accept: 1})
	return err
}
