package houndcli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/hound/archive"
	"bridle/internal/kernel/cli"
)

type explainResult struct {
	SchemaVersion string             `json:"schema_version"`
	PlanID        string             `json:"plan_id"`
	Holds         bool               `json:"holds"`
	Executed      string             `json:"executed,omitzero"` // the record, when it was, or the list of removed ones
	Differences   []guard.Difference `json:"differences"`
}

func explainCommand(c *cli.Call) *cobra.Command {
	var driver string
	cmd := &cobra.Command{
		Use: "explain <plan> --driver <manifest>",
		Long: "Says whether a plan still holds, and if not, which of its inputs moved: kernel, manifest, environment, repository, file by file. " +
			"When none did, the driver is asked to plan again, to see whether it proposes the same. Nothing is executed.",
		Example: "hound explain plan.json --driver hound-driver.json",
		Args:    one("plan"),
	}
	cmd.Flags().StringVar(&driver, "driver", "", "the driver's manifest, a `file`")
	open := guardFlags(c, cmd)
	required(cmd, "driver")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		p, err := guard.LoadPlan(resolve(c, args[0]))
		if err != nil {
			return cli.Result{}, err
		}
		found, err := open().Explain(ctx, resolve(c, driver), p)
		if err != nil {
			return cli.Result{}, err
		}
		executed, err := open().Executed(resolve(c, driver), p)
		if err != nil {
			return cli.Result{}, err
		}
		r := explainResult{SchemaVersion: "hound.explain.v1", PlanID: p.PlanID, Holds: len(found) == 0 && executed == "", Executed: executed, Differences: found}
		if r.Differences == nil {
			r.Differences = []guard.Difference{}
		}
		out := cli.Result{Value: r, Text: func(p *cli.Page) { r.print(c, p) }}
		if !r.Holds {
			out.Exit = hound.ExitRefused
		}
		return out, nil
	})
	return cmd
}

func (r explainResult) print(c *cli.Call, p *cli.Page) {
	if r.Holds {
		p.Line(p.Green("holds"), "  the plan would be executed as it is, given its approval")
		return
	}
	if r.Executed != "" {
		p.Line(p.Red("executed"), "  a plan is executed once, and this one was")
		if filepath.Base(r.Executed) == archive.Journal {
			p.Line("its record was removed since: ", nearby(c, r.Executed))
		} else {
			p.Line(p.Dim("next: "), "hound verify ", nearby(c, r.Executed))
		}
	}
	if len(r.Differences) == 0 {
		return
	}
	p.Line(p.Red("out of date"), "  ", count(len(r.Differences), "input differs", "inputs differ"))
	var rows [][]any
	own := 0 // files of its own record
	for _, d := range r.Differences {
		if strings.Contains(d.Detail, r.PlanID+"/") {
			own++
			continue
		}
		rows = append(rows, []any{"  " + d.Input, d.Detail})
	}
	if own > 0 {
		rows = append(rows, []any{"  its own record", count(own, "file", "files") + ", which git does not ignore"})
	}
	p.Table(rows)
}
