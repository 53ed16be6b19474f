package wrap

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
)

// baseline is what a project's repositories were before the calls under way.
type baseline struct {
	// Root is where the project was.
	Root  string      `json:"root"`
	Trees []*gitState `json:"trees"`
}

// maxBaseline bounds a stored baseline: the guarded bytes, as base64, and their
// names.
const maxBaseline = 64 << 20

// keyOf names a project by what its root directory is, so that a project that
// was moved is known again, and another one in its place is not taken for it.
func keyOf(root string) string {
	sum := sha256.Sum256([]byte(identity(root)))
	return hex.EncodeToString(sum[:16])
}

// takeBaseline looks at the project as it is. The file keeps what the search of
// the tree found.
func takeBaseline(p *Project, tree *treeFile) (*baseline, error) {
	b := &baseline{Root: p.Root}
	for _, state := range p.trees() {
		state.tree = tree
		err := state.read(nil)
		if err != nil {
			return nil, err
		}
		b.Trees = append(b.Trees, state)
	}
	return b, nil
}

// save keeps the baseline; one that is there already is not written again.
func (b *baseline) save(path string) error {
	data, err := canon.Marshal(b)
	if err != nil {
		return err
	}
	if kept, err := os.ReadFile(path); err == nil && bytes.Equal(kept, data) {
		return nil
	}
	return durable.WriteFile(path, data, 0o600)
}

func loadBaseline(path string) (*baseline, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, guardFault(path, err)
	}
	b := &baseline{}
	if err := canon.Decode(data, b, canon.Limits{MaxBytes: maxBaseline}); err != nil {
		return nil, guardFault(path, err)
	}
	return b, nil
}

// move gives the baseline the place where the project is now.
func (b *baseline) move(p *Project) {
	for _, tree := range b.Trees {
		if rel, err := filepath.Rel(b.Root, tree.Root); err == nil && filepath.IsLocal(rel) {
			tree.Root = filepath.Join(p.Root, rel)
		}
	}
	b.Root = p.Root
}

// findings are what a comparison found and did.
type findings struct {
	changed, stuck []string
	notes          []string
	// git and governs say which kinds of things changed.
	git, governs bool
	// among says that several calls were under way, of which any may have done it.
	among bool
	// lost is what was there before it was undone.
	lost []lost
}

// compare looks again, undoes what must not stay, and says what it was. It never
// stops half-way: whatever keeps it from looking at one thing, the rest is put
// back.
func (b *baseline) compare(tree *treeFile) findings {
	var all findings
	for _, before := range b.Trees {
		now := &gitState{Root: before.Root, Data: before.Data, Tree: before.Tree, tree: tree}
		err := now.read(before)
		f := before.judge(now)
		if err != nil {
			f.stuck = append(f.stuck, before.Root)
		}
		all.changed, all.stuck = append(all.changed, f.changed...), append(all.stuck, f.stuck...)
		all.notes, all.lost = append(all.notes, f.notes...), append(all.lost, f.lost...)
		all.git, all.governs = all.git || f.git || err != nil, all.governs || f.governs
	}
	slices.Sort(all.changed)
	slices.Sort(all.stuck)
	all.stuck = slices.Compact(all.stuck)
	return all
}

// judge undoes what is different now.
func (s *gitState) judge(now *gitState) (f findings) {
	f.changed = differences(s, now)
	for _, name := range f.changed {
		if cmp.Or(s.item(name).Role, now.item(name).Role) == roleGoverns {
			f.governs = true
		} else {
			f.git = true
		}
		f.lost = append(f.lost, lost{Root: s.Root, Path: name, Item: now.item(name)})
		if !restore(s.Root, name, s.mend(now, name)) {
			f.stuck = append(f.stuck, name)
		}
	}
	if slices.ContainsFunc(f.changed, func(name string) bool { return s.item(name).Kind == directory }) {
		f.stuck = append(f.stuck, s.refill(now)...)
	}
	for _, name := range now.problems {
		if !slices.Contains(f.changed, name) {
			f.stuck = append(f.stuck, name)
		}
	}
	if now.Partial && !s.Partial {
		f.stuck = append(f.stuck, s.Root) // more was made than can be looked at
	}
	f.notes = remarks(s, now)
	return f
}

// mend is what to leave under a name: what was there, and of a configuration also
// the harmless settings that came.
func (s *gitState) mend(now *gitState, name string) item {
	was, is := s.item(name), now.item(name)
	if was.Role == roleConfig && was.Kind == file && is.Kind == file {
		was.Content = []byte(mended(string(was.Content), string(is.Content)))
	}
	return was
}

// refill puts back what was seen unchanged, but through a link that has meanwhile
// become a directory again.
func (s *gitState) refill(now *gitState) (stuck []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Items)) {
		if is := s.item(name); is.same(now.item(name)) && !restore(s.Root, name, is) {
			stuck = append(stuck, name)
		}
	}
	return stuck
}
