package git

import (
	"context"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
)

// Edit adds the trees that make another tree out of one: of each change the new
// side is put in its place, or the path removed when there is none. Only folders
// with changes are read and written. An empty id stands for the empty tree. The
// objects of the new sides must be in the repository or in the batch.
func (b *Batch) Edit(ctx context.Context, tree OID, changes []Change) (OID, error) {
	sorted := slices.Clone(changes)
	// By parts, so that a name and what is below it stand together.
	slices.SortFunc(sorted, func(x, y Change) int {
		return slices.Compare(strings.Split(x.Path, "/"), strings.Split(y.Path, "/"))
	})
	id, err := b.edit(ctx, tree, "", sorted)
	if err == nil && id == "" {
		id = b.Tree(nil)
	}
	return id, err
}

// edit returns the new id of a folder, or "" when nothing is left in it.
func (b *Batch) edit(ctx context.Context, tree OID, prefix string, changes []Change) (OID, error) {
	var entries []Entry
	if !tree.IsZero() {
		var err error
		if entries, err = b.repo.Tree(ctx, tree); err != nil {
			return "", err
		}
		entries = slices.Clone(entries)
	}
	for len(changes) > 0 {
		name, _, _ := strings.Cut(changes[0].Path[len(prefix):], "/")
		n := 1
		for n < len(changes) && belongs(changes[n].Path[len(prefix):], name) {
			n++
		}
		at := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
		was := Entry{}
		if at >= 0 {
			was = entries[at]
			entries = slices.Delete(entries, at, at+1)
		}
		now, err := b.editName(ctx, was, prefix+name, changes[:n])
		if err != nil {
			return "", err
		}
		if now.Mode != 0 {
			now.Name = name
			entries = append(entries, now)
		}
		changes = changes[n:]
	}
	if len(entries) == 0 {
		return "", nil
	}
	id := b.Tree(entries)
	if id == "" {
		return "", b.err()
	}
	return id, nil
}

func belongs(path, name string) bool {
	return strings.HasPrefix(path, name) && (len(path) == len(name) || path[len(name)] == '/')
}

// editName applies the changes of one name: of the name itself, which comes
// first if at all, and of what is below it.
func (b *Batch) editName(ctx context.Context, was Entry, path string, changes []Change) (Entry, error) {
	own := changes[0].Path == path
	below := changes
	file := was
	if own {
		below = changes[1:]
		file = Entry{Mode: changes[0].NewMode, ID: changes[0].NewID}
	}
	if len(below) == 0 && !own {
		return was, nil
	}
	folder := OID("")
	if was.IsTree() {
		folder = was.ID
		if !own {
			file = Entry{}
		}
	}
	if len(below) > 0 {
		var err error
		if folder, err = b.edit(ctx, folder, path+"/", below); err != nil {
			return Entry{}, err
		}
	}
	switch {
	case folder == "":
		return file, nil
	case file.Mode != 0:
		return Entry{}, fault.Newf(CodeBadObject, "a tree cannot have %q as a file and as a folder", path)
	}
	return Entry{Mode: ModeTree, ID: folder}, nil
}

// err is what went wrong first.
func (b *Batch) err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failure
}
