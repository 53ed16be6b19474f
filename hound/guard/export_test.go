package guard

import (
	"context"

	"bridle/hound"
	"bridle/internal/hound/conversation"
	"bridle/internal/kernel/proc"
)

// Doubt has a guard run drivers as on a system that proves nothing.
func Doubt(g *Guard) *Guard {
	doubted := func(run conversation.Runner) conversation.Runner {
		return func(ctx context.Context, spec proc.Spec) (proc.Result, hound.Cleanup, error) {
			result, cleanup, err := run(ctx, spec)
			cleanup.Proven = false
			return result, cleanup, err
		}
	}
	g.run = doubted(g.run)
	return g
}
