package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func purgeCommand(c *cli.Call) *cobra.Command {
	var r op.PurgeRequest
	cmd := &cobra.Command{
		Use:     "purge [fingerprint…] [--path PATH]… [--blob ID]… [--dry-run]",
		Long:    "Takes a credential out of every checkpoint and proposal of this machine's attempts, by the fingerprint that hop propose named, by the path of a file, or by the git id of a content. States keep their ids. The old bytes are erased from git's object store, from workspaces and from the checkouts of checks. What still has them, such as the accepted history, a branch, or another machine, is named.",
		Example: "hop purge 5e884898da280471",
		Args:    cobra.ArbitraryArgs,
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			r.Fingerprints = args
			done, err := in(ctx, c, func(p *op.Project) (hop.Purge, error) { return p.Purge(ctx, r) })
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(done), Raw: purgeText(done)}, nil
		}),
	}
	cmd.Flags().StringArrayVar(&r.Paths, "path", nil, "a file whose every content goes")
	cmd.Flags().StringArrayVar(&r.Blobs, "blob", nil, "the git id of a content")
	cmd.Flags().BoolVar(&r.DryRun, "dry-run", false, "only look")
	return cmd
}

func purgeText(d hop.Purge) string {
	var b strings.Builder
	word := "Purged "
	if d.DryRun {
		word = "Would purge "
	}
	b.WriteString(word + plural(len(d.Blobs), "content", "contents") + " · " + plural(len(d.States), "state", "states") + " rewritten · " +
		plural(d.Erased, "object", "objects") + " erased\n")
	for _, blob := range d.Blobs {
		b.WriteString("  " + strings.Join(blob.Paths, ", ") + "\n")
	}
	for _, file := range d.Cleaned {
		b.WriteString("Cleaned " + file + "\n")
	}
	for _, left := range d.Left {
		b.WriteString("Still there: " + left + "\n")
	}
	return b.String()
}
