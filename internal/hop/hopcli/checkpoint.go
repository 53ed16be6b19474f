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
		Use:     "checkpoint <state>",
		Long:    "Records the workspace of the state's attempt as it is. Any state of the attempt names it.",
		Example: "hop checkpoint \"$HOP_STATE_ID\"",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			made, err := in(ctx, c, func(p *op.Project) (hop.Checkpointed, error) { return p.Checkpoint(ctx, args[0]) })
			if err != nil {
				return cli.Result{}, err
			}
			warn(c, hop.Started{Incomplete: made.Incomplete})
			return cli.Result{Value: ok(made), Raw: "Created checkpoint " + made.ID + " · tree " + short(made.SourceTree)}, nil
		}),
	}
}
