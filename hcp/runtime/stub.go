package hcpruntime

import (
	"context"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/pack"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// stub is the proprietary-stub driver: packs in memory, the whole pipeline, and
// an answer in place of running anything. It shows a company runtime's shape.
type stub struct {
	session
	packs []*pack.Pack
	links binding.Memory
}

func newStub(o Options) (*stub, error) {
	if len(o.Packs) == 0 {
		return nil, fault.New("usage", "proprietary-stub requires packs[]").
			WithHint("load packs with LoadPack and pass them in Options.Packs")
	}
	s := &stub{}
	for _, p := range o.Packs {
		if slices.ContainsFunc(s.packs, func(q *pack.Pack) bool { return q.ID == p.ID }) {
			return nil, twice(p.ID)
		}
		s.packs = append(s.packs, inward(p))
	}
	return s, nil
}

func twice(id string) error {
	return fault.Newf("usage", "pack %q is given twice", id).WithHint("ids are unique in a runtime; leave one of them out")
}

func (s *stub) id() (string, string) { return ProprietaryStub, ProprietaryStub }

func (s *stub) list(context.Context) ([]*pack.Pack, error) { return s.packs, nil }

func (s *stub) get(_ context.Context, id string) (*pack.Pack, error) {
	for _, p := range s.packs {
		if p.ID == id {
			return p, nil
		}
	}
	return nil, nil
}

func (s *stub) Installed(ctx context.Context, id string) (bool, error) {
	p, err := s.get(ctx, id)
	return p != nil, err
}

func (s *stub) IDs(context.Context) []string {
	ids := make([]string, len(s.packs))
	for i, p := range s.packs {
		ids[i] = p.ID
	}
	return ids
}

func (s *stub) Activated(ctx context.Context, id string) (*pipeline.Activation, error) {
	if !s.has(id) {
		return nil, nil
	}
	p, err := s.get(ctx, id)
	return &pipeline.Activation{Pack: p}, err
}

func (s *stub) activate(ctx context.Context, ids []string) error { return s.add(ctx, ids, s.get) }

func (s *stub) hub() binding.Hub { return &binding.Local{Links: &s.links} }

func (s *stub) unable(*pack.Pack) string { return "" }

func (s *stub) close() error { return nil }

func (s *stub) adapters() map[hcp.Kind]adapter.Adapter {
	all := map[hcp.Kind]adapter.Adapter{}
	for _, kind := range hcp.Kinds {
		all[kind] = adapter.Func(stubbed)
	}
	return all
}

// stubbed answers with what would have run.
func stubbed(ctx context.Context, r adapter.Request) adapter.Outcome {
	if over := adapter.Over(ctx); over != nil {
		return adapter.Refused(over)
	}
	args := r.Args
	if args == nil {
		args = hcp.Args{}
	}
	value, err := canon.Marshal(struct {
		OK   bool     `json:"ok"`
		Stub bool     `json:"stub"`
		Verb string   `json:"verb"`
		Args hcp.Args `json:"args"`
	}{true, true, r.Key, args})
	if err != nil {
		return adapter.Refused(err)
	}
	return adapter.Outcome{Started: true, Value: value}
}
