package snapshot

import (
	"slices"
	"strings"
)

// ChangeKind is how a path changed.
type ChangeKind string

// The kinds of changes.
const (
	Created  ChangeKind = "created"
	Modified ChangeKind = "modified" // content, mode, owner or kind
	Deleted  ChangeKind = "deleted"
)

// Change is one path that differs between two snapshots.
type Change struct {
	Path          string
	Kind          ChangeKind
	Before, After File
}

// objectsPath names the object store in a change.
const objectsPath = ".git/objects"

// Compare tells what differs, in the order of the paths. Directories that were
// made for something in them, or that went with what was in them, are no change
// of their own.
func Compare(before, after *Snapshot) []Change {
	var changes []Change
	if !before.files.self.same(&after.files.self) {
		changes = append(changes, Change{".", Modified, before.files.self.file(), after.files.self.file()})
	}
	for path, n := range before.files.nodes {
		changes = compareNodes(changes, n, after.files.nodes[path])
	}
	for path, n := range after.files.nodes {
		if before.files.nodes[path] == nil {
			changes = compareNodes(changes, nil, n)
		}
	}
	changes = comparePieces(changes, before.git.pieces, after.git.pieces)
	if was, is := before.part(partObjects), after.part(partObjects); was != is {
		changes = append(changes, Change{
			objectsPath, Modified, File{Kind: Value, Link: integrityText(before)}, File{Kind: Value, Link: integrityText(after)},
		})
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return withoutImplied(changes)
}

func integrityText(s *Snapshot) string {
	if s.integrity != nil {
		return s.integrity.Error()
	}
	return "intact"
}

// compareNodes compares two directories; one may be missing.
func compareNodes(changes []Change, before, after *node) []Change {
	path, b, a := "", []entry(nil), []entry(nil)
	if before != nil {
		path, b = before.path, before.entries
	}
	if after != nil {
		path, a = after.path, after.entries
	}
	for len(b) > 0 || len(a) > 0 {
		switch {
		case len(a) == 0 || len(b) > 0 && b[0].name < a[0].name:
			changes = append(changes, Change{join(path, b[0].name), Deleted, b[0].file(), File{}})
			b = b[1:]
		case len(b) == 0 || a[0].name < b[0].name:
			changes = append(changes, Change{join(path, a[0].name), Created, File{}, a[0].file()})
			a = a[1:]
		default:
			if !b[0].same(&a[0]) {
				changes = append(changes, Change{join(path, a[0].name), Modified, b[0].file(), a[0].file()})
			}
			b, a = b[1:], a[1:]
		}
	}
	return changes
}

// comparePieces compares the parts of git's state.
func comparePieces(changes []Change, b, a []piece) []Change {
	for len(b) > 0 || len(a) > 0 {
		switch {
		case len(a) == 0 || len(b) > 0 && b[0].path < a[0].path:
			changes = append(changes, Change{b[0].path, Deleted, b[0].file, File{}})
			b = b[1:]
		case len(b) == 0 || a[0].path < b[0].path:
			changes = append(changes, Change{a[0].path, Created, File{}, a[0].file})
			a = a[1:]
		default:
			if b[0].file != a[0].file {
				changes = append(changes, Change{a[0].path, Modified, b[0].file, a[0].file})
			}
			b, a = b[1:], a[1:]
		}
	}
	return changes
}

// withoutImplied drops directories that came or went with something in them.
func withoutImplied(changes []Change) []Change {
	implied := map[string]ChangeKind{}
	for _, c := range changes {
		whole := c.Before.Kind == Directory || c.After.Kind == Directory
		if whole || c.Kind == Modified {
			continue
		}
		for dir := parent(c.Path); dir != "" && implied[dir] == ""; dir = parent(dir) {
			implied[dir] = c.Kind
		}
	}
	return slices.DeleteFunc(changes, func(c Change) bool {
		isDir := c.Kind == Created && c.After.Kind == Directory || c.Kind == Deleted && c.Before.Kind == Directory
		return isDir && implied[c.Path] == c.Kind
	})
}

func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}
