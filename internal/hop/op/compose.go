package op

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"bridle/hop"
	"bridle/internal/kernel/git"
)

// composition is what landing a proposal on a tree would make.
type composition struct {
	tree git.OID
	// mine and theirs are the paths changed since the base by the proposal and by
	// what was accepted.
	mine, theirs []string
	overlaps     []hop.OverlapPath
	// merged says that a file was put together from changes of both sides.
	merged bool
}

// compose merges what a proposal changed since its base into the accepted tree.
// No working tree is touched.
func (p *Project) compose(ctx context.Context, base, accepted, proposal git.OID) (composition, error) {
	c, err := p.merged(ctx, base, accepted, proposal)
	if err != nil {
		return composition{}, err
	}
	return c, p.refuseOwnFolder(ctx, c.tree)
}

func (p *Project) merged(ctx context.Context, base, accepted, proposal git.OID) (composition, error) {
	merge, err := p.Repo.MergeTrees(ctx, base, accepted, proposal)
	if err != nil {
		return composition{}, err
	}
	c := composition{tree: merge.Tree, mine: pathsOf(merge.Theirs), theirs: pathsOf(merge.Ours)}
	c.overlaps = overlaps(merge.Theirs, merge.Ours, merge)
	c.merged = slices.ContainsFunc(c.overlaps, func(o hop.OverlapPath) bool { return o.Kind == hop.OverlapSeparate })
	return c, nil
}

// blocking are the overlaps that keep the proposal from landing. By the rule of
// the protocol every one does; where the project's configuration merges by
// content, only those do that cannot be merged.
func (c composition) blocking(byContent bool) []hop.OverlapPath {
	if !byContent {
		return c.overlaps
	}
	var out []hop.OverlapPath
	for _, o := range c.overlaps {
		if o.Kind != hop.OverlapSame && o.Kind != hop.OverlapSeparate {
			out = append(out, o)
		}
	}
	return out
}

func pathsOf(changes []git.Change) []string {
	paths := make([]string, 0, len(changes))
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// overlaps lists what two sides have in common: paths changed by both, conflicts
// of the merge that share no path (as when a folder was renamed), and names that
// cannot exist beside each other.
func overlaps(mine, theirs []git.Change, merge git.Merge) []hop.OverlapPath {
	conflicts := map[string]bool{}
	for _, c := range merge.Conflicts {
		conflicts[c.Path] = true
	}
	other := map[string]git.Change{}
	for _, c := range theirs {
		other[c.Path] = c
	}
	var out []hop.OverlapPath
	for _, m := range mine {
		t, both := other[m.Path]
		if !both {
			continue
		}
		kind := hop.OverlapSeparate
		switch {
		case m.NewID == t.NewID && m.NewMode == t.NewMode:
			kind = hop.OverlapSame
		case conflicts[m.Path]:
			kind = hop.OverlapConflict
		}
		delete(conflicts, m.Path)
		out = append(out, overlap(m.Path, kind, ""))
	}
	out = append(out, collisions(mine, theirs)...)
	for path := range conflicts {
		if !slices.ContainsFunc(out, func(o hop.OverlapPath) bool { return o.Path == path || o.Other == path }) {
			out = append(out, overlap(path, hop.OverlapConflict, ""))
		}
	}
	slices.SortFunc(out, func(a, b hop.OverlapPath) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Other, b.Other))
	})
	return out
}

func overlap(path, kind, other string) hop.OverlapPath {
	o := hop.OverlapPath{Kind: kind}
	o.Path, o.PathB64 = hop.ReadablePath(path)
	o.Other, _ = hop.ReadablePath(other)
	return o
}

// collisions finds paths that both sides brought and that no file system, or not
// every one, can have beside each other: a file or link where the other has a
// folder, and names that are equal but for case and composition of characters.
func collisions(mine, theirs []git.Change) []hop.OverlapPath {
	var out []hop.OverlapPath
	left, right := newNames(mine), newNames(theirs)
	for _, path := range left.paths {
		for _, folder := range parents(path) {
			if right.has[folder] {
				out = append(out, overlap(path, hop.OverlapPrefix, folder))
			}
		}
		out = append(out, left.twins(path, right)...)
	}
	for _, path := range right.paths {
		for _, folder := range parents(path) {
			if left.has[folder] {
				out = append(out, overlap(folder, hop.OverlapPrefix, path))
			}
		}
	}
	return out
}

// names are the paths that one side has put there.
type names struct {
	paths []string
	has   map[string]bool
	// folded finds a path, or a folder of one, by its folded form.
	folded map[string]string
}

func newNames(changes []git.Change) names {
	n := names{has: map[string]bool{}, folded: map[string]string{}}
	for _, c := range changes {
		if c.Kind == git.Deleted {
			continue
		}
		n.paths = append(n.paths, c.Path)
		n.has[c.Path] = true
		if c.Kind == git.Added {
			for _, part := range append(parents(c.Path), c.Path) {
				n.folded[fold(part)] = part
			}
		}
	}
	return n
}

// twins are the names of the other side that some file systems take for the path
// or for a folder above it.
func (n names) twins(path string, other names) []hop.OverlapPath {
	for _, part := range append(parents(path), path) {
		if n.folded[fold(part)] != part {
			continue
		}
		if twin, found := other.folded[fold(part)]; found && twin != part {
			return []hop.OverlapPath{overlap(part, hop.OverlapTwin, twin)}
		}
	}
	return nil
}

// parents are the folders above a path, outermost first.
func parents(path string) []string {
	var out []string
	for i := range len(path) {
		if path[i] == '/' {
			out = append(out, path[:i])
		}
	}
	return out
}

// fold maps names to one that some file system may take for the same.
func fold(path string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(path))))
}

// landingBase is the tree that a proposal's changes are counted from, with the
// accepted state that has it: what the attempt started from, what it was
// refreshed on, or what it has landed before, whichever came last. What the same
// attempt landed is not foreign to it.
func (p *Project) landingBase(ctx context.Context, proposal hop.State) (tree git.OID, state string, err error) {
	attempt, err := p.Attempt(ctx, proposal.AttemptID)
	if err != nil {
		return "", "", err
	}
	for at := proposal; at.Kind != hop.KindAccepted; {
		entry, found, err := p.Turn(ctx, at.ID)
		if err != nil {
			return "", "", err
		}
		if !found || entry.State.Kind == hop.KindAccepted {
			break
		}
		if entry.Facts.BaseTree != "" {
			return git.OID(entry.Facts.BaseTree), entry.Facts.BaseState, nil
		}
		if at = entry.State; at.ID != proposal.ID && at.Kind == hop.KindProposal {
			accepted, err := p.landedAs(ctx, at.ID)
			if err != nil {
				return "", "", err
			}
			if accepted != "" {
				return git.OID(at.SourceTree), accepted, nil
			}
		}
		if at, found, err = p.runParent(ctx, at); err != nil {
			return "", "", err
		}
		if !found {
			break
		}
	}
	base, err := p.State(ctx, attempt.BaseStateID)
	return git.OID(base.State.SourceTree), base.State.ID, err
}

// landedAs returns the accepted state that took a proposal in and still holds, or
// nothing.
func (p *Project) landedAs(ctx context.Context, proposal string) (string, error) {
	accepted, err := p.Children(ctx, proposal, hop.RoleProposalParent)
	if err != nil {
		return "", err
	}
	for _, id := range slices.Backward(accepted) {
		gone, err := p.undone(ctx, id)
		if err != nil {
			return "", err
		}
		if !gone {
			return id, nil
		}
	}
	return "", nil
}

// undone reports whether an accepted state's effect has been taken back, and not
// brought back since, or is on a line that was left.
func (p *Project) undone(ctx context.Context, accepted string) (bool, error) {
	entry, err := p.State(ctx, accepted)
	if err != nil || entry.Facts.LeftFor != "" {
		return err == nil, err
	}
	by, err := p.Children(ctx, accepted, hop.RoleReverts)
	if err != nil {
		return false, err
	}
	for _, undo := range by {
		again, err := p.undone(ctx, undo)
		if err != nil {
			return false, err
		}
		if !again {
			return true, nil
		}
	}
	return false, nil
}
