package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func restoreCommand(c *cli.Call) *cobra.Command {
	var into string
	cmd := &cobra.Command{
		Use:     "restore <state> [--into STATE]",
		Long:    "Gives a workspace the files that a state has. What it held is recorded first. Files that git ignores stay.",
		Example: "hop restore C_06H2QKJ033E4FZFW77FFDWG",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			made, err := in(ctx, c, func(p *op.Project) (hop.Checkpointed, error) { return p.Restore(ctx, args[0], into) })
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(made), Raw: "Restored as checkpoint " + made.ID + " · tree " + short(made.SourceTree)}, nil
		}),
	}
	cmd.Flags().StringVar(&into, "into", "", "a state of the attempt whose workspace is meant")
	return cmd
}

func resumeCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "resume <state>",
		Long:    "Makes sure that the attempt of the state has its workspace: one that is missing, or was parked, is made anew.",
		Example: "hop resume P_06H2QFXVFW9V90E5YAZJJ68",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			r, err := in(ctx, c, func(p *op.Project) (hop.Resumed, error) { return p.Resume(ctx, args[0]) })
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(r), Raw: "Workspace: " + r.Workspace + "\nState: " + r.State.ID + "\n"}, nil
		}),
	}
}
