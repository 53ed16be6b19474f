package wrap

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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

// takeBaseline looks at the project as it is.
func takeBaseline(p *Project) (*baseline, error) {
	b := &baseline{Root: p.Root}
	for _, state := range p.trees() {
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
	// lost is what was there before it was undone.
	lost []lost
}

// compare looks again, undoes what must not stay, and says what it was. It never
// stops half-way: whatever keeps it from looking at one thing, the rest is put
// back.
func (b *baseline) compare() findings {
	var f findings
	for _, before := range b.Trees {
		now := &gitState{Root: before.Root, Data: before.Data, Tree: before.Tree}
		if err := now.read(before); err != nil {
			f.stuck = append(f.stuck, before.Root)
		}
		different := differences(before, now)
		for _, name := range different {
			f.changed = append(f.changed, name)
			f.lost = append(f.lost, lost{Root: before.Root, Path: name, Item: now.item(name)})
			if !restore(before.Root, name, before.item(name)) {
				f.stuck = append(f.stuck, name)
			}
		}
		for _, name := range now.problems {
			if !slices.Contains(different, name) {
				f.stuck = append(f.stuck, name)
			}
		}
		if now.Partial && !before.Partial {
			f.stuck = append(f.stuck, before.Root) // too much to look at was made
		}
		f.notes = append(f.notes, remarks(before, now)...)
	}
	slices.Sort(f.changed)
	slices.Sort(f.stuck)
	f.stuck = slices.Compact(f.stuck)
	return f
}
