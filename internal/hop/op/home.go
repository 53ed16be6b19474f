package op

import (
	"path/filepath"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/git"
)

// A repository has one project, whichever of its working trees one stands in: its
// records are in the repository, and an index and locks for each tree would know
// nothing of each other. The project's folder is in the tree that has it already.

// home is where the project of a repository is, or would be made.
type home struct {
	root string
	// made says that it is there.
	made bool
}

// homeOf finds the home of the project of the repository that dir lies in.
func homeOf(dir string) (home, bool) {
	here, all, err := git.Trees(dir)
	if err != nil {
		return home{}, false
	}
	all = slices.DeleteFunc(all, isWorkingCopy)
	if at := slices.IndexFunc(all, func(l git.Location) bool { return hasIndex(l.Root) }); at >= 0 {
		return home{root: all[at].Root, made: true}, true
	}
	if !isWorkingCopy(here) {
		return home{root: here.Root}, true
	}
	// A working copy of ours is never the home of a project: that is around it, or
	// where the repository's own tree is.
	around := filepath.Dir(filepath.Dir(filepath.Dir(here.Root)))
	if at := slices.IndexFunc(all, func(l git.Location) bool { return l.Root == around }); at >= 0 {
		return home{root: around}, true
	}
	if len(all) == 0 {
		return home{}, false
	}
	return home{root: all[0].Root}, true
}

// ownerOf returns the root of the project that an index in dir belongs to. What
// somebody puts into a working copy makes no project of it. The repository's own
// tree is asked for nothing else: it may have many working copies.
func ownerOf(dir string) string {
	if here, err := git.Locate(dir); err == nil && here.Root == realPath(dir) && here.Linked() {
		if home, ok := homeOf(dir); ok && home.made {
			return home.root
		}
	}
	return realPath(dir)
}

// isWorkingCopy reports whether a working tree is one that Hop made: it lies in the
// folder of a project, or is named like an attempt.
func isWorkingCopy(tree git.Location) bool {
	if !tree.Linked() {
		return false
	}
	return filepath.Base(filepath.Dir(filepath.Dir(tree.Root))) == workspace.FolderName ||
		strings.HasPrefix(filepath.Base(tree.GitDir), hop.PrefixAttempt+"_")
}
