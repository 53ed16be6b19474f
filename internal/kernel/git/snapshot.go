package git

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/fault"
)

// SnapshotOptions say how a snapshot is taken.
type SnapshotOptions struct {
	// Index is the private index of this working tree: a file of the caller's that
	// remembers what the last snapshot saw. It is made when it is not there, and
	// may be removed at any time. Two snapshots at once must not share one.
	Index string
	// Exclude are paths from the root that are left as the index has them, with
	// what is below them; what the index does not have is left out.
	Exclude []string
	// MaxFile is the size above which a file is not taken; 0 is no limit.
	MaxFile int64
}

// Snapshot is what a working tree holds, as a tree.
type Snapshot struct {
	// Tree has all files that are not ignored, and the tracked ones that are.
	Tree OID
	// Problems are the paths that could not be taken as they are. A tracked file
	// among them is in the tree as it was before.
	Problems []Problem
	// Empty are folders with nothing in them, which trees cannot hold.
	Empty []string
	Stats SnapshotStats
}

// Problem is a path that a snapshot lacks or has in an older form.
type Problem struct{ Path, Reason string }

// SnapshotStats count what a snapshot cost.
type SnapshotStats struct {
	Files   int // in the tree
	Hashed  int // whose content was read
	Written int // new objects
}

// scanOptions are those of a snapshot, and of the comparisons that need one.
type scanOptions struct {
	SnapshotOptions
	store bool // new objects go into the repository
	full  bool // every file is read
	// change says that the working tree will be changed, and its index with it.
	change bool
}

// Snapshot stores the files of the working tree, durably. Of unchanged files it
// only looks at the state. The user's index is read and never written.
func (w *Worktree) Snapshot(ctx context.Context, o SnapshotOptions) (Snapshot, error) {
	if !filepath.IsAbs(o.Index) {
		return Snapshot{}, fault.Newf(fault.CodeInternal, "the private index %q is not absolute", o.Index)
	}
	s, root, err := w.look(ctx, scanOptions{SnapshotOptions: o, store: true})
	if err != nil {
		return Snapshot{}, err
	}
	defer s.place.close()
	if err := s.remember(root); err != nil {
		return Snapshot{}, err
	}
	return Snapshot{
		Tree: oidOf([]byte(root.raw)), Problems: s.problems, Empty: root.emptyDirs(nil),
		Stats: SnapshotStats{Files: root.count, Hashed: s.hashed, Written: s.sink.written},
	}, nil
}

// look scans a working tree, a second time without believing the index when the
// first has shown that it cannot be believed.
func (w *Worktree) look(ctx context.Context, o scanOptions) (*scan, *node, error) {
	s, err := w.newScan(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	root, err := s.tree()
	lost := (*lostObject)(nil)
	again := errors.As(err, &lost)
	if err == nil {
		again = s.rulesChanged(root)
	}
	if !again {
		if err != nil {
			s.place.close()
		}
		return s, root, err
	}
	s.place.close()
	o.full = true
	if s, err = w.newScan(ctx, o); err != nil {
		return nil, nil, err
	}
	if root, err = s.tree(); err != nil {
		s.place.close()
		return nil, nil, err
	}
	s.rulesChanged(root) // learns the rules
	return s, root, nil
}

// newScan prepares a scan: what the index remembers, what holds everywhere, and
// the time from which on a change may go unseen.
func (w *Worktree) newScan(ctx context.Context, o scanOptions) (*scan, error) {
	rules, err := w.repo.ruleSet()
	if err != nil {
		return nil, err
	}
	s := &scan{
		ctx: ctx, w: w, exclude: trimmed(o.Exclude), maxFile: o.MaxFile, rules: rules, trust: !o.full, change: o.change, private: o.Index,
		sink: &sink{repo: w.repo, ctx: ctx, store: o.store, known: map[string]bool{}},
	}
	if err := s.remembered(); err != nil {
		return nil, err
	}
	if o.Index != "" || o.change {
		if s.mark, err = s.now(); err != nil {
			return nil, err
		}
	}
	s.place, err = openPlace(w.root)
	if err != nil {
		return nil, unreadable(w.root, err)
	}
	return s, nil
}

func trimmed(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		if p = strings.Trim(p, "/"); p != "" {
			out = append(out, p)
		}
	}
	return out
}
