package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

func opsCommand(c *cli.Call) *cobra.Command {
	limit := 50
	cmd := &cobra.Command{
		Use:     "ops [--limit N]",
		Example: "hop ops --limit 5",
		Long:    "Lists what was done, newest first. hop undo --op takes one of them back.",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			if limit < 1 {
				return cli.Result{}, fault.New(cli.CodeUsage, "--limit is a number above 0")
			}
			list, err := in(ctx, c, func(p *op.Project) ([]hop.Operation, error) { return p.Operations(ctx, limit) })
			if err != nil {
				return cli.Result{}, err
			}
			var b strings.Builder
			for _, o := range list {
				b.WriteString(o.ID + "  " + o.At.Format("2006-01-02 15:04:05") + "  " + o.Verb)
				if o.Undoes != "" {
					b.WriteString("  undoes=" + o.Undoes)
				}
				if len(o.States) > 0 {
					b.WriteString("  " + strings.Join(o.States, " "))
				}
				b.WriteByte('\n')
			}
			return cli.Result{Value: ok(list), Raw: b.String()}, nil
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "how many operations")
	return cmd
}
