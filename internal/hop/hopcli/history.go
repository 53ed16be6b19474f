package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func historyCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "history",
		Example: "hop history",
		Long:    "Lists the accepted states, newest first, at most 1,000.",
		Args:    cobra.ArbitraryArgs,
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			states, err := in(ctx, c, func(p *op.Project) ([]hop.State, error) { return p.History(ctx) })
			if err != nil {
				return cli.Result{}, err
			}
			var b strings.Builder
			for _, s := range states {
				b.WriteString(s.ID + "  " + short(s.SourceTree) + "  " + firstLine(s.Summary) + "\n")
			}
			return cli.Result{Value: ok(states), Raw: b.String()}, nil
		}),
	}
}
