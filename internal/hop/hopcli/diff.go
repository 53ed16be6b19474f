package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func diffCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "diff <state> [other]",
		Long:    "Shows what a state changes: since its attempt began, or since the accepted state before it. With two states, what differs between them.",
		Example: "hop diff \"$HOP_STATE_ID\"",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			other := ""
			if len(args) > 1 {
				other = args[1]
			}
			d, err := in(ctx, c, func(p *op.Project) (hop.Difference, error) { return p.Diff(ctx, args[0], other) })
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(d), Raw: d.Diff}, nil
		}),
	}
}
