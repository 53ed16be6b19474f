package hcpruntime

import (
	"context"
	"slices"
	"sync"

	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// session is the set of activated packs, in the order of their activation.
type session struct {
	mu  sync.RWMutex
	ids []string
}

func (s *session) has(id string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Contains(s.ids, id)
}

func (s *session) activated() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]string{}, s.ids...)
}

func (s *session) put(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if !slices.Contains(s.ids, id) {
			s.ids = append(s.ids, id)
		}
	}
}

func (s *session) deactivate(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = slices.DeleteFunc(s.ids, func(id string) bool { return slices.Contains(ids, id) })
}

// add activates all of the packs or none: each must be known and lint clean.
func (s *session) add(ctx context.Context, ids []string, get func(context.Context, string) (*pack.Pack, error)) error {
	for _, id := range ids {
		p, err := get(ctx, id)
		if err != nil {
			return err
		}
		if p == nil {
			return unknown(id)
		}
		if err := linted(lint.Pack(p)); err != nil {
			return err
		}
	}
	s.put(ids)
	return nil
}

func unknown(id string) error {
	return fault.New("unknown_pack", "cannot activate unknown pack: "+id).
		WithHint("the runtime's catalog has no pack of this id")
}
