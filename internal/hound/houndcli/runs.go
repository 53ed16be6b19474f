package houndcli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bridle/hound"
	"bridle/internal/hound/archive"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type runsResult struct {
	SchemaVersion string        `json:"schema_version"`
	Root          string        `json:"root"`
	Runs          []archive.Run `json:"runs"`
	// Problem is what is wrong with the list of removed records.
	Problem string `json:"problem,omitzero"`
}

func runsCommand(c *cli.Call) *cobra.Command {
	var driver string
	cmd := &cobra.Command{
		Use: "runs [--driver <manifest>]",
		Long: "Lists the run records, the newest last: what was done, whether the record verifies, and the digest of its index, which is what to keep elsewhere.\n" +
			"Without a driver these are the records in .hound/runs of the repository around the working directory.",
		Args:    noArguments,
		Example: "hound runs\nhound runs --driver hound-driver.json",
	}
	cmd.Flags().StringVar(&driver, "driver", "", "the driver's manifest, a `file`")
	cmd.RunE = c.Run(func(context.Context, []string) (cli.Result, error) {
		root, err := runRoot(c, driver)
		if err != nil {
			return cli.Result{}, err
		}
		runs, err := archive.List(root)
		if err != nil {
			return cli.Result{}, err
		}
		r := runsResult{SchemaVersion: "hound.runs.v1", Root: root, Runs: runs}
		out := cli.Result{}
		if _, err := record.PrunedPlans(root); err != nil {
			r.Problem, out.Exit = fault.From(err).Message, hound.ExitFailed
		}
		out.Value, out.Text = r, r.print
		return out, nil
	})
	return cmd
}

func (r runsResult) print(p *cli.Page) {
	if r.Problem != "" {
		p.Line(p.Red("fails"), "  ", r.Problem)
	}
	if len(r.Runs) == 0 {
		p.Line(p.Dim("no runs in " + r.Root))
		return
	}
	p.Table(runRows(p, r.Runs))
	for _, run := range r.Runs {
		if run.State == archive.StateFailed || run.State == archive.StateHeld {
			p.Line(p.Dim(run.PlanID[:12]), "  ", run.Error)
		}
	}
	p.Line(p.Dim("the digests to keep elsewhere: hound runs --json, or hound anchor"))
}

func runRows(p *cli.Page, runs []archive.Run) [][]any {
	rows := make([][]any, len(runs))
	for i, run := range runs {
		state := p.Red(run.State)
		switch run.State {
		case archive.StateOK:
			state = p.Green(run.State)
		case archive.StateHeld, archive.StatePending:
			state = p.Yellow(run.State)
		}
		what := strings.TrimSpace(run.DriverID + " " + run.Operation)
		switch {
		case run.State == archive.StateInvalid:
			what = "does not verify, whatever it says"
		case run.Reviewer != "":
			what += ", approved by " + run.Reviewer
		}
		rows[i] = []any{p.Dim(run.At.Format(time.RFC3339)), run.PlanID[:12], state, what, count(len(run.Changed), "file", "files")}
	}
	return rows
}
