package workspace

import (
	"context"
	"slices"
	"strings"

	"bridle/internal/kernel/git"
)

// IsOwn reports whether a path of a tree is the project's own folder or lies in
// it, on any file system: some do not tell case apart.
func IsOwn(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.EqualFold(first, FolderName)
}

// OwnFolder returns the name under which a tree's entries hold the project's own
// folder, or nothing.
func OwnFolder(entries []git.Entry) string {
	for _, e := range entries {
		if IsOwn(e.Name) {
			return e.Name
		}
	}
	return ""
}

// take takes a snapshot without the project's own folder. Git ignores that, but
// who adds it by force has it tracked.
func take(ctx context.Context, repo *git.Repository, w *git.Worktree, o git.SnapshotOptions) (git.Snapshot, error) {
	shot, err := w.Snapshot(ctx, o)
	if err != nil {
		return git.Snapshot{}, err
	}
	entries, err := repo.Tree(ctx, shot.Tree)
	if err != nil {
		return git.Snapshot{}, err
	}
	name := OwnFolder(entries)
	if name == "" {
		return shot, nil
	}
	batch := repo.NewBatch()
	shot.Tree = batch.Tree(slices.DeleteFunc(slices.Clone(entries), func(e git.Entry) bool { return IsOwn(e.Name) }))
	shot.Problems = append(slices.Clone(shot.Problems), git.Problem{Path: name, Reason: "it is Hop's own folder, and no part of the project"})
	return shot, batch.Flush(ctx)
}
