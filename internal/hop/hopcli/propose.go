package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func proposeCommand(c *cli.Call) *cobra.Command {
	var r op.ProposeRequest
	cmd := &cobra.Command{
		Use:     "propose [state] [--summary TEXT] [--exclude PATH]… [--allow-secret FINGERPRINT]…",
		Long:    "Freezes the workspace of the state's attempt as a proposal. Later edits do not change it. What looks like a credential is refused.\n\n" + defaultState,
		Example: "hop propose --summary \"Reset emails\" \"$HOP_STATE_ID\"",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			made, err := in(ctx, c, func(p *op.Project) (_ hop.Proposed, err error) {
				if r.State, err = named(ctx, p, args); err != nil {
					return hop.Proposed{}, err
				}
				return p.Propose(ctx, r)
			})
			if err != nil {
				return cli.Result{}, err
			}
			text := "Created proposal " + made.Proposal.ID + " · tree " + short(made.Proposal.SourceTree) + " · " +
				plural(len(made.Checks), "matching check", "matching checks")
			return cli.Result{Value: ok(made), Raw: text}, nil
		}),
	}
	cmd.Flags().StringVar(&r.Summary, "summary", "", "what it does; the title of the task when absent")
	cmd.Flags().StringArrayVar(&r.Incomplete, "exclude", nil, "a path that cannot be captured and is left out on purpose")
	cmd.Flags().StringArrayVar(&r.AllowSecrets, "allow-secret", nil, "the fingerprint of a finding that is no credential")
	return cmd
}
