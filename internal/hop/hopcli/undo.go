package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

func undoCommand(c *cli.Call) *cobra.Command {
	var to, operation string
	cmd := &cobra.Command{
		Use:     "undo [--to STATE] [--op OPERATION]",
		Long:    "Makes a new accepted state with the tree before the last one. Nothing is rewritten, and a second undo brings it back. With --to it goes further back, with --op it reverses one operation and keeps what came after.",
		Example: "hop undo\nhop undo --to A_06H2QKHZK3403ADY83D09D8",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			if to != "" && operation != "" {
				return cli.Result{}, fault.New(cli.CodeUsage, "--to and --op exclude each other")
			}
			s, err := in(ctx, c, func(p *op.Project) (hop.State, error) {
				switch {
				case to != "":
					return p.UndoTo(ctx, to)
				case operation != "":
					return p.UndoOperation(ctx, operation)
				default:
					return p.Undo(ctx)
				}
			})
			return undone(s, err)
		}),
	}
	cmd.Flags().StringVar(&to, "to", "", "the accepted state to go back to")
	cmd.Flags().StringVar(&operation, "op", "", "the operation to reverse")
	return cmd
}

func undone(s hop.State, err error) (cli.Result, error) {
	if err != nil {
		return cli.Result{}, err
	}
	return cli.Result{Value: ok(s), Raw: "Created forward undo state " + s.ID + " · tree " + short(s.SourceTree)}, nil
}

func redoCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "redo",
		Long:    "Takes the last undo back.",
		Example: "hop undo\nhop redo",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			return undone(in(ctx, c, func(p *op.Project) (hop.State, error) { return p.Redo(ctx) }))
		}),
	}
}
