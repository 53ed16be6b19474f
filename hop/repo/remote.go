package repo

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/op"
)

// Share exchanges states, prompts, evidence and proposals with a git remote, named
// or by its address, and makes the project first where Options.Dir has none. It
// follows the remote's accepted line where that continues ours; with follow, also
// where something landed here that the remote does not have.
func Share(ctx context.Context, o Options, remote string, follow bool) (*Project, hop.Shared, error) {
	p, done, err := op.Share(ctx, o.surroundings(), op.ShareRequest{Remote: remote, Follow: follow})
	if err != nil {
		return nil, done, public(err)
	}
	return &Project{p}, done, nil
}

// Share is the function Share for an open project.
func (p *Project) Share(ctx context.Context, remote string, follow bool) (hop.Shared, error) {
	return result(p.p.Share(ctx, op.ShareRequest{Remote: remote, Follow: follow}))
}

// Push puts the accepted line on an ordinary branch of a remote, only forward; an
// empty name means the branch that is checked out.
func (p *Project) Push(ctx context.Context, remote, branch string) (hop.Pushed, error) {
	return result(p.p.Push(ctx, remote, branch))
}

// Purging says what is to be taken out of the recorded states.
type Purging struct {
	// Fingerprints are those that a refused proposal's error names, Paths are files
	// whose every content goes, Blobs are contents by their git ids.
	Fingerprints, Paths, Blobs []string
	// DryRun only looks.
	DryRun bool
}

// Purge takes credentials out of every state of this machine's attempts and erases
// their bytes; what still has them is named in the result.
func (p *Project) Purge(ctx context.Context, r Purging) (hop.Purge, error) {
	return result(p.p.Purge(ctx, op.PurgeRequest{Fingerprints: r.Fingerprints, Paths: r.Paths, Blobs: r.Blobs, DryRun: r.DryRun}))
}
