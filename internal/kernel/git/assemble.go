package git

import (
	"bytes"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
)

// tree runs the scan and names the tree of every folder. Where nothing below a
// folder differs from the index, the index knows the tree.
func (s *scan) tree() (*node, error) {
	root, err := s.run()
	if err != nil {
		return nil, err
	}
	if err := s.convertThroughGit(); err != nil {
		return nil, err
	}
	if err := s.name(root); err != nil {
		return nil, err
	}
	if s.sink.store {
		err = s.sink.flush()
	}
	slices.SortFunc(s.problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return root, err
}

// name computes the id of a folder's tree, and puts new trees into the sink.
func (s *scan) name(n *node) error {
	n.count = len(n.files)
	for _, sub := range n.dirs {
		if err := s.name(sub); err != nil {
			return err
		}
		n.count += sub.count
		n.kept += sub.kept
		n.restated += sub.restated
	}
	n.dirs = slices.DeleteFunc(n.dirs, func(sub *node) bool { return sub.count == 0 && !sub.empty && len(sub.dirs) == 0 })
	slices.SortFunc(n.files, func(a, b *indexEntry) int { return strings.Compare(a.path, b.path) })
	slices.SortFunc(n.dirs, func(a, b *node) int { return strings.Compare(a.path, b.path) })
	unchanged := n.kept == n.hi-n.lo && n.count == n.kept
	if unchanged && n.cache != nil && n.cache.count == n.count && n.cache.raw != "" &&
		(!s.sink.store || s.w.repo.objects.present(oidOf([]byte(n.cache.raw)))) {
		n.raw = n.cache.raw
		return nil
	}
	data, err := s.encode(n)
	if err != nil {
		return err
	}
	n.raw, err = s.sink.object(KindTree, data)
	return err
}

// encode makes the bytes of a folder's tree: files and folders in the order of
// their paths, in which a folder's ends with a slash.
func (s *scan) encode(n *node) ([]byte, error) {
	var out bytes.Buffer
	files, dirs := n.files, n.dirs
	for len(files) > 0 || len(dirs) > 0 {
		if len(dirs) == 0 || len(files) > 0 && files[0].path < dirs[0].path {
			e := files[0]
			if err := s.ensure(e); err != nil {
				return nil, err
			}
			appendTreeEntry(&out, e.mode, e.path[len(n.path):], e.raw)
			files = files[1:]
			continue
		}
		if sub := dirs[0]; sub.count > 0 {
			appendTreeEntry(&out, ModeTree, sub.name(), sub.raw)
		}
		dirs = dirs[1:]
	}
	return out.Bytes(), nil
}

func appendTreeEntry(out *bytes.Buffer, mode uint32, name, raw string) {
	var digits [12]byte
	out.Write(appendOctal(digits[:0], mode))
	out.WriteByte(' ')
	out.WriteString(name)
	out.WriteByte(0)
	out.WriteString(raw)
}

// ensure refuses to build a tree on an object that housekeeping has removed
// since the index was written.
func (s *scan) ensure(e *indexEntry) error {
	if !s.sink.store || e.mode == ModeGitlink || s.sink.holds(e.raw) || s.w.repo.objects.present(oidOf([]byte(e.raw))) {
		return nil
	}
	return &lostObject{fault.Newf(CodeMissingObject, "the content of %q, as the index knows it, is not in the repository", e.path)}
}

// lostObject says that an index remembers what is gone.
type lostObject struct{ cause error }

func (l *lostObject) Error() string { return l.cause.Error() }

func (l *lostObject) Unwrap() error { return l.cause }

// entries lists the files below a folder in the order of an index.
func (n *node) entries(out []indexEntry) []indexEntry {
	files, dirs := n.files, n.dirs
	for len(files) > 0 || len(dirs) > 0 {
		if len(dirs) == 0 || len(files) > 0 && files[0].path < dirs[0].path {
			out = append(out, *files[0])
			files = files[1:]
			continue
		}
		out = dirs[0].entries(out)
		dirs = dirs[1:]
	}
	return out
}

// each calls fn for the files below a folder, in no order.
func (n *node) each(fn func(*indexEntry)) {
	for _, e := range n.files {
		fn(e)
	}
	for _, sub := range n.dirs {
		sub.each(fn)
	}
}

// cached is what an index remembers of the trees.
func (n *node) cached(name string) *cachedTree {
	t := &cachedTree{name: name, count: n.count, raw: n.raw}
	for _, sub := range n.dirs {
		if sub.count > 0 {
			t.subs = append(t.subs, sub.cached(sub.name()))
		}
	}
	return t
}

// emptyDirs lists the folders with nothing in them at all.
func (n *node) emptyDirs(out []string) []string {
	if n.empty && n.path != "" {
		return append(out, strings.TrimSuffix(n.path, "/"))
	}
	for _, sub := range n.dirs {
		out = sub.emptyDirs(out)
	}
	return out
}

// convertThroughGit stores the files whose content only git can convert.
func (s *scan) convertThroughGit() error {
	if len(s.through) == 0 {
		return nil
	}
	hash := []string{"hash-object"}
	if s.sink.store {
		hash = append(hash, "-w")
	}
	var list bytes.Buffer
	var listed []throughGit
	for _, t := range s.through {
		path := t.node.files[t.file].path
		if strings.IndexByte(path, '\n') < 0 {
			list.WriteString(path + "\n")
			listed = append(listed, t)
			continue
		}
		out, _, err := s.w.git(s.ctx, job{args: append(slices.Clone(hash), "--", path)})
		if err != nil {
			return err
		}
		if err := s.converted(t, string(bytes.TrimSpace(out))); err != nil {
			return err
		}
	}
	if len(listed) == 0 {
		return nil
	}
	out, _, err := s.w.git(s.ctx, job{args: append(hash, "--stdin-paths"), stdin: list.Bytes(), limit: int64(len(listed)+1) * 65})
	if err != nil {
		return err
	}
	ids := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(ids) != len(listed) {
		return fault.New(CodeFailed, "git hash-object printed fewer ids than it was given files")
	}
	for i, id := range ids {
		if err := s.converted(listed[i], id); err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) converted(t throughGit, id string) error {
	if err := s.w.repo.format.Check(OID(id)); err != nil {
		return err
	}
	t.node.files[t.file].raw = string(OID(id).raw())
	s.hashed++
	return nil
}
