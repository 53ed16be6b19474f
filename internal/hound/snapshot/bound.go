package snapshot

import (
	"context"
	"iter"
)

// State is what a plan binds of git's state: one hash for each part of it.
type State struct {
	// Index covers the entries and flags of the index.
	Index string
	// Refs covers HEAD, every ref and everything else in the Git directory.
	Refs string
	// Sensitive covers what decides what git runs: configuration with all that it
	// includes, and hooks.
	Sensitive string
	// Objects covers what a check of the object store found.
	Objects string
}

// State hashes the parts of git's state.
func (s *Snapshot) State() State {
	return State{
		Index:     s.part(partIndex),
		Refs:      s.part(partHead) + s.part(partRefs) + s.part(partControl),
		Sensitive: s.part(partConfig),
		Objects:   s.part(partObjects),
	}
}

// Tracked yields the paths of the index, each once, and whether a path is that of
// a nested repository.
func (s *Snapshot) Tracked() iter.Seq2[string, bool] {
	const nestedRepository = 0o160000
	return func(yield func(string, bool) bool) {
		last := ""
		for i := range s.git.index.entries {
			e := &s.git.index.entries[i]
			if e.path == last {
				continue // another stage of a conflict
			}
			last = e.path
			if !yield(e.path, e.mode == nestedRepository) {
				return
			}
		}
	}
}

// Untracked lists what is neither tracked nor ignored; a nested repository has a
// slash at its end. Git is asked now, not at the time of the snapshot.
func (s *Snapshot) Untracked(ctx context.Context) ([]string, error) {
	return s.options.Git.Untracked(ctx, s.repository.root)
}
