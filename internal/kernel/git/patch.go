package git

import "context"

// PatchLimit is how long a patch may be.
const PatchLimit = 16 << 20

// Patch returns the difference between two trees or commits as a patch, limited
// to the given paths (all when there are none; a folder stands for what is below
// it). Binary files are named, not shown. An empty id stands for the empty tree.
func (r *Repository) Patch(ctx context.Context, a, b OID, paths ...string) ([]byte, error) {
	for _, id := range []*OID{&a, &b} {
		if id.IsZero() {
			*id = r.format.EmptyTree()
		}
		if err := r.format.Check(*id); err != nil {
			return nil, err
		}
	}
	q, err := r.newQuarantine(nil)
	if err != nil {
		return nil, err
	}
	defer q.close()
	args := []string{"diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--no-renames", string(a), string(b), "--"}
	out, _, err := q.git(ctx, job{args: append(args, paths...), limit: PatchLimit})
	return out, err
}
