package catalog

import (
	"io/fs"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/packs"
)

// published is how the gold packs are named by their publisher. An installation
// takes the copy that comes with the program where that cannot be fetched, and
// says so.
const published = "npm:@harnesscontextprotocol/pack-"

// Snapshot is the catalog of the packs that come with the program.
func Snapshot() ([]Entry, error) {
	var entries []Entry
	for _, id := range packs.IDs() {
		tree, _ := packs.Pack(id)
		p := &pack.Pack{ID: id}
		for name, into := range map[string]any{pack.SurfaceFile: &p.Manifest, pack.PolicyFile: &p.Policy} {
			data, err := fs.ReadFile(tree, name)
			if err == nil {
				_, err = canon.DecodeOpen(data, into, canon.Limits{})
			}
			if err != nil {
				return nil, fault.Newf(fault.CodeInternal, "the bundled pack %q cannot be read", id).Because(err)
			}
		}
		skill, err := fs.ReadFile(tree, pack.SkillFile)
		if err != nil {
			return nil, fault.Newf(fault.CodeInternal, "the bundled pack %q cannot be read", id).Because(err)
		}
		entries = append(entries, RowOf(p, pack.Lead(string(skill)), published+id))
	}
	return entries, nil
}
