package op

import (
	"context"

	"bridle/hop"
)

// SyncRequest says what a sync may do.
type SyncRequest struct {
	Branch, Adopt bool
}

// Sync writes the accepted tree into the visible folder.
func (p *Project) Sync(ctx context.Context, r SyncRequest) (hop.Synced, error) {
	return hop.Synced{}, nil
}
