package git

import (
	"context"
	"slices"
	"strings"
)

// ChangeKind says what happened to a path between two trees.
type ChangeKind string

// The kinds of changes. A change of the type is one between file, link and
// submodule; a file that becomes a folder is deleted and the folder's files are
// added.
const (
	Added       ChangeKind = "added"
	Deleted     ChangeKind = "deleted"
	Modified    ChangeKind = "modified"
	TypeChanged ChangeKind = "type_changed"
)

// Change is one path that differs between two trees. The path is bytes.
type Change struct {
	Path             string
	Kind             ChangeKind
	OldMode, NewMode uint32
	OldID, NewID     OID
}

// Diff returns the files that differ between two trees or commits, in the order
// of their bytes. An empty id stands for the empty tree. Renames are two changes.
func (r *Repository) Diff(ctx context.Context, a, b OID) ([]Change, error) {
	// Folder by folder, level by level: the folders of a level by all processors.
	d := differ{repo: r, ctx: ctx}
	for level := []pair{{"", a, b}}; len(level) > 0; {
		found := make([]differ, len(level))
		err := eachOf(ctx, len(level), func(i int) error {
			found[i] = differ{repo: r, ctx: ctx}
			return found[i].folders(level[i].prefix, level[i].a, level[i].b)
		})
		if err != nil {
			return nil, err
		}
		level = level[:0:0]
		for _, f := range found {
			level, d.out = append(level, f.below...), append(d.out, f.out...)
		}
	}
	d.sort()
	return d.out, nil
}

// pair is a folder of two trees, of which one may not have it.
type pair struct {
	prefix string
	a, b   OID
}

func (d *differ) sort() {
	slices.SortFunc(d.out, func(x, y Change) int { return strings.Compare(x.Path, y.Path) })
}

type differ struct {
	repo *Repository
	ctx  context.Context //nolint:containedctx // lives for one walk
	out  []Change
	// below are the folders that differ, for the next level.
	below []pair
}

func (d *differ) read(id OID) ([]Entry, error) {
	if id.IsZero() {
		return nil, nil
	}
	return d.repo.Tree(d.ctx, id)
}

// folders compares two trees of which one may be absent, but not what is in their
// folders.
func (d *differ) folders(prefix string, a, b OID) error {
	if a == b {
		return nil
	}
	old, err := d.read(a)
	if err != nil {
		return err
	}
	now, err := d.read(b)
	if err != nil {
		return err
	}
	for len(old) > 0 || len(now) > 0 {
		var x, y Entry
		switch order(old, now) {
		case -1:
			x, old = old[0], old[1:]
		case 1:
			y, now = now[0], now[1:]
		default:
			x, old = old[0], old[1:]
			y, now = now[0], now[1:]
		}
		d.entries(prefix, x, y)
	}
	return nil
}

// withNode compares a tree with a folder of a working tree.
func (d *differ) withNode(prefix string, tree OID, n *node) error {
	if n != nil && n.raw == string(tree.raw()) {
		return nil
	}
	old, err := d.read(tree)
	if err != nil {
		return err
	}
	subs := map[string]*node{}
	now := n.list(subs)
	for len(old) > 0 || len(now) > 0 {
		var x, y Entry
		switch order(old, now) {
		case -1:
			x, old = old[0], old[1:]
		case 1:
			y, now = now[0], now[1:]
		default:
			x, old = old[0], old[1:]
			y, now = now[0], now[1:]
		}
		if !x.IsTree() && !y.IsTree() {
			d.entries(prefix, x, y)
			continue
		}
		name := x.Name
		if name == "" {
			name = y.Name
		}
		if err := d.withNode(prefix+name+"/", x.ID, subs[name]); err != nil {
			return err
		}
	}
	return nil
}

// list returns a folder as the entries of a tree, and its folders by name.
func (n *node) list(subs map[string]*node) []Entry {
	if n == nil {
		return nil
	}
	var out []Entry
	for _, f := range n.files {
		out = append(out, Entry{f.mode, f.path[len(n.path):], oidOf([]byte(f.raw))})
	}
	for _, sub := range n.dirs {
		if sub.count > 0 {
			subs[sub.name()] = sub
			out = append(out, Entry{ModeTree, sub.name(), oidOf([]byte(sub.raw))})
		}
	}
	slices.SortFunc(out, compareEntries)
	return out
}

func order(a, b []Entry) int {
	switch {
	case len(b) == 0:
		return -1
	case len(a) == 0:
		return 1
	}
	return compareEntries(a[0], b[0])
}

// entries compares what two trees have under one name. Git's order keeps a
// folder and a file of one name apart, so both are folders or neither is.
func (d *differ) entries(prefix string, x, y Entry) {
	name := x.Name
	if name == "" {
		name = y.Name
	}
	path := prefix + name
	if x == y {
		return
	}
	if x.IsTree() || y.IsTree() {
		if x.ID != y.ID {
			d.below = append(d.below, pair{path + "/", x.ID, y.ID})
		}
		return
	}
	c := Change{Path: path, Kind: Modified, OldMode: x.Mode, NewMode: y.Mode, OldID: x.ID, NewID: y.ID}
	switch {
	case x.Mode == 0:
		c.Kind = Added
	case y.Mode == 0:
		c.Kind = Deleted
	case x.Mode&0o170000 != y.Mode&0o170000:
		c.Kind = TypeChanged
	}
	d.out = append(d.out, c)
}
