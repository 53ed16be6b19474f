package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
)

// Ref is a name and the object it names.
type Ref struct {
	Name string
	ID   OID
}

// maxRefDepth is how many refs may name each other in a row.
const maxRefDepth = 5

// Ref returns what a full name such as "refs/heads/main" names; ok is false when
// there is no such ref.
func (r *Repository) Ref(ctx context.Context, name string) (id OID, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	if err := checkRefName(name); err != nil {
		return "", false, err
	}
	return r.refIn(r.gitDir, name)
}

// Refs returns the refs below a prefix such as "refs/heads/", sorted by name. A
// ref that names another which is not there is left out.
func (r *Repository) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Files first: a ref that is packed meanwhile is then found in one place at
	// least.
	found := map[string]OID{}
	for _, dir := range slices.Compact([]string{r.common, r.gitDir}) {
		own := dir == r.gitDir && dir != r.common
		if err := r.looseRefs(dir, prefix, own, found); err != nil {
			return nil, err
		}
	}
	packed, err := r.packedRefs()
	if err != nil {
		return nil, err
	}
	for name, id := range packed.below(prefix) {
		if _, loose := found[name]; !loose {
			found[name] = id
		}
	}
	refs := make([]Ref, 0, len(found))
	for name, id := range found {
		refs = append(refs, Ref{name, id})
	}
	slices.SortFunc(refs, func(a, b Ref) int { return cmp.Compare(a.Name, b.Name) })
	return refs, nil
}

// ofWorktree says whether each working tree has a ref of this name of its own.
func ofWorktree(name string) bool {
	return !strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "refs/worktree/") ||
		strings.HasPrefix(name, "refs/bisect/") || strings.HasPrefix(name, "refs/rewritten/")
}

// refIn resolves a name as the working tree with the given data folder sees it.
func (r *Repository) refIn(gitDir, name string) (OID, bool, error) {
	for range maxRefDepth {
		id, next, err := r.looseRef(gitDir, name)
		switch {
		case err != nil:
			return "", false, err
		case id != "":
			return id, true, nil
		case next == "":
			packed, err := r.packedRefs()
			if err != nil {
				return "", false, err
			}
			id, ok := packed.find(name)
			return id, ok, nil
		}
		name = next
	}
	return "", false, fault.Newf(CodeCorrupt, "the ref %q names itself, or too many others in a row", name)
}

// looseRef reads the file of a ref: an id, the name of another ref, or neither
// when there is no such file.
func (r *Repository) looseRef(gitDir, name string) (id OID, next string, err error) {
	dir := r.common
	if ofWorktree(name) {
		dir = gitDir
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if target, err := os.Readlink(path); err == nil && strings.HasPrefix(target, "refs/") {
		return "", target, checkRefName(target)
	}
	data, err := ReadPlain(path, maxPacked)
	if err != nil {
		if noFile(err) {
			return "", "", nil
		}
		if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
			return "", "", nil
		}
		return "", "", unreadable(path, err)
	}
	text := strings.TrimRight(string(data), " \t\r\n")
	if target, ok := strings.CutPrefix(text, "ref:"); ok {
		target = strings.TrimLeft(target, " \t")
		return "", target, checkRefName(target)
	}
	id = OID(text)
	if len(text) > 2*r.format.Size() { // FETCH_HEAD and its like go on behind the id
		id = OID(text[:2*r.format.Size()])
	}
	if r.format.Check(id) != nil || id.IsZero() {
		return "", "", fault.Newf(CodeCorrupt, "the ref %q is damaged", name).
			WithHint("the file %q should hold an object id; a crash may have emptied it", path)
	}
	return id, "", nil
}

// noFile says that a path leads to nothing, be it that a part of it is a file.
func noFile(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || isNotDir(err)
}

// looseRefs collects the refs below a prefix that are files.
func (r *Repository) looseRefs(dir, prefix string, own bool, found map[string]OID) error {
	start := prefix[:strings.LastIndexByte(prefix, '/')+1]
	if !strings.HasPrefix(start, "refs/") {
		start = "refs/"
	}
	root := filepath.Join(dir, filepath.FromSlash(start))
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if noFile(err) {
				return nil
			}
			return unreadable(path, err)
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return unreadable(path, err)
		}
		name := filepath.ToSlash(rel)
		if !strings.HasPrefix(name, prefix) || checkRefName(name) != nil || own != ofWorktree(name) && dir != r.gitDir {
			return nil //nolint:nilerr // a lock, or a temporary file
		}
		if own && !ofWorktree(name) {
			return nil
		}
		id, ok, err := r.refIn(r.gitDir, name)
		if ok {
			found[name] = id
		}
		return err
	})
}

// packedRefs is the file in which many refs are kept together.
type packedRefs struct {
	data   []byte
	sorted bool
}

func (r *Repository) packedRefs() (packedRefs, error) {
	path := filepath.Join(r.common, "packed-refs")
	data, err := ReadPlain(path, maxPacked)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return packedRefs{}, nil
		}
		return packedRefs{}, unreadable(path, err)
	}
	return packedRefs{data: data, sorted: false}, nil
}

// all calls fn for each ref in the file.
func (p packedRefs) all(fn func(name string, id OID) bool) {
	for line := range bytes.SplitSeq(p.data, []byte("\n")) {
		if len(line) == 0 || line[0] == '#' || line[0] == '^' {
			continue
		}
		id, name, ok := bytes.Cut(line, []byte(" "))
		if ok && !fn(string(name), OID(id)) {
			return
		}
	}
}

func (p packedRefs) find(name string) (OID, bool) {
	// The line is looked for as a whole; only a name in its place ends one.
	at := bytes.Index(p.data, []byte(" "+name+"\n"))
	if at < 0 {
		return "", false
	}
	start := bytes.LastIndexByte(p.data[:at], '\n') + 1
	id := OID(p.data[start:at])
	return id, isHex(id)
}

func (p packedRefs) below(prefix string) map[string]OID {
	found := map[string]OID{}
	p.all(func(name string, id OID) bool {
		if strings.HasPrefix(name, prefix) && isHex(id) {
			found[name] = id
		}
		return true
	})
	return found
}

func isHex(id OID) bool {
	return (len(id) == 40 || len(id) == 64) && strings.Trim(string(id), "0123456789abcdef") == ""
}

// checkRefName refuses what is no full name of a ref. Names are bytes beyond
// ASCII, as git has them.
func checkRefName(name string) error {
	bad := func() error { return fault.Newf(CodeBadRef, "%q is no name of a ref", name) }
	if name == "" || len(name) > 1024 || strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") {
		return bad()
	}
	if !strings.HasPrefix(name, "refs/") && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return bad()
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return bad()
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return bad()
		}
	}
	return nil
}
