package houndcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hound/guard"
	"bridle/internal/kernel/cli"
)

func approveCommand(c *cli.Call) *cobra.Command {
	var plan, output string
	var review guard.Review
	cmd := &cobra.Command{
		Use: "approve --plan <file> --reviewer <name> --output <file> [--approved-at <time>] [--expires-at <time>]",
		Long: "Writes an approval that is bound to this plan and no other. It is a witness that somebody agreed, not a signature.\n" +
			"Times are ISO 8601 with a zone. An approval counts from the moment it is dated to the moment it expires.",
		Example: "hound show plan.json\nhound approve --plan plan.json --reviewer \"A. Reviewer\" --expires-at 2026-02-01T00:00:00Z --output approval.json",
	}
	flags := cmd.Flags()
	flags.StringVar(&plan, "plan", "", "the plan, a `file`")
	flags.StringVar(&review.Reviewer, "reviewer", "", "`who` agrees")
	flags.StringVar(&review.ApprovedAt, "approved-at", "", "since `when`; now unless given")
	flags.StringVar(&review.ExpiresAt, "expires-at", "", "until `when`")
	flags.StringVar(&output, "output", "", "the `file` that the approval is written to; it must not exist")
	required(cmd, "plan", "reviewer", "output")
	cmd.RunE = c.Run(func(context.Context, []string) (cli.Result, error) {
		// An empty variable of a script is no wish for an approval without an end.
		for _, name := range []string{"approved-at", "expires-at"} {
			if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
				return cli.Result{}, usage(cmd, "--%s is empty", name)
			}
		}
		if err := personApproves(c); err != nil {
			return cli.Result{}, err
		}
		p, err := guard.LoadPlan(resolve(c, plan))
		if err != nil {
			return cli.Result{}, err
		}
		approval, err := newGuard(c, false).Approve(p, review)
		if err != nil {
			return cli.Result{}, err
		}
		if err := write(resolve(c, output), approval.JSON); err != nil {
			return cli.Result{}, err
		}
		return cli.Result{Value: approval.JSON, Text: func(p *cli.Page) {
			p.Line(p.Green("approved"), "  ", approval.PlanID, " by ", approval.Reviewer)
			p.Line(p.Dim("next: "), "hound execute --driver <manifest> --plan ", plan, " --approval ", output)
		}}, nil
	})
	return cmd
}
