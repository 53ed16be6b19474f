package houndcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hound/guard"
	"bridle/internal/kernel/cli"
)

func verifyCommand(c *cli.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify <record>",
		Long: "Checks the directory of a run, or the saved output of hound invoke: every file is there and no other, every hash and every relation between the documents recomputes. " +
			"That shows a record to be whole, not who made it.",
		Example: "hound verify .hound/runs/ed2aa55077cd4b89…\nhound verify read.json",
	}
	cmd.RunE = c.Run(func(_ context.Context, args []string) (cli.Result, error) {
		v, err := guard.Verify(resolve(c, args[0]))
		if err != nil {
			return cli.Result{}, err
		}
		out, err := answer(v)
		out.Text = func(p *cli.Page) { p.Line(p.Green("valid"), "  ", v.PlanID, v.ReceiptID) }
		return out, err
	})
	return cmd
}
