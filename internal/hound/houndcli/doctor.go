package houndcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/internal/kernel/cli"
)

func doctorCommand(c *cli.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use: "doctor",
		Long: "Tries what the other commands need: git, the supervisor that ends what drivers leave behind, and a look at the repository around the working directory. " +
			"It exits 1 when something is missing.",
		Example: "hound doctor",
	}
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		out := deepAnswer(newGuard(c, false).Examine(ctx, c.Dir))
		if r, ok := out.Value.(deepResult); ok {
			r.SchemaVersion = "hound.doctor.v1"
			out.Value = r
		}
		return out, nil
	})
	return cmd
}
