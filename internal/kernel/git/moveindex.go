package git

import (
	"context"
	"strings"

	"bridle/internal/kernel/fault"
)

// MoveIndex carries the working tree's own index from one tree to another, as a
// fast-forward does, and leaves the files alone. An index that holds a change of
// its own where the trees differ is left as it is, and the fault is CodeStaged.
func (w *Worktree) MoveIndex(ctx context.Context, from, to OID) error {
	if _, _, err := w.git(ctx, job{args: []string{"read-tree", "-m", "-i", string(from), string(to)}}); err != nil {
		return w.explainMove(ctx, from, to, err)
	}
	// That a file differs from the index is no failure: then it is edited.
	_, _, err := w.git(ctx, job{args: []string{"update-index", "-q", "--refresh"}, accept: 1})
	return err
}

// explainMove tells an index with changes of its own from other failures. Git ends
// with the same code for all of them.
func (w *Worktree) explainMove(ctx context.Context, from, to OID, cause error) error {
	if ctx.Err() != nil {
		return cause
	}
	changed := map[string]bool{}
	for _, question := range [][]string{
		{"diff-tree", "-r", "-z", "--name-only", "--no-renames", string(from), string(to)},
		{"diff-index", "--cached", "-z", "--name-only", "--no-renames", string(from)},
	} {
		out, _, err := w.git(ctx, job{args: question})
		if err != nil {
			return cause
		}
		for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if changed[path] {
				return fault.Newf(CodeStaged, "its index holds a change of its own to %q", path).Because(cause).
					WithHint("commit it, or take it out of the index")
			}
			changed[path] = path != ""
		}
	}
	return cause
}
