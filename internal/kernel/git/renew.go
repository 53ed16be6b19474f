package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Renew makes a linked working tree one that the repository knows as if it had just
// been added, detached at a commit, at the place to: its files stay, and whatever
// else was kept about it is forgotten, such as a branch, a merge that was under way,
// or which files are to be there. With keepIndex its index is carried over. The caller
// then moves the folder there; until it has, the tree is not Joined.
func (w *Worktree) Renew(ctx context.Context, to string, commit OID, keepIndex bool) (*Worktree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !w.Linked() {
		return nil, fault.Newf(CodeBadWorktree, "%q is the repository's own working tree", w.root)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(to))
	if err != nil {
		return nil, durable.Explain("find", filepath.Dir(to), err)
	}
	var index []byte
	if keepIndex {
		if index, err = os.ReadFile(filepath.Join(w.gitDir, "index")); err != nil {
			return nil, unreadable(filepath.Join(w.gitDir, "index"), err)
		}
	}
	link := filepath.Join(parent, filepath.Base(to), ".git")
	draft, err := w.repo.drafted(link, commit, index)
	if err != nil {
		return nil, err
	}
	admin, err := w.repo.publish(draft, link, filepath.Join(w.root, ".git"))
	if err != nil {
		return nil, err // the draft goes with the next one's
	}
	fresh := &Worktree{repo: w.repo, root: w.root, gitDir: admin}
	if admin == w.gitDir {
		return fresh, nil
	}
	return fresh, w.Forget()
}

// Joined reports whether the repository's data about the working tree lead to its
// folder. Where they do not they may be another one's.
func (w *Worktree) Joined() bool {
	data, err := ReadPlain(filepath.Join(w.gitDir, "gitdir"), maxLine)
	if err != nil {
		return false
	}
	link := strings.TrimRight(string(data), "\r\n")
	if !filepath.IsAbs(link) {
		link = filepath.Join(w.gitDir, link)
	}
	return filepath.Clean(link) == filepath.Join(w.root, ".git")
}
