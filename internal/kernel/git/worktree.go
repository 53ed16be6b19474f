package git

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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

// register makes a working tree without files. What the repository keeps about it
// is put together elsewhere and appears at once: no git ever meets a half of it,
// and of two that want one name only one gets it.
func (r *Repository) register(dir string, commit OID) (*Worktree, error) {
	if err := emptyDir(dir); err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, durable.Explain("find", dir, err)
	}
	link := filepath.Join(root, ".git")
	draft, err := r.drafted(link, commit, nil)
	if err != nil {
		return nil, err
	}
	admin, err := r.publish(draft, link, link)
	if err != nil {
		return nil, errors.Join(err, durable.RemoveAll(draft), durable.RemoveAll(link))
	}
	return &Worktree{repo: r, root: root, gitDir: admin}, nil
}

// drafted puts together what the repository keeps about a working tree whose file
// .git is link. Its head is detached at commit; without an index it has no files.
func (r *Repository) drafted(link string, commit OID, index []byte) (draft string, err error) {
	if draft, err = r.draft(); err != nil {
		return "", err
	}
	for _, f := range []struct {
		name string
		text []byte
	}{
		{"gitdir", []byte(link + "\n")}, {"commondir", []byte("../..\n")}, {"HEAD", []byte(commit + "\n")}, {"index", index},
	} {
		if f.text == nil {
			continue
		}
		if err := putOpen(filepath.Join(draft, f.name), f.text); err != nil {
			return "", errors.Join(durable.Explain("write", filepath.Join(draft, f.name), err), durable.RemoveAll(draft))
		}
	}
	return draft, nil
}

// publish gives the data of a new working tree its place, and the working tree
// the file that leads there: link, or for now at.
func (r *Repository) publish(draft, link, at string) (string, error) {
	all := filepath.Join(r.common, "worktrees")
	if err := durable.MkdirOpen(all); err != nil {
		return "", err
	}
	name := adminName(filepath.Base(filepath.Dir(link)))
	for n := 0; n < 100000; n++ {
		admin := filepath.Join(all, name)
		if n > 0 {
			admin += strconv.Itoa(n)
		}
		if _, err := os.Lstat(admin); err == nil && !r.forgotten(admin, link) {
			continue
		}
		// First the file, so that data which leads nowhere is never seen.
		if err := durable.WriteFile(at, []byte("gitdir: "+admin+"\n"), 0o644); err != nil {
			return "", err
		}
		err := durable.PublishDir(draft, admin)
		if !errors.Is(err, fs.ErrExist) {
			return admin, err
		}
	}
	return "", fault.Newf(CodeBadWorktree, "too many working trees are called %q", name).WithHint("git worktree prune forgets those that are gone")
}

// forgotten reports whether data that is in the way was of a working tree in the
// same place, which is not there any more, and has been removed.
func (r *Repository) forgotten(admin, link string) bool {
	data, err := ReadPlain(filepath.Join(admin, "gitdir"), maxLine)
	if err != nil || strings.TrimRight(string(data), "\r\n") != link {
		return false
	}
	return (&Worktree{repo: r, gitDir: admin}).Forget() == nil
}

// adminName is a folder's name as git can have it in a ref.
func adminName(name string) string {
	name = strings.Map(func(c rune) rune {
		if c > ' ' && c < 0x7f && !strings.ContainsRune(`~^:?*[\/`, c) {
			return c
		}
		return '-'
	}, name)
	name = strings.TrimSuffix(strings.ReplaceAll(strings.Trim(name, "."), "..", "-"), ".lock")
	if name == "" {
		return "worktree"
	}
	return name
}

// draftAge is when a draft has no maker any more.
const draftAge = time.Hour

// draft makes a folder for data that is not in its place yet, or not any more,
// and removes those that killed processes have left.
func (r *Repository) draft() (string, error) {
	all := filepath.Join(r.common, "worktrees-draft")
	if err := durable.MkdirAll(all, 0o700); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(all)
	if err != nil {
		return "", durable.Explain("read", all, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && r.options.Clock.Now().Sub(info.ModTime()) > draftAge {
			_ = os.RemoveAll(filepath.Join(all, e.Name())) // the next call tries again
		}
	}
	dir := filepath.Join(all, rand.Text())
	return dir, durable.Explain("make", dir, os.Mkdir(dir, 0o777)) //nolint:gosec // as open as the rest of the repository
}

func emptyDir(dir string) error {
	if err := durable.MkdirOpen(dir); err != nil {
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

// Worktrees returns the linked working trees, also those whose folder is gone.
func (r *Repository) Worktrees(ctx context.Context) ([]*Worktree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var list []*Worktree
	err := eachLinked(r.common, func(admin, link string) {
		w := &Worktree{repo: r, root: filepath.Dir(link), gitDir: admin}
		target, err := followFile(link)
		w.Missing = err != nil || target != admin
		list = append(list, w)
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// eachLinked tells of every linked working tree of a repository the folder with the
// repository's data about it, and the file in the tree that should lead there.
func eachLinked(common string, tell func(admin, link string)) error {
	folder := filepath.Join(common, "worktrees")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unreadable(folder, err)
	}
	for _, e := range entries {
		admin := filepath.Join(folder, e.Name())
		data, err := ReadPlain(filepath.Join(admin, "gitdir"), maxLine)
		if err != nil {
			continue // being made, or half removed
		}
		link := strings.TrimRight(string(data), "\r\n")
		if !filepath.IsAbs(link) {
			link = filepath.Join(admin, link)
		}
		tell(admin, link)
	}
	return nil
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
	return w.Forget()
}

// Forget removes the repository's data about a linked working tree, of which git
// never sees a part.
func (w *Worktree) Forget() error {
	draft, err := w.repo.draft()
	if err != nil {
		return err
	}
	gone := filepath.Join(draft, "gone")
	if err := durable.MoveDir(w.gitDir, gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, durable.RemoveAll(draft))
	}
	return durable.Explain("remove", w.gitDir, os.RemoveAll(draft))
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
	data, err := ReadPlain(filepath.Join(root, ".git"), maxLine)
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
