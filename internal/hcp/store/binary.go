package store

import (
	"bridle/internal/hcp/executable"
	"bridle/internal/hcp/pack"
)

// Binary is the executable of a pack, as package executable finds and pins it.
type Binary = executable.File

// Interpreter is a program that runs in a script's place.
type Interpreter = executable.Interpreter

// Search says where executables are looked for.
type Search = executable.Search

// resolveBinary finds what wrap.bin of p means. Nothing is taken from the store
// itself.
func (s *Store) resolveBinary(p *pack.Pack, content map[string]string, search Search) (*Binary, error) {
	search.Avoid = append(append([]string{}, search.Avoid...), s.home)
	return executable.Resolve(p, content, search)
}
