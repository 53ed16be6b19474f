package cli

import (
	"context"
	"os/signal"
	"slices"
)

// untilEnded returns a context that ends when the process is asked to end, so
// that what it started is ended with it. A signal that the process was started
// to ignore, as nohup does, stays ignored.
func untilEnded(ctx context.Context) (context.Context, context.CancelFunc) {
	heeded := slices.DeleteFunc(endings(), signal.Ignored)
	if len(heeded) == 0 {
		return context.WithCancel(ctx) // no signals would mean all of them
	}
	ctx, stop := signal.NotifyContext(ctx, heeded...)
	// A second signal finds the default again and ends the process.
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
