package hopcli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

func gcCommand(c *cli.Call) *cobra.Command {
	var r op.GCRequest
	cmd := &cobra.Command{
		Use:     "gc [--older-than DURATION|--all]",
		Long:    "Records and removes the workspaces of attempts in which nothing happened for a day, and parks those attempts until they are resumed. One or two checkouts of them are emptied and kept for the next attempts, which then begin sooner; --all removes those that earlier runs kept. No state is removed. The attempt that HOP_ATTEMPT_ID names is spared.",
		Example: "hop gc --older-than 72h",
	}
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		if cmd.Flags().Changed("older-than") && (r.All || r.OlderThan <= 0) {
			return cli.Result{}, fault.New(cli.CodeUsage, "give either --all or a positive --older-than")
		}
		done, err := in(ctx, c, func(p *op.Project) (hop.Collected, error) { return p.Collect(ctx, r) })
		if err != nil {
			return cli.Result{}, err
		}
		text := "Removed " + plural(done.Removed, "workspace", "workspaces") + ", parked " + plural(done.Parked, "attempt", "attempts") +
			", freed " + strconv.FormatInt(done.Reclaimed, 10) + " bytes\n"
		if done.Pooled > 0 {
			text += "Kept " + plural(done.Pooled, "checkout", "checkouts") + " of them for attempts to come; hop gc --all removes what earlier runs kept\n"
		}
		for _, kept := range done.Preserved {
			text += "Kept " + kept + "\n"
		}
		return cli.Result{Value: ok(done), Raw: text}, nil
	})
	cmd.Flags().DurationVar(&r.OlderThan, "older-than", 0, "how long nothing was recorded; a day when absent")
	cmd.Flags().BoolVar(&r.All, "all", false, "every attempt")
	return cmd
}
