package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func checkpointCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "checkpoint [state]",
		Long:    "Records the workspace of the state's attempt as it is. Any state of the attempt names it.\n\n" + defaultState,
		Example: "hop checkpoint\nhop checkpoint P_06H2QFXVFW9V90E5YAZJJ68",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			made, err := in(ctx, c, func(p *op.Project) (hop.Checkpointed, error) {
				id, err := named(ctx, p, args)
				if err != nil {
					return hop.Checkpointed{}, err
				}
				return p.Checkpoint(ctx, id)
			})
			if err != nil {
				return cli.Result{}, err
			}
			warnIncomplete(c, made.Incomplete)
			return cli.Result{Value: ok(made), Raw: "Created checkpoint " + made.ID + " · tree " + short(made.SourceTree)}, nil
		}),
	}
}
