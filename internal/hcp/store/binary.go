package store

import (
	"bridle/internal/hcp/executable"
	"bridle/internal/hcp/pack"
)

// The executable of a pack, as package executable finds and pins it.
type (
	Binary      = executable.File
	Interpreter = executable.Interpreter
	Search      = executable.Search
)

// resolveBinary finds what wrap.bin of p means. Nothing is taken from the store
// itself.
func (s *Store) resolveBinary(p *pack.Pack, content map[string]string, search Search) (*Binary, error) {
	search.Avoid = append(append([]string{}, search.Avoid...), s.home)
	return executable.Resolve(p, content, search)
}
