package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func statusCommand(c *cli.Call) *cobra.Command {
	var root bool
	cmd := &cobra.Command{
		Use:     "status [--root]",
		Example: "hop status\nhop status --root",
		Long:    "Shows the accepted head and the attempts that may go on. With --root also whether the visible folder is in step with what is accepted, and which edits there are yours.",
		Args:    cobra.ArbitraryArgs,
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			s, err := in(ctx, c, func(p *op.Project) (hop.Overview, error) {
				if root {
					return p.StatusOfRoot(ctx)
				}
				return p.Status(ctx)
			})
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(s), Raw: statusText(s), Text: func(p *cli.Page) { statusPage(p, s) }}, nil
		}),
	}
	cmd.Flags().BoolVar(&root, "root", false, "also look at the visible folder")
	return cmd
}

func statusText(s hop.Overview) string {
	var b strings.Builder
	b.WriteString("Root: " + s.Root + "\nAccepted: " + s.AcceptedHead.ID + " · " + firstLine(s.AcceptedHead.Summary) + "\n")
	if s.RootStatus != "" {
		b.WriteString("Visible folder: " + s.RootStatus + " · " + s.RootState + "\n")
		for _, path := range s.RootPaths {
			b.WriteString("  " + path + "\n")
		}
	}
	for _, id := range s.Stale {
		b.WriteString("Stale: " + id + " started from a commit that your branch no longer has\n")
	}
	for _, a := range s.Attempts {
		b.WriteString(a.ID + "  " + string(a.Status) + "  head=" + a.HeadStateID + "  " + a.Workspace + "\n")
	}
	for _, w := range s.Warnings {
		b.WriteString("Note: " + w + "\n")
	}
	return b.String()
}

func statusPage(p *cli.Page, s hop.Overview) {
	p.Line(p.Dim("root      "), s.Root)
	p.Line(p.Dim("accepted  "), p.Bold(s.AcceptedHead.ID), "  ", firstLine(s.AcceptedHead.Summary))
	if s.RootStatus != "" {
		p.Line(p.Dim("folder    "), s.RootStatus, " with ", s.RootState)
		for _, path := range s.RootPaths {
			p.Line("          ", path)
		}
	}
	for _, id := range s.Stale {
		p.Line(p.Yellow("stale"), "     ", id, " started from a commit that your branch no longer has")
	}
	rows := [][]any{}
	for _, a := range s.Attempts {
		rows = append(rows, []any{p.Bold(a.ID), a.Agent, string(a.Status), "head=" + a.HeadStateID, p.Dim(a.Workspace)})
	}
	p.Table(rows)
	if len(s.Attempts) == 0 {
		p.Line(p.Dim("no attempt is open"))
	}
	for _, w := range s.Warnings {
		p.Line(p.Yellow("note"), ": ", w)
	}
}

// firstLine is the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
