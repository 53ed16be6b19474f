package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func doctorCommand(c *cli.Call) *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:     "doctor [--repair]",
		Example: "hop doctor\nhop doctor --repair",
		Long:    "Looks whether index, records, refs and working copies agree. With --repair, the index is made anew from git and refs are put right; nothing is dropped. The exit code is 0 when all agree, 1 when something is left.",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			s, end := watched(c)
			found, err := op.Doctor(ctx, s, repair)
			end()
			if err != nil {
				return cli.Result{}, err
			}
			exit := hop.ExitOK
			if !found.OK {
				exit = hop.ExitInternal
			}
			return cli.Result{Value: ok(found), Raw: doctorText(found), Exit: exit}, nil
		}),
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "bring them to agree")
	return cmd
}

func doctorText(d hop.Diagnosis) string {
	var b strings.Builder
	for _, text := range d.Repairs {
		b.WriteString("Repaired: " + text + "\n")
	}
	for _, text := range d.Problems {
		b.WriteString("Problem: " + text + "\n")
	}
	for _, text := range d.Warnings {
		b.WriteString("Note: " + text + "\n")
	}
	if d.OK {
		b.WriteString("Hop project is healthy · " + d.AcceptedState + "\n")
	}
	return b.String()
}
