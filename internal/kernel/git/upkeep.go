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
	root := r.refFile(strings.TrimSuffix(prefix, "/"))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
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
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return durable.Explain("unlock", name, err)
		}
		rel, err := filepath.Rel(r.common, name)
		freed = append(freed, filepath.ToSlash(rel))
		return err
	})
	return freed, err
}

// Repack joins the objects into few packs. Nothing is dropped, reachable or not.
func (r *Repository) Repack(ctx context.Context) error {
	_, _, err := r.git(ctx, job{args: []string{"repack", "-A", "-d", "-q", "--no-write-bitmap-index", "--unpack-unreachable=1970-01-01"}})
	if err != nil {
		return err
	}
	return durable.SyncDir(filepath.Join(r.objects.dirs[0], "pack"))
}
