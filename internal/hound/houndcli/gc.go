package houndcli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"bridle/internal/hound/archive"
	"bridle/internal/kernel/cli"
)

type gcResult struct {
	SchemaVersion string        `json:"schema_version"`
	Root          string        `json:"root"`
	DryRun        bool          `json:"dry_run"`
	Removed       []archive.Run `json:"removed"`
	// Evidence are records that are old enough and stay: pending or damaged.
	Evidence []archive.Run `json:"evidence"`
}

func gcCommand(c *cli.Call) *cobra.Command {
	var driver string
	var keep, days int
	var dry bool
	cmd := &cobra.Command{
		Use: "gc [--driver <manifest>] [--keep <n>] [--older-than <days>] [--dry-run]",
		Long: "Removes old run records. The digest of each record's index stays in pruned.jsonl beside the records, so that a proof made of it can still be checked. " +
			"Records that are pending or do not verify stay.",
		Args:    noArguments,
		Example: "hound gc --keep 20 --older-than 90\nhound gc --dry-run",
	}
	flags := cmd.Flags()
	flags.StringVar(&driver, "driver", "", "the driver's manifest, a `file`")
	flags.IntVar(&keep, "keep", 50, "how `many` of the newest stay")
	flags.IntVar(&days, "older-than", 0, "only what is older than so many `days`")
	flags.BoolVar(&dry, "dry-run", false, "say what would go, and remove nothing")
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		if keep < 0 || days < 0 {
			return cli.Result{}, usage(cmd, "--keep and --older-than take numbers that are not negative")
		}
		root, err := runRoot(c, driver)
		if err != nil {
			return cli.Result{}, err
		}
		runs, err := archive.List(root)
		if err != nil {
			return cli.Result{}, err
		}
		rule := archive.Rule{Keep: keep}
		if days > 0 {
			rule.Before = c.Clock.Now().Add(-time.Duration(days) * 24 * time.Hour)
		}
		gone, evidence := archive.Choose(runs, rule)
		if !dry {
			if err := archive.Remove(ctx, root, gone, c.Clock.Now()); err != nil {
				return cli.Result{}, err
			}
		}
		r := gcResult{SchemaVersion: "hound.gc.v1", Root: root, DryRun: dry, Removed: gone, Evidence: evidence}
		return cli.Result{Value: r, Text: r.print}, nil
	})
	return cmd
}

func (r gcResult) print(p *cli.Page) {
	verb := "removed "
	if r.DryRun {
		verb = "would remove "
	}
	p.Line(verb, count(len(r.Removed), "record", "records"))
	p.Table(runRows(p, r.Removed))
	if len(r.Evidence) > 0 {
		p.Line()
		p.Line(p.Yellow("kept"), "  ", count(len(r.Evidence), "record is", "records are"), " pending or damaged")
		p.Table(runRows(p, r.Evidence))
	}
}
