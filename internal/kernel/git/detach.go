package git

import (
	"context"

	"bridle/internal/kernel/fault"
)

// Detach has the head of a linked working tree stand on another commit, without a
// branch, and leaves files and index alone. It fails where the head is not at from
// any more. The repository's own working tree is the user's and is refused.
func (w *Worktree) Detach(ctx context.Context, from, to OID) error {
	if !w.Linked() {
		return fault.Newf(CodeBadWorktree, "the head of %q is the user's own", w.root)
	}
	_, _, err := w.git(ctx, job{args: []string{"update-ref", "--no-deref", "HEAD", string(to), string(from)}})
	return err
}
