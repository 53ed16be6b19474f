package houndcli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/hound/view"
	"bridle/internal/kernel/cli"
)

// showResult is a plan as a person looks at it.
type showResult struct {
	SchemaVersion string          `json:"schema_version"`
	PlanID        string          `json:"plan_id"`
	DriverID      string          `json:"driver_id"`
	Operation     string          `json:"operation"`
	Effect        hound.Effect    `json:"effect"`
	Gate          hound.Gate      `json:"gate"`
	AsOf          string          `json:"as_of"`
	Input         json.RawMessage `json:"input"`
	Outcome       hound.Outcome   `json:"outcome"`
	Head          string          `json:"head"`
	WriteScopes   []string        `json:"write_scopes"`
	Files         []view.File     `json:"files"`
}

func showCommand(c *cli.Call) *cobra.Command {
	var driver string
	var text bool
	cmd := &cobra.Command{
		Use: "show <plan> [--driver <manifest>]",
		Long: "Shows what a plan changes: each file as a diff with its modes where the bytes are known, hashes where they are not. " +
			"The plan need not hold any more. A run record is shown by its plan.\n" +
			"The bytes before come from the working file or from HEAD, when their hash is the planned one; the bytes after from the driver's artifacts.",
		Args:    one("plan"),
		Example: "hound show plan.json\nhound show .hound/runs/ed2aa55077cd4b89…",
	}
	cmd.Flags().StringVar(&driver, "driver", "", "the driver's manifest, a `file`, which locates the repository")
	cmd.Flags().BoolVar(&text, "text", false, "print for people also where the output is no terminal")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		path := resolve(c, args[0])
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = filepath.Join(path, hound.PlanFile)
		}
		p, err := guard.LoadPlan(path)
		if err != nil {
			return cli.Result{}, err
		}
		r := showResult{
			SchemaVersion: "hound.show.v1", PlanID: p.PlanID, DriverID: p.DriverID, Operation: p.Operation, Effect: p.Effect, Gate: p.Gate,
			AsOf: p.AsOf, Input: p.Input, Outcome: p.Outcome(), Head: p.RepoFingerprint.Head, WriteScopes: p.WriteScopes,
			Files: view.Files(p.Effects, p.Writes, p.Bodies(), before(ctx, c, driver)),
		}
		if text && !c.Terminal.Stdout {
			var page cli.Page
			r.print(&page)
			return cli.Result{Raw: page.String()}, nil
		}
		return cli.Result{Value: r, Text: r.print}, nil
	})
	return cmd
}

func (r showResult) print(p *cli.Page) {
	p.Line(p.Bold(r.DriverID+" "+r.Operation), "  as of ", r.AsOf, ", outcome ", string(r.Outcome))
	p.Table([][]any{
		{p.Dim("plan"), r.PlanID},
		{p.Dim("at"), r.Head},
		{p.Dim("gate"), string(r.Gate)},
		{p.Dim("may write"), strings.Join(r.WriteScopes, ", ")},
		{p.Dim("input"), string(r.Input)},
	})
	if len(r.Files) == 0 {
		p.Line()
		p.Line("It changes no file.")
	}
	for _, f := range r.Files {
		p.Line()
		printFile(p, f)
	}
}

func printFile(p *cli.Page, f view.File) {
	modes := f.ModeAfter
	if f.ModeBefore != "" && f.ModeBefore != f.ModeAfter {
		modes = strings.TrimRight(f.ModeBefore+" → "+f.ModeAfter, " →")
	}
	p.Line(p.Bold(string(f.Action)+" "+f.Path), "  ", modes)
	switch f.Shown {
	case view.ShownDiff:
		for line := range strings.Lines(f.Diff) {
			printDiffLine(p, strings.TrimRight(line, "\r\n"))
		}
	case view.ShownHashes:
		p.Line(p.Yellow("hashes only"), ": the bytes ", f.Missing, " the change are not known here")
		p.Line(p.Dim("before "), hashText(f.BeforeSHA256))
		p.Line(p.Dim("after  "), hashText(f.AfterSHA256))
	case view.ShownBinary:
		p.Line("no text, or too long to show: ", hashText(f.BeforeSHA256), " → ", hashText(f.AfterSHA256))
	case view.ShownPath:
		p.Line(p.Yellow("path only"), ": the driver does not say what it will write")
	}
}

func printDiffLine(p *cli.Page, line string) {
	switch {
	case strings.HasPrefix(line, "+"):
		p.Line(p.Green(line))
	case strings.HasPrefix(line, "-"):
		p.Line(p.Red(line))
	case strings.HasPrefix(line, "@"):
		p.Line(p.Dim(line))
	default:
		p.Line(line)
	}
}

func hashText(sum *string) string {
	if sum == nil {
		return "nothing"
	}
	return *sum
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
