package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/fault"
)

// Head says what a working tree stands on.
type Head struct {
	// Commit is the commit, or empty while the branch has none.
	Commit OID
	// Branch is the full name of the branch; empty when the head is detached.
	Branch string
	// Unborn says that the branch has no commit yet; Detached that the head names
	// a commit and no branch.
	Unborn, Detached bool
}

// Head reads the head of the working tree.
func (r *Repository) Head(ctx context.Context) (Head, error) { return r.headIn(ctx, r.gitDir) }

func (r *Repository) headIn(_ context.Context, gitDir string) (Head, error) {
	branch := branchRef(gitDir)
	if branch == "" {
		id, ok, err := r.refIn(gitDir, "HEAD")
		if err != nil {
			return Head{}, err
		}
		if !ok {
			return Head{}, fault.Newf(CodeCorrupt, "the head of %q names neither a branch nor a commit", gitDir)
		}
		return Head{Commit: id, Detached: true}, nil
	}
	id, ok, err := r.refIn(gitDir, branch)
	return Head{Commit: id, Branch: branch, Unborn: !ok}, err
}

// branchRef is the full name of the branch that HEAD names, or "".
func branchRef(gitDir string) string {
	path := filepath.Join(gitDir, "HEAD")
	if target, err := os.Readlink(path); err == nil && strings.HasPrefix(target, "refs/") {
		return target
	}
	data, err := ReadPlain(path, maxLine)
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(string(data), "ref:")
	if !ok {
		return ""
	}
	return strings.TrimSpace(name)
}

// branchIn is the short name of the branch, as conditions in the configuration
// use it.
func branchIn(gitDir string) string {
	return strings.TrimPrefix(branchRef(gitDir), "refs/heads/")
}
