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
		Use:     "diff [state] [other]",
		Long:    "Shows what a state changes: since its attempt began, or since the accepted state before it. With two states, what differs between them.\n\nWithout a state it is the newest of the attempt that " + hop.EnvState + " or the current folder belongs to; what was edited since is not in it.",
		Example: "hop diff\nhop diff A_06H2QKHZK3403ADY83D09D8 R_06H2QKJ0C4TBXCAWZ37YAK0",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			other := ""
			if len(args) > 1 {
				other = args[1]
			}
			d, err := in(ctx, c, func(p *op.Project) (hop.Difference, error) {
				id, err := namedHead(ctx, p, args)
				if err != nil {
					return hop.Difference{}, err
				}
				return p.Diff(ctx, id, other)
			})
			if err != nil {
				return cli.Result{}, err
			}
			if d.Diff == "" && !c.JSON {
				// Nothing to print is nothing on standard output, not an object.
				note(c, "no difference")
				return cli.Result{}, nil
			}
			return cli.Result{Value: ok(d), Raw: d.Diff}, nil
		}),
	}
}
