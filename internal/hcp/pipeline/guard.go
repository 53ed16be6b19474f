package pipeline

import (
	"context"
	"fmt"

	"bridle/internal/hcp/adapter"
	"bridle/internal/kernel/fault"
)

// maxDepth bounds commands that run commands.
const maxDepth = 8

type depthKey struct{}

// deeper returns the context for a command's own calls, or a refusal when they
// are nested too deeply.
func deeper(ctx context.Context) (context.Context, *fault.Error) {
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth >= maxDepth {
		return nil, tooDeep()
	}
	return context.WithValue(ctx, depthKey{}, depth+1), nil
}

// inside marks ctx with the depth of outer, whatever the handler made ctx from.
func inside(ctx, outer context.Context) context.Context {
	return context.WithValue(ctx, depthKey{}, outer.Value(depthKey{}))
}

// guarded runs an adapter and turns its panic into a failed outcome. The
// command may have run, so the outcome says that it did.
func (p *Pipeline) guarded(ctx context.Context, runner adapter.Adapter, r adapter.Request) (out adapter.Outcome) {
	defer func() {
		if v := recover(); v != nil {
			out = adapter.Outcome{Started: true, Failure: fault.Newf(adapter.CodePanicked, "command %q of pack %q failed unexpectedly", r.Key, r.Pack.ID).
				WithHint("this is a defect of the program, not of the call; the command may have run in part").
				Because(fmt.Errorf("panic: %v", v))}
		}
	}()
	return runner.Run(ctx, r)
}
