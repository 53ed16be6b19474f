package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func configCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "config",
		Example: "hop config",
		Long:    "Shows the project's configuration as it is in force, and the file that it is read from.",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			s, err := in(ctx, c, func(p *op.Project) (op.Settings, error) { return p.Settings(), nil })
			if err != nil {
				return cli.Result{}, err
			}
			page := func(p *cli.Page) {
				list := func(words []string) string { return strings.Join(words, ", ") }
				p.Table([][]any{
					{p.Dim("file"), s.File},
					{p.Dim("workspaces"), s.Workspaces},
					{p.Dim("overlap"), s.Overlap},
					{p.Dim("max_file"), plural(int(s.MaxFile), "byte", "bytes")},
					{p.Dim("seed.copy"), list(s.SeedCopy)},
					{p.Dim("seed.link"), list(s.SeedLink)},
					{p.Dim("setup.command"), op.QuoteAll(s.Setup)},
					{p.Dim("setup.timeout"), s.SetupTimeout},
					{p.Dim("check.timeout"), s.CheckTimeout},
					{p.Dim("check.caches"), list(s.Caches)},
					{p.Dim("gc.idle_after"), s.IdleAfter},
				})
			}
			return cli.Result{Value: ok(s), Text: page, Raw: plain(c, page)}, nil
		}),
	}
}
