package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func pushCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "push <remote> [branch]",
		Long:    "Puts the accepted line on an ordinary branch of a remote, the one that is checked out when none is named. A branch is only ever moved forward; one that has other commits is left as it is, with exit code 21.",
		Example: "hop push origin main",
		Args:    cobra.RangeArgs(1, 2),
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			branch := ""
			if len(args) == 2 {
				branch = args[1]
			}
			done, err := in(ctx, c, func(p *op.Project) (hop.Pushed, error) { return p.Push(ctx, args[0], branch) })
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(done), Raw: done.Ref + " of " + done.Remote + ": " + strings.ReplaceAll(done.Status, "_", " ") + " · " + short(done.Commit)}, nil
		}),
	}
}
