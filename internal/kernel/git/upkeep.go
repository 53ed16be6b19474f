package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/durable"
)

// PackRefs moves all refs that are files of their own into the one file that
// holds many. Readers are not disturbed.
func (r *Repository) PackRefs(ctx context.Context) error {
	_, _, err := r.git(ctx, job{args: []string{"pack-refs", "--all", "--prune"}})
	if err != nil {
		return err
	}
	return durable.SyncDir(r.common)
}

// ClearRefLocks removes the locks that killed processes have left on refs below
// a prefix that is the caller's alone, such as "refs/hop/". The caller must hold
// what keeps its own processes from changing refs there meanwhile. It returns
// the names of the refs.
func (r *Repository) ClearRefLocks(ctx context.Context, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkRefName(strings.TrimSuffix(prefix, "/")); err != nil {
		return nil, err
	}
	var freed []string
	dir := r.refFile(strings.TrimSuffix(prefix, "/"))
	root, err := os.OpenRoot(dir)
	if err != nil {
		if noFile(err) {
			return nil, nil
		}
		return nil, unreadable(dir, err)
	}
	defer func() { _ = root.Close() }()
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if noFile(err) {
				return nil
			}
			return unreadable(path, err)
		}
		name, isLock := strings.CutSuffix(path, ".lock")
		if !isLock || !d.Type().IsRegular() {
			return nil
		}
		if err := root.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return durable.Explain("unlock", name, err)
		}
		freed = append(freed, strings.TrimSuffix(prefix, "/")+"/"+name)
		return nil
	})
	return freed, err
}

// Repack joins the objects into few packs. Nothing is dropped, reachable or not.
func (r *Repository) Repack(ctx context.Context) error {
	_, _, err := r.git(ctx, job{args: []string{"repack", "-a", "-d", "-k", "-q", "--no-write-bitmap-index"}})
	if err != nil {
		return err
	}
	return durable.SyncDir(filepath.Join(r.objects.dirs[0], "pack"))
}
