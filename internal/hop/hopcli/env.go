package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

func envCommand(c *cli.Call) *cobra.Command {
	var agent, session string
	var stay bool
	cmd := &cobra.Command{
		Use:     "env [state] [--session ID] [--agent NAME] [--no-cd]",
		Long:    "Prints lines that a POSIX shell evaluates to the environment of the state, and to its workspace as working directory. With --session it is the state of the newest prompt in that conversation.\n\n" + defaultState,
		Example: "eval \"$(hop env P_06H2QFXVFW9V90E5YAZJJ68)\"",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			if session != "" && len(args) > 0 {
				return cli.Result{}, fault.New(cli.CodeUsage, "a state and --session exclude each other")
			}
			env, err := in(ctx, c, func(p *op.Project) (hop.Environment, error) {
				var id string
				var err error
				if session != "" {
					agent, _ := identity(c.Env, agent, session)
					id, err = p.PromptOfSession(ctx, agent, session)
				} else {
					id, err = named(ctx, p, args)
				}
				if err != nil {
					return hop.Environment{}, err
				}
				return p.Environment(ctx, id)
			})
			if err != nil {
				return cli.Result{}, err
			}
			text := op.ShellLines(env)
			if stay {
				text = op.ShellVariables(env)
			}
			return cli.Result{Value: ok(env), Raw: text}, nil
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "a conversation whose newest prompt is meant")
	cmd.Flags().StringVar(&agent, "agent", "", "whose conversation it is; as for begin when absent")
	cmd.Flags().BoolVar(&stay, "no-cd", false, "set the variables only")
	return cmd
}
