package houndcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/kernel/cli"
)

func executeCommand(c *cli.Call) *cobra.Command {
	var driver, plan, approval string
	cmd := &cobra.Command{
		Use: "execute --driver <manifest> --plan <file> [--approval <file>]",
		Long: "Makes the plan once more, refuses it unless it comes out the same, and has the driver carry it out. " +
			"Then everything in the repository is compared with the plan. A run leaves a record, also a failed one; nothing is put back.",
		Example: "hound execute --driver hound-driver.json --plan plan.json --approval approval.json",
	}
	flags := cmd.Flags()
	flags.StringVar(&driver, "driver", "", "the driver's manifest, a `file`")
	flags.StringVar(&plan, "plan", "", "the plan, a `file`")
	flags.StringVar(&approval, "approval", "", "the approval of the plan, a `file`")
	open := guardFlags(c, cmd)
	required(cmd, "driver", "plan")
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		p, err := guard.LoadPlan(resolve(c, plan))
		if err != nil {
			return cli.Result{}, err
		}
		var a *guard.Approval
		if approval != "" {
			if a, err = guard.LoadApproval(resolve(c, approval)); err != nil {
				return cli.Result{}, err
			}
		}
		result, err := open().Execute(ctx, resolve(c, driver), p, a)
		if err != nil {
			return cli.Result{}, err
		}
		out, err := answer(result)
		out.Text = func(p *cli.Page) { printRun(c, p, result) }
		return out, err
	})
	return cmd
}

func printRun(c *cli.Call, p *cli.Page, r *hound.RunResult) {
	p.Line(p.Green(string(r.Outcome)), "  ", count(len(r.ChangedPaths), "file", "files"), " changed, exactly as planned")
	for _, path := range r.ChangedPaths {
		p.Line("  ", path)
	}
	p.Line(p.Dim("record "), r.RunDir)
	p.Line(p.Dim("next: "), "hound verify ", nearby(c, r.RunDir))
}
