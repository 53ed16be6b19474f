package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Worktree is a folder with the files of one commit. A repository has one of its
// own and any number of linked ones.
type Worktree struct {
	repo   *Repository
	root   string
	gitDir string
	// Missing says that the folder is not there, or is not this working tree any
	// more: it was moved or removed without telling git.
	Missing bool
}

// Root is the folder.
func (w *Worktree) Root() string { return w.root }

// GitDir is where the repository keeps the data of this working tree.
func (w *Worktree) GitDir() string { return w.gitDir }

// Linked says whether the working tree is a further one.
func (w *Worktree) Linked() bool { return w.gitDir != w.repo.common }

// Head reads the head of this working tree.
func (w *Worktree) Head(ctx context.Context) (Head, error) { return w.repo.headIn(ctx, w.gitDir) }

// git runs git in this working tree.
func (w *Worktree) git(ctx context.Context, j job) ([]byte, int, error) {
	j.gitDir, j.root = w.gitDir, w.root
	return w.repo.git(ctx, j)
}

// Worktree is the working tree that the repository was opened in.
func (r *Repository) Worktree() (*Worktree, error) {
	if r.Bare() {
		return nil, fault.Newf(CodeBadWorktree, "the repository at %q has no working tree", r.gitDir)
	}
	return &Worktree{repo: r, root: r.root, gitDir: r.gitDir}, nil
}

// OpenWorktree opens another working tree of this repository by its root.
func (r *Repository) OpenWorktree(ctx context.Context, dir string) (*Worktree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	location, err := Locate(dir)
	if err != nil {
		return nil, err
	}
	common, err := commonDir(location.GitDir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil || real != location.Root || common != r.common {
		return nil, fault.Newf(CodeBadWorktree, "%q is no working tree of the repository at %q", dir, r.common)
	}
	return &Worktree{repo: r, root: location.Root, gitDir: location.GitDir}, nil
}

// AddWorktree makes the folder dir, which must not exist or be empty, a working
// tree with the files of a commit. Its head is detached; no branch is made, no
// configuration written, no hook run.
func (r *Repository) AddWorktree(ctx context.Context, dir string, commit OID) (*Worktree, error) {
	if !filepath.IsAbs(dir) {
		return nil, fault.Newf(CodeBadWorktree, "the folder %q of a working tree is not absolute", dir)
	}
	c, err := r.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	w, err := r.register(dir, commit)
	if err != nil {
		return nil, err
	}
	if err := w.Checkout(ctx, c.Tree); err != nil {
		return nil, errors.Join(err, w.Remove(context.WithoutCancel(ctx)))
	}
	return w, nil
}

// register makes a working tree without files. Its place among the linked ones
// is claimed by making a folder, which of two only one can.
func (r *Repository) register(dir string, commit OID) (*Worktree, error) {
	if err := emptyDir(dir); err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, durable.Explain("find", dir, err)
	}
	admin, err := r.claim(filepath.Base(root))
	if err != nil {
		return nil, err
	}
	w := &Worktree{repo: r, root: root, gitDir: admin}
	files := []struct{ path, text string }{
		{filepath.Join(admin, "locked"), "being made\n"}, // until then nobody may take it for abandoned
		{filepath.Join(admin, "gitdir"), filepath.Join(root, ".git") + "\n"},
		{filepath.Join(admin, "commondir"), "../..\n"},
		{filepath.Join(admin, "HEAD"), string(commit) + "\n"},
		{filepath.Join(root, ".git"), "gitdir: " + admin + "\n"},
	}
	for _, f := range files {
		if err := durable.WriteFile(f.path, []byte(f.text), 0o644); err != nil {
			return nil, errors.Join(err, durable.RemoveAll(admin))
		}
	}
	if err := os.Remove(filepath.Join(admin, "locked")); err != nil {
		return nil, durable.Explain("unlock", admin, err)
	}
	return w, nil
}

func emptyDir(dir string) error {
	if err := durable.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return durable.Explain("read", dir, err)
	}
	if len(entries) > 0 {
		return fault.Newf(CodeBadWorktree, "the folder %q is not empty", dir)
	}
	return nil
}

// claim makes the folder for the data of a new working tree.
func (r *Repository) claim(name string) (string, error) {
	all := filepath.Join(r.common, "worktrees")
	if err := durable.MkdirAll(all, 0o777); err != nil {
		return "", err
	}
	name = strings.Map(func(c rune) rune {
		if c > ' ' && c < 0x7f && !strings.ContainsRune(`~^:?*[\/`, c) {
			return c
		}
		return '-'
	}, name)
	name = strings.TrimSuffix(strings.ReplaceAll(strings.Trim(name, "."), "..", "-"), ".lock")
	if name == "" {
		name = "worktree"
	}
	for n := 0; n < 100000; n++ {
		try := filepath.Join(all, name)
		if n > 0 {
			try += strconv.Itoa(n)
		}
		err := os.Mkdir(try, 0o777) //nolint:gosec // as open as the rest of the repository
		if err == nil {
			return try, durable.SyncDir(all)
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", durable.Explain("make", try, err)
		}
	}
	return "", fault.Newf(CodeBadWorktree, "too many working trees are called %q", name)
}

// Worktrees returns the linked working trees, also those whose folder is gone.
func (r *Repository) Worktrees(ctx context.Context) ([]*Worktree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all := filepath.Join(r.common, "worktrees")
	entries, err := os.ReadDir(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(all, err)
	}
	var list []*Worktree
	for _, e := range entries {
		admin := filepath.Join(all, e.Name())
		data, err := os.ReadFile(filepath.Join(admin, "gitdir"))
		if err != nil {
			continue // being made, or half removed
		}
		link := strings.TrimRight(string(data), "\r\n")
		if !filepath.IsAbs(link) {
			link = filepath.Join(admin, link)
		}
		w := &Worktree{repo: r, root: filepath.Dir(link), gitDir: admin}
		target, err := followFile(link)
		w.Missing = err != nil || target != admin
		list = append(list, w)
	}
	return list, nil
}

// Remove deletes the folder with everything in it, and the repository's data
// about it. A folder that is no longer this working tree stays.
func (w *Worktree) Remove(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !w.Linked() {
		return fault.Newf(CodeBadWorktree, "%q is the repository's own working tree", w.root)
	}
	if target, err := followFile(filepath.Join(w.root, ".git")); err == nil && target == w.gitDir {
		if err := durable.RemoveAll(w.root); err != nil {
			return err
		}
	}
	return durable.RemoveAll(w.gitDir)
}

// Repair joins the working tree with its repository again after its folder, or
// the repository, was moved: dir is where the folder is now.
func (w *Worktree) Repair(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !w.Linked() {
		return fault.Newf(CodeBadWorktree, "%q is the repository's own working tree", w.root)
	}
	root, err := filepath.EvalSymlinks(dir)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return durable.Explain("find", dir, err)
	}
	data, err := os.ReadFile(filepath.Join(root, ".git"))
	link, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if err != nil || !ok || filepath.Base(link) != filepath.Base(w.gitDir) {
		return fault.Newf(CodeBadWorktree, "%q is not the working tree %q", dir, filepath.Base(w.gitDir))
	}
	if err := durable.WriteFile(filepath.Join(root, ".git"), []byte("gitdir: "+w.gitDir+"\n"), 0o644); err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(w.gitDir, "gitdir"), []byte(filepath.Join(root, ".git")+"\n"), 0o644); err != nil {
		return err
	}
	w.root, w.Missing = root, false
	return nil
}
