package guard

import (
	"context"
	"slices"

	"bridle/hound"
	"bridle/internal/hound/plan"
)

// watcher takes looks at one repository.
type watcher interface {
	Look(ctx context.Context) (look, error)
}

// look is what a repository is at one moment.
type look interface {
	plan.State
	// Fingerprint is what a plan is bound to, files below the prefix left out.
	Fingerprint(without string) (hound.Fingerprint, error)
	// Identity is what a receipt names of it.
	Identity() (hound.ReceiptRepository, error)
	// Changes lists what differs in a later look, sorted.
	Changes(later look) []change
}

// change is a path that is not as it was. Names below ".git/" stand for parts of
// git's own state.
type change struct {
	path          string
	before, after plan.FileState
}

// isFolder reports whether only a folder came or went.
func (c change) isFolder() bool {
	only := func(a, b plan.FileState) bool { return a.Kind == plan.KindDirectory && b.Kind == "" }
	return only(c.before, c.after) || only(c.after, c.before)
}

// paths lists the paths of changes.
func paths(changes []change) []string {
	list := make([]string, len(changes))
	for i, c := range changes {
		list[i] = c.path
	}
	return plan.Sort(list)
}

// without drops the changes below a prefix.
func without(changes []change, prefix string) []change {
	return slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return below(prefix, c.path) })
}

func below(prefix, path string) bool {
	return prefix != "" && (path == prefix || len(path) > len(prefix) && path[:len(prefix)] == prefix && path[len(prefix)] == '/')
}
