package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func refreshCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "refresh [state]",
		Long:    "Carries the attempt of the state onto the accepted state of now. Its workspace gets the merge; conflicts stand in the files as git writes them, and nothing is proposed while they do.\n\n" + defaultState,
		Example: "hop refresh R_06H2QKJ0C4TBXCAWZ37YAK0",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			r, err := in(ctx, c, func(p *op.Project) (hop.Refreshed, error) {
				id, err := named(ctx, p, args)
				if err != nil {
					return hop.Refreshed{}, err
				}
				return p.Refresh(ctx, id)
			})
			if err != nil {
				return cli.Result{}, err
			}
			text := "Refreshed onto " + r.AcceptedHead.ID + " as checkpoint " + r.Checkpoint.ID + "\nWorkspace: " + r.Workspace + "\n"
			for _, path := range r.Conflicts {
				text += "Conflict: " + path + "\n"
			}
			return cli.Result{Value: ok(r), Raw: text}, nil
		}),
	}
}

func cancelCommand(c *cli.Call) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:     "cancel <state> [--reason TEXT]",
		Example: "hop cancel P_06H2QFXVFW9V90E5YAZJJ68 --reason \"the other attempt won\"",
		Long:    "Ends the attempt of the state. What its workspace holds is recorded first. It goes on only through a new prompt.",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			s, err := in(ctx, c, func(p *op.Project) (hop.State, error) { return p.Cancel(ctx, args[0], reason) })
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(s), Raw: "Cancelled as " + s.ID}, nil
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why")
	return cmd
}
