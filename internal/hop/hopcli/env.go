package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func envCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "env <state>",
		Long:    "Prints lines that a POSIX shell evaluates to the environment of the state, and to its workspace as working directory.",
		Example: "eval \"$(hop env P_06H2QFXVFW9V90E5YAZJJ68)\"",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			env, err := in(ctx, c, func(p *op.Project) (hop.Environment, error) { return p.Environment(ctx, args[0]) })
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(env), Raw: op.ShellLines(env)}, nil
		}),
	}
}
