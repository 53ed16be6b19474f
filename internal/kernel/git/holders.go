package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Holder is something that keeps objects: a ref, the head of a working tree, an
// entry of a log of refs, or what an index has staged.
type Holder struct {
	Name string
	ID   OID
}

// Holders returns everything in the repository that keeps objects from being
// removed.
func (r *Repository) Holders(ctx context.Context) ([]Holder, error) {
	refs, err := r.Refs(ctx, "refs/")
	if err != nil {
		return nil, err
	}
	var roots []Holder
	for _, ref := range refs {
		roots = append(roots, Holder(ref))
	}
	dirs := []string{r.common}
	trees, err := r.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range trees {
		dirs = append(dirs, w.gitDir)
	}
	for _, dir := range dirs {
		more, err := r.holdersOf(ctx, dir)
		if err != nil {
			return nil, err
		}
		roots = append(roots, more...)
	}
	return roots, nil
}

// holdersOf are the roots that one working tree has for itself, and the logs.
func (r *Repository) holdersOf(ctx context.Context, dir string) ([]Holder, error) {
	var roots []Holder
	head, err := r.headIn(ctx, dir)
	if err != nil {
		return nil, err
	}
	name := "HEAD"
	if dir != r.common {
		name = "worktrees/" + filepath.Base(dir) + "/HEAD"
	}
	if head.Commit != "" {
		roots = append(roots, Holder{name, head.Commit})
	}
	x, err := readIndexFile(r.format, filepath.Join(dir, "index"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if x != nil {
		for i := range x.entries {
			if e := &x.entries[i]; e.mode != ModeGitlink {
				roots = append(roots, Holder{strings.TrimSuffix(name, "HEAD") + "index", oidOf([]byte(e.raw))})
			}
		}
	}
	logs, err := r.logsOf(dir)
	return append(roots, logs...), err
}

// logsOf are the commits that the logs of refs name.
func (r *Repository) logsOf(dir string) ([]Holder, error) {
	var roots []Holder
	seen := map[OID]bool{}
	logs, err := os.OpenRoot(filepath.Join(dir, "logs"))
	if noFile(err) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(filepath.Join(dir, "logs"), err)
	}
	defer logs.Close()
	err = fs.WalkDir(logs.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if noFile(err) {
				return nil
			}
			return unreadable(path, err)
		}
		if d.IsDir() {
			return nil
		}
		data, err := logs.ReadFile(path)
		if err != nil {
			return unreadable(path, err)
		}
		for line := range bytes.Lines(data) {
			words := bytes.SplitN(line, []byte(" "), 3)
			for _, word := range words[:min(2, len(words))] {
				id := OID(bytes.TrimSpace(word))
				if r.format.Check(id) == nil && !id.IsZero() && !seen[id] {
					seen[id] = true
					roots = append(roots, Holder{"logs/" + path, id})
				}
			}
		}
		return nil
	})
	return roots, err
}

// Reaches returns which of the wanted objects the roots lead to, each with the
// name of the first root that does. What is not there leads nowhere.
func (r *Repository) Reaches(ctx context.Context, roots []Holder, wanted map[OID]bool) (map[OID]string, error) {
	found, seen := map[OID]string{}, map[OID]bool{}
	for _, root := range roots {
		stack := []OID{root.ID}
		for len(stack) > 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			id := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[id] {
				continue
			}
			seen[id] = true
			if wanted[id] {
				found[id] = root.Name
			}
			next, err := r.namedBy(id)
			if err != nil {
				return nil, err
			}
			for _, n := range next {
				// A blob leads nowhere: it need not be read.
				if n.leaf {
					if wanted[n.id] && found[n.id] == "" {
						found[n.id] = root.Name
					}
					continue
				}
				stack = append(stack, n.id)
			}
		}
	}
	return found, nil
}

// named is an object that another one names.
type named struct {
	id   OID
	leaf bool
}

// namedBy returns what an object names.
func (r *Repository) namedBy(id OID) ([]named, error) {
	if !r.objects.has(id) {
		return nil, nil
	}
	kind, data, err := r.objects.read(id)
	if err != nil {
		return nil, err
	}
	switch kind {
	case KindCommit:
		c, err := decodeCommit(r.format, data)
		if err != nil {
			return nil, err
		}
		out := []named{{id: c.Tree}}
		for _, p := range c.Parents {
			out = append(out, named{id: p})
		}
		return out, nil
	case KindTree:
		entries, err := decodeTree(r.format, data)
		if err != nil {
			return nil, err
		}
		var out []named
		for _, e := range entries {
			if e.Mode != ModeGitlink {
				out = append(out, named{id: e.ID, leaf: !e.IsTree()})
			}
		}
		return out, nil
	case KindBlob: // names nothing
	case KindTag:
		target, _, _ := strings.Cut(strings.TrimPrefix(string(data), "object "), "\n")
		if r.format.Check(OID(target)) == nil {
			return []named{{id: OID(target)}}, nil
		}
	}
	return nil, nil
}
