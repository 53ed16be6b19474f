package snapshot

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/git"
)

// State is what a plan binds of git's state: one hash for each part of it.
type State struct {
	// Index covers the entries and flags of the index.
	Index string
	// Refs covers HEAD, every ref and everything else in the Git directory.
	Refs string
	// Sensitive covers what decides what git runs: configuration with all that it
	// includes, and hooks.
	Sensitive string
	// Objects covers what a check of the object store found.
	Objects string
}

// State hashes the parts of git's state.
func (s *Snapshot) State() State {
	return State{
		Index:     s.part(partIndex),
		Refs:      s.part(partHead) + s.part(partRefs) + s.part(partControl),
		Sensitive: s.part(partConfig),
		Objects:   s.part(partObjects),
	}
}

// PathHash is a path with a hash of its kind, its mode and its bytes or its link
// text, or MissingPath.
type PathHash struct{ Path, Hash string }

// MissingPath stands for the hash of a tracked path that is not there.
const MissingPath = "missing"

// Bound are the files of the working tree that a plan is bound to, in the order
// of their paths. What git ignores is in neither list.
type Bound struct {
	// Tracked holds the paths of the index, and in the place of a submodule what is
	// in it.
	Tracked []PathHash
	// Untracked holds what is neither tracked nor ignored, by the rules inside the
	// repository, and what is in nested repositories.
	Untracked []PathHash
}

// Bound returns what a plan is bound to, without the untracked files below a
// prefix when one is given.
func (s *Snapshot) Bound(without string) (Bound, error) {
	b := binder{snapshot: s, marks: map[*node][]bool{}, digest: sha256.New()}
	if without != "" {
		b.without = []string{without}
	}
	b.tracked()
	if err := b.untracked(); err != nil {
		return Bound{}, err
	}
	byPath := func(a, b PathHash) int { return cmp.Compare(a.Path, b.Path) }
	slices.SortFunc(b.bound.Tracked, byPath)
	slices.SortFunc(b.bound.Untracked, byPath)
	return b.bound, nil
}

// binder gathers what a plan is bound to.
type binder struct {
	snapshot *Snapshot
	without  []string
	marks    map[*node][]bool // which entries are tracked
	bound    Bound
	digest   hash.Hash
	buf      []byte
}

// hash is that of what is at a path.
func (b *binder) hash(e *entry) string {
	b.buf = appendText(append(b.buf[:0], byte(e.kind)), e.link)
	b.buf = append(b.buf, byte(e.mode>>8), byte(e.mode))
	if e.kind == Regular {
		b.buf = append(b.buf, e.sum[:]...)
	}
	b.digest.Reset()
	b.digest.Write(b.buf)
	var sum [sha256.Size]byte
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], b.digest.Sum(sum[:0]))
	return string(text[:])
}

// tracked goes through the index and marks what it finds.
func (b *binder) tracked() {
	entries := b.snapshot.git.index.entries
	b.bound.Tracked = make([]PathHash, 0, len(entries))
	var at *node
	dir, last := "\x00", ""
	for i := range entries {
		path := strings.TrimSuffix(entries[i].path, "/") // a folder of a sparse index has one
		if path == last {
			continue // another stage of a conflict
		}
		last = path
		here, name := "", path
		if cut := strings.LastIndexByte(path, '/'); cut >= 0 {
			here, name = path[:cut], path[cut+1:]
		}
		if here != dir {
			dir, at = here, b.snapshot.files.nodes[here]
		}
		b.bound.Tracked = append(b.bound.Tracked, PathHash{path, b.trackedHash(&entries[i], path, at, name)})
	}
}

func (b *binder) trackedHash(e *indexEntry, path string, at *node, name string) string {
	const nestedRepository = 0o160000
	if at == nil {
		return MissingPath
	}
	i := at.index(name)
	if i < 0 {
		return MissingPath
	}
	found := &at.entries[i]
	if found.kind == Directory && e.mode != nestedRepository {
		return MissingPath // something else in the place of a file
	}
	if b.marks[at] == nil {
		b.marks[at] = make([]bool, len(at.entries))
	}
	b.marks[at][i] = true
	if found.kind == Directory {
		b.whole(&b.bound.Tracked, path)
	}
	return b.hash(found)
}

// whole takes everything below a directory.
func (b *binder) whole(list *[]PathHash, dir string) {
	n := b.snapshot.files.nodes[dir]
	if n == nil {
		return
	}
	for i := range n.entries {
		e := &n.entries[i]
		if path := join(dir, e.name); e.kind == Directory {
			b.whole(list, path)
		} else {
			*list = append(*list, PathHash{path, b.hash(e)})
		}
	}
}

// untracked goes through the tree with the rules of what git ignores.
func (b *binder) untracked() error {
	r := b.snapshot.repository
	exclude, err := git.ReadPlain(filepath.Join(r.common, "info", "exclude"), maxRef)
	if err != nil && !os.IsNotExist(err) {
		return unreadable(filepath.Join(r.common, "info", "exclude"), err)
	}
	fold, _ := r.config.last("core.ignorecase")
	top := &rules{own: git.NewIgnoring(exclude, strings.EqualFold(fold, "true"))}
	return b.below("", top)
}

// rules are what is ignored in a directory. They are read when they are first
// asked for: most directories hold nothing untracked.
type rules struct {
	above *rules
	path  string
	file  *entry // the directory's .gitignore
	own   *git.Ignoring
}

// at returns the rules, once they are read.
func (b *binder) rulesOf(r *rules) (*git.Ignoring, error) {
	if r.own != nil {
		return r.own, nil
	}
	above, err := b.rulesOf(r.above)
	if err != nil {
		return nil, err
	}
	r.own = above
	if r.file == nil {
		return r.own, nil
	}
	path := join(r.path, ".gitignore")
	data, err := git.ReadPlain(filepath.Join(b.snapshot.repository.root, filepath.FromSlash(path)), maxRules)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if sha256.Sum256(data) != r.file.sum {
		return nil, unstable(path)
	}
	r.own = above.Below(r.path, data)
	return r.own, nil
}

// maxRules bounds a .gitignore file.
const maxRules = 16 << 20

func (b *binder) below(dir string, above *rules) error {
	n := b.snapshot.files.nodes[dir]
	if n == nil {
		return nil
	}
	here := &rules{above: above, path: dir}
	if e := n.find(".gitignore"); e != nil && e.kind == Regular {
		here.file = e
	}
	marks := b.marks[n]
	for i := range n.entries {
		if i < len(marks) && marks[i] {
			continue
		}
		if err := b.loose(n, &n.entries[i], here); err != nil {
			return err
		}
	}
	return nil
}

// loose takes an entry that is not tracked itself.
func (b *binder) loose(n *node, e *entry, here *rules) error {
	path := join(n.path, e.name)
	if below(path, b.without) || e.kind == Special || path == ".git" {
		return nil
	}
	if e.kind == Directory {
		inside := b.snapshot.files.nodes[path]
		if inside == nil || len(inside.entries) == 0 {
			return nil
		}
	}
	own, err := b.rulesOf(here)
	switch {
	case err != nil:
		return err
	case own.Ignored(path, e.kind == Directory):
		return nil
	case e.kind != Directory:
		b.bound.Untracked = append(b.bound.Untracked, PathHash{path, b.hash(e)})
		return nil
	case b.snapshot.files.nodes[path].find(".git") != nil:
		b.whole(&b.bound.Untracked, path)
		return nil
	}
	return b.below(path, here)
}
