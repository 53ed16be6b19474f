package kit

import (
	"context"
	"time"

	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/adapter/composite"
	"bridle/internal/hcp/check"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/host"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
)

// open opens a runtime that has the code of every command of the bootstrap pack.
func open(ctx context.Context, c *cli.Call) (*local.Runtime, error) {
	return hcpx.OpenWith(ctx, c, readers(c))
}

// readers are the bootstrap pack's commands that read by means of this program.
func readers(c *cli.Call) composite.Handlers {
	read := func(f func(ctx context.Context, rt *local.Runtime, r adapter.Request) (any, error)) composite.Handler {
		return func(ctx context.Context, r adapter.Request) (any, error) {
			rt, err := hcpx.Open(ctx, c)
			if err != nil {
				return nil, err
			}
			return f(ctx, rt, r)
		}
	}
	return composite.Handlers{
		"hcp.search": read(func(ctx context.Context, rt *local.Runtime, r adapter.Request) (any, error) {
			return search(ctx, c, rt, hcpx.Text(r, "query"), hcpx.Text(r, "class"))
		}),
		"hcp.generate": read(func(ctx context.Context, rt *local.Runtime, _ adapter.Request) (any, error) {
			return generate(ctx, c, rt, host.DefaultLead)
		}),
		"hcp.share": read(func(ctx context.Context, _ *local.Runtime, r adapter.Request) (any, error) {
			return share(ctx, c, hcpx.Text(r, "source"), hcpx.Text(r, "subdir"))
		}),
		"hcp.check": read(func(ctx context.Context, _ *local.Runtime, r adapter.Request) (any, error) {
			// The command is a read, so nothing of the pack is run.
			return runCheck(ctx, c, hcpx.Text(r, "pack_dir"), checkFlags{noEval: true, timeout: int(check.DefaultTimeout / time.Millisecond)})
		}),
		"hcp.catalog": read(func(ctx context.Context, rt *local.Runtime, r adapter.Request) (any, error) {
			return showCatalog(ctx, c, rt, hcpx.Text(r, "pack_id"))
		}),
	}
}
