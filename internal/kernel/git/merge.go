package git

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"bridle/internal/kernel/fault"
)

// Merge is the result of merging two trees.
type Merge struct {
	// Tree is the merged tree. With conflicts it holds them as marks in the files
	// or as files side by side, as git leaves them.
	Tree OID
	// Clean says that there are no conflicts.
	Clean     bool
	Conflicts []Conflict
	// Ours and Theirs are what each side changed since the base.
	Ours, Theirs []Change
}

// Conflict is a path on which both sides cannot be had. Its reason is git's word
// for the kind, such as "contents", "modify/delete", "file/directory" or
// "directory rename suggested".
type Conflict struct {
	Path, Reason       string
	Base, Ours, Theirs Side
}

// Side is what one of the three trees has at the path; the zero Side is nothing.
type Side struct {
	Mode uint32
	ID   OID
}

// MergeTrees merges what ours and theirs changed since base, as "git merge" does
// with its default strategy, and puts the merged tree into the repository. It
// touches no working tree and no ref. All three are trees or commits. Of the
// attributes in ours, those that choose one of git's built-in ways to merge a
// file count; programs that merge are never run.
func (r *Repository) MergeTrees(ctx context.Context, base, ours, theirs OID) (Merge, error) {
	trees := []OID{base, ours, theirs}
	for i := range trees {
		var err error
		if trees[i], err = r.treeOf(ctx, trees[i]); err != nil {
			return Merge{}, err
		}
	}
	base, ours, theirs = trees[0], trees[1], trees[2]
	mine, err := r.Diff(ctx, base, ours)
	if err != nil {
		return Merge{}, err
	}
	other := mine
	if ours != theirs {
		if other, err = r.Diff(ctx, base, theirs); err != nil {
			return Merge{}, err
		}
	}
	merge, err := r.mergeDiffs(ctx, trees, mine, other)
	merge.Ours, merge.Theirs = mine, other
	return merge, err
}

func (r *Repository) mergeDiffs(ctx context.Context, trees []OID, mine, other []Change) (Merge, error) {
	switch base, ours, theirs := trees[0], trees[1], trees[2]; {
	case ours == theirs, base == theirs:
		return Merge{Tree: ours, Clean: true}, nil
	case base == ours:
		return Merge{Tree: theirs, Clean: true}, nil
	}
	if tree, ok, err := r.mergeApart(ctx, trees[1], mine, other); ok || err != nil {
		return Merge{Tree: tree, Clean: true}, err
	}
	return r.mergeByGit(ctx, trees, slices.Concat(mine, other))
}

// mergeByGit lets git merge base, ours and theirs.
func (r *Repository) mergeByGit(ctx context.Context, trees []OID, changes []Change) (Merge, error) {
	attributes, err := r.mergeAttributes(ctx, trees[1], changes)
	if err != nil {
		return Merge{}, err
	}
	q, err := r.newQuarantine(attributes)
	if err != nil {
		return Merge{}, err
	}
	defer q.close()
	var commits [3]OID
	for i, tree := range trees {
		if commits[i], err = q.commit(tree, commits[0]); err != nil {
			return Merge{}, err
		}
	}
	out, code, err := q.git(ctx, job{
		args:  []string{"merge-tree", "--write-tree", "-z", "--messages", string(commits[1]), string(commits[2])},
		extra: []string{"merge.renames=true", "merge.directoryRenames=conflict", "merge.conflictStyle=merge"}, limit: 64 << 20, accept: 1,
	})
	if err != nil {
		return Merge{}, err
	}
	merge, err := parseMerge(r.format, out)
	if err != nil {
		return Merge{}, err
	}
	merge.Clean = code == 0
	return merge, q.adopt(ctx)
}

// treeOf returns the tree of a commit, or the id if it is a tree's already. An
// empty id stands for the empty tree.
func (r *Repository) treeOf(ctx context.Context, id OID) (OID, error) {
	if id.IsZero() {
		return r.format.EmptyTree(), nil
	}
	kind, data, err := r.Object(ctx, id)
	if err != nil {
		return "", err
	}
	switch kind {
	case KindTree:
		return id, nil
	case KindCommit:
		commit, err := decodeCommit(r.format, data)
		return commit.Tree, err
	default:
		return "", wrongKind(id, kind, KindTree)
	}
}

// commit makes a commit that only says which tree follows which.
func (q *quarantine) commit(tree, parent OID) (OID, error) {
	who := Signature{Name: "none", Email: "none", When: time.Unix(0, 0).UTC()}
	c := Commit{Tree: tree, Author: who, Committer: who, Message: "none\n"}
	if parent != "" {
		c.Parents = []OID{parent}
		// The sides must differ even if their trees are equal.
		c.Message = string(tree) + "\n"
	}
	data, err := encodeCommit(q.repo.format, c)
	if err != nil {
		return "", err
	}
	return q.put(KindCommit, data)
}

// mergeAttributes collects the attribute files of ours that lie above a changed
// file: other files are not merged by content.
func (r *Repository) mergeAttributes(ctx context.Context, ours OID, changes []Change) (map[string][]byte, error) {
	files := map[string][]byte{}
	looked := map[string]bool{}
	for _, c := range changes {
		if c.Kind == Deleted {
			continue
		}
		for dir := parentOf(c.Path); !looked[dir]; dir = parentOf(strings.TrimSuffix(dir, "/")) {
			looked[dir] = true
			data, err := r.fileAt(ctx, ours, dir+".gitattributes")
			if err != nil {
				return nil, err
			}
			if data != nil {
				files[dir+".gitattributes"] = data
			}
		}
	}
	return files, nil
}

// parentOf is the folder of a path with its slash; of a name at the top, "".
func parentOf(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }

// fileAt returns the content of a regular file in a tree, or nil.
func (r *Repository) fileAt(ctx context.Context, tree OID, path string) ([]byte, error) {
	for {
		name, rest, deeper := strings.Cut(path, "/")
		entries, err := r.Tree(ctx, tree)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
		switch {
		case i < 0 || entries[i].IsTree() != deeper:
			return nil, nil
		case !deeper && entries[i].Mode != ModeFile && entries[i].Mode != ModeExec:
			return nil, nil
		case !deeper:
			return r.Blob(ctx, entries[i].ID)
		}
		tree, path = entries[i].ID, rest
	}
}

// parseMerge reads what merge-tree prints with -z: the tree, one line for each
// side of each conflicted path, an empty field, and messages as a number of
// paths, the paths, the kind, and words for people.
func parseMerge(format Format, out []byte) (Merge, error) {
	fields := strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00")
	merge := Merge{Tree: OID(fields[0])}
	if err := format.Check(merge.Tree); err != nil {
		return Merge{}, fault.New(CodeFailed, "git merge-tree printed no tree")
	}
	places := map[string]int{}
	at := func(path string) *Conflict {
		i, ok := places[path]
		if !ok {
			i = len(merge.Conflicts)
			places[path] = i
			merge.Conflicts = append(merge.Conflicts, Conflict{Path: path})
		}
		return &merge.Conflicts[i]
	}
	fields = fields[1:]
	for len(fields) > 0 && fields[0] != "" {
		if err := parseStage(format, fields[0], at); err != nil {
			return Merge{}, err
		}
		fields = fields[1:]
	}
	if len(fields) > 0 {
		fields = fields[1:]
	}
	for len(fields) >= 3 {
		n, err := strconv.Atoi(fields[0])
		if err != nil || n < 0 || len(fields) < n+3 {
			return Merge{}, fault.New(CodeFailed, "git merge-tree printed messages that cannot be read")
		}
		kind := fields[n+1]
		if reason, ok := strings.CutPrefix(kind, "CONFLICT ("); ok {
			for _, path := range fields[1 : n+1] {
				if c := at(path); c.Reason == "" {
					c.Reason = strings.TrimSuffix(reason, ")")
				}
			}
		}
		fields = fields[n+3:]
	}
	for i := range merge.Conflicts {
		if merge.Conflicts[i].Reason == "" {
			merge.Conflicts[i].Reason = "contents"
		}
	}
	slices.SortFunc(merge.Conflicts, func(a, b Conflict) int { return strings.Compare(a.Path, b.Path) })
	return merge, nil
}

func parseStage(format Format, line string, at func(string) *Conflict) error {
	bad := fault.New(CodeFailed, "git merge-tree printed a conflict that cannot be read")
	head, path, ok := strings.Cut(line, "\t")
	parts := strings.Split(head, " ")
	if !ok || len(parts) != 3 {
		return bad
	}
	mode, err := strconv.ParseUint(parts[0], 8, 32)
	if err != nil || format.Check(OID(parts[1])) != nil {
		return bad
	}
	side := Side{uint32(mode), OID(parts[1])}
	switch c := at(path); parts[2] {
	case "1":
		c.Base = side
	case "2":
		c.Ours = side
	case "3":
		c.Theirs = side
	default:
		return bad
	}
	return nil
}
