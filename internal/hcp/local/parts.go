package local

import (
	"context"

	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/hcp/store"
)

// packs shows the store to the pipeline.
type packs struct{ store *store.Store }

func (p packs) Installed(_ context.Context, id string) (bool, error) {
	return p.store.Installed(id), nil
}

func (p packs) IDs(context.Context) []string {
	ids, err := p.store.InstalledIDs()
	if err != nil {
		return nil // suggestions only
	}
	return ids
}

func (p packs) Activated(ctx context.Context, id string) (*pipeline.Activation, error) {
	ready, err := p.store.Verify(ctx, id)
	if err != nil {
		return nil, err
	}
	a := &pipeline.Activation{Pack: ready.Pack, Digest: ready.Digest}
	if b := ready.Bin; b != nil {
		a.Bin = adapter.Bin{Name: b.Name, Path: b.Path, Reason: b.Reason, Argv0: b.Argv0, SHA256: b.SHA256}
		for _, i := range b.Interpreters {
			a.Bin.Interpreters = append(a.Bin.Interpreters, i.Path)
		}
	}
	return a, nil
}

// links keeps in the store which packs were connected. A family's consent
// covers its packs, and a pack is marked when its own connect ran.
type links struct{ store *store.Store }

func (l links) Linked(_ context.Context, r binding.Request) (bool, error) {
	return l.store.Connected(r.PackID)
}

func (l links) SetLinked(ctx context.Context, r binding.Request, linked bool) error {
	_, err := l.store.SetConnected(ctx, r.PackID, linked)
	return err
}
