package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/redact"
)

func syncCommand(c *cli.Call) *cobra.Command {
	var r op.SyncRequest
	cmd := &cobra.Command{
		Use:     "sync [--branch] [--adopt]",
		Example: "hop sync\nhop sync --branch",
		Long:    "Writes the accepted files into the project's visible folder, where that overwrites nothing of yours; otherwise nothing is written, and the exit code is 23. Branch, HEAD and index stay as they are, unless --branch is given.",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			done, err := in(ctx, c, func(p *op.Project) (hop.Synced, error) { return p.Sync(ctx, r) })
			if err != nil {
				showPaths(c, err)
				return cli.Result{}, err
			}
			warnIncomplete(c, done.Incomplete)
			text := "Visible folder: " + strings.ReplaceAll(done.Status, "_", " ") + " · " + done.State + "\n"
			for _, path := range done.Paths {
				text += "  " + redact.Visible(path) + "\n"
			}
			return cli.Result{Value: ok(done), Raw: text}, nil
		}),
	}
	cmd.Flags().BoolVar(&r.Branch, "branch", false, "also move the checked-out branch on to the accepted commit")
	cmd.Flags().BoolVar(&r.Adopt, "adopt", false, "first take your edits in as an accepted state")
	return cmd
}

// showPaths lists for a person the paths that a failure is about.
func showPaths(c *cli.Call, err error) {
	paths := op.DetailsOf(err).Paths
	if c.JSON || len(paths) == 0 {
		return
	}
	aside(c, func(p *cli.Page) {
		for _, path := range paths {
			p.Line("  ", path)
		}
	})
}
