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
		Use:     "env [state]",
		Long:    "Prints lines that a POSIX shell evaluates to the environment of the state, and to its workspace as working directory.\n\n" + defaultState,
		Example: "eval \"$(hop env P_06H2QFXVFW9V90E5YAZJJ68)\"",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			env, err := in(ctx, c, func(p *op.Project) (hop.Environment, error) {
				id, err := named(ctx, p, args)
				if err != nil {
					return hop.Environment{}, err
				}
				return p.Environment(ctx, id)
			})
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(env), Raw: op.ShellLines(env)}, nil
		}),
	}
}
