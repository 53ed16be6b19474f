package hcpx

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/lint"
	"bridle/internal/kernel/cli"
)

type lintResult struct {
	OK     bool            `json:"ok"`
	PackID string          `json:"pack_id"`
	Issues []hcp.LintIssue `json:"issues"`
	Notes  []string        `json:"notes,omitempty"`
}

func lintCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "lint <pack_dir>",
		Long:    "Checks the three files of a pack against each other. Nothing is run and nothing is changed. Any issue makes the exit code 1; a pack with issues cannot be installed.",
		Example: "hcpx lint ./packs/ledger --json",
		RunE: c.Run(func(_ context.Context, args []string) (cli.Result, error) {
			report, err := lint.Dir(inDir(c, args[0]))
			if err != nil {
				return cli.Result{}, err
			}
			result := lintResult{OK: len(report.Issues) == 0, PackID: report.PackID, Issues: report.Issues, Notes: report.Notes}
			if result.Issues == nil {
				result.Issues = []hcp.LintIssue{}
			}
			out := cli.Result{Value: result, Text: result.print}
			if !result.OK {
				out.Exit = 1
			}
			return out, nil
		}),
	}
}

func (r lintResult) print(p *cli.Page) {
	for _, issue := range r.Issues {
		p.Line(p.Red(string(issue.Kind)), " ", p.Bold(issue.Key), ": ", issue.Message)
	}
	for _, note := range r.Notes {
		p.Line(p.Dim("note: "), note)
	}
	if r.OK {
		p.Line(p.Green("ok"), "  ", r.PackID, " has no issues")
	}
}

// inDir takes a path relative to the caller's working directory.
func inDir(c *cli.Call, path string) string {
	if filepath.IsAbs(path) || c.Dir == "" {
		return path
	}
	return filepath.Join(c.Dir, path)
}
