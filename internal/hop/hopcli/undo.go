package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func undoCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:  "undo",
		Long: "Makes a new accepted state with the tree before the last one. Nothing is rewritten, and a second undo brings it back.",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			s, err := in(ctx, c, func(p *op.Project) (hop.State, error) { return p.Undo(ctx) })
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(s), Raw: "Created forward undo state " + s.ID + " · tree " + short(s.SourceTree)}, nil
		}),
	}
}
