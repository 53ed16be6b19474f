package git

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/durable"
)

// quarantine is a repository of its own that borrows the objects of another and
// keeps new ones to itself. Git runs there when it only computes on objects: no
// configuration, no hook and no attribute of the other repository reaches it, and
// what it writes becomes part of the other repository only by adopt.
//
// It lies among the objects under a name that git's own housekeeping removes if
// we are killed.
type quarantine struct {
	repo *Repository
	dir  string
	made map[OID]bool // what was put here to compute with, and is not adopted
}

// newQuarantine makes one whose working tree has the given files, by path.
func (r *Repository) newQuarantine(files map[string][]byte) (*quarantine, error) {
	q := &quarantine{repo: r, dir: filepath.Join(r.objects.dirs[0], "tmp_objdir-"+rand.Text()), made: map[OID]bool{}}
	if err := q.fill(files); err != nil {
		q.close()
		return nil, durable.Explain("prepare", q.dir, err)
	}
	return q, nil
}

func (q *quarantine) fill(files map[string][]byte) error {
	for _, dir := range []string{"", "refs", "objects", "tree"} {
		if err := os.Mkdir(filepath.Join(q.dir, dir), 0o700); err != nil {
			return err
		}
	}
	version := "0"
	if q.repo.format != SHA1 {
		version = "1\n[extensions]\n\tobjectFormat = " + q.repo.format.String()
	}
	err := errors.Join(
		put(filepath.Join(q.dir, "HEAD"), []byte("ref: refs/heads/none\n")),
		put(filepath.Join(q.dir, "config"), []byte("[core]\n\trepositoryFormatVersion = "+version+"\n")))
	for path, data := range files {
		at := filepath.Join(q.dir, "tree", filepath.FromSlash(path))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(at), 0o700)
		}
		if err == nil {
			err = put(at, data)
		}
	}
	return err
}

// put writes a file that need not outlive us.
func put(path string, data []byte) error { return putAs(path, data, 0o600) }

// putOpen is put for what is as open as the rest of the repository.
func putOpen(path string, data []byte) error { return putAs(path, data, 0o666) }

func putAs(path string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

func (q *quarantine) close() { _ = os.RemoveAll(q.dir) }

// git runs git here.
func (q *quarantine) git(ctx context.Context, j job) (out []byte, code int, err error) {
	root := filepath.Join(q.dir, "tree")
	env := append([]string{
		"GIT_DIR=" + q.dir, "GIT_WORK_TREE=" + root,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + pathList(q.repo.objects.dirs),
	}, j.env...)
	return q.repo.options.Program.exit(ctx, call{
		dir: root, home: os.DevNull, args: j.args, timeout: q.repo.options.Timeout, allow: []string{},
		extra: append([]string{"core.fsync=none"}, j.extra...), env: env, stdin: j.stdin, limit: j.limit, accept: j.accept,
		alone: true,
	})
}

// pathList quotes the paths as git reads them in a list.
func pathList(dirs []string) string {
	quoted := make([]string, len(dirs))
	for i, dir := range dirs {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(dir) + `"`
	}
	return strings.Join(quoted, string(filepath.ListSeparator))
}

// put places an object here, for computing with.
func (q *quarantine) put(kind Kind, data []byte) (OID, error) {
	id := q.repo.format.ID(kind, data)
	bytes, err := deflate(nil, header(kind, int64(len(data))), data)
	if err != nil {
		return "", err
	}
	path := loosePath(filepath.Join(q.dir, "objects"), id)
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", durable.Explain("prepare", q.dir, err)
	}
	q.made[id] = true
	if err := put(path, bytes); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", durable.Explain("prepare", q.dir, err)
	}
	return id, nil
}

// adopt puts what git has written here into the repository, durably.
func (q *quarantine) adopt(ctx context.Context) error {
	own, err := openStore(q.repo.format, filepath.Join(q.dir, "objects"))
	if err != nil {
		return err
	}
	defer own.close()
	batch := q.repo.NewBatch()
	err = filepath.WalkDir(own.dirs[0], func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		id := OID(filepath.Base(filepath.Dir(path)) + d.Name())
		if q.repo.format.Check(id) != nil || q.made[id] {
			return nil //nolint:nilerr // what is no object is not taken
		}
		kind, data, err := own.read(id)
		if err == nil {
			batch.add(kind, data)
		}
		return err
	})
	if err != nil {
		return durable.Explain("take over the objects in", q.dir, err)
	}
	return batch.Flush(ctx)
}
