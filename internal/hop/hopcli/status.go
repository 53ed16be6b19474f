package hopcli

import (
	"context"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

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
			var titles map[string]string
			s, err := within(ctx, c, func(p *op.Project) (hop.Overview, error) {
				look := p.Status
				if root {
					look = p.StatusOfRoot
				}
				s, err := look(ctx)
				if err == nil && c.Terminal.Stdout && !c.JSON {
					titles, err = p.Titles(ctx, s.Attempts)
				}
				return s, err
			})
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(s), Raw: statusText(s), Text: func(p *cli.Page) { statusPage(p, s, titles, c.Clock.Now()) }}, nil
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

func statusPage(p *cli.Page, s hop.Overview, titles map[string]string, now time.Time) {
	p.Line(p.Dim("root      "), s.Root)
	p.Line(p.Dim("accepted  "), p.Green("●"), " ", p.Bold(s.AcceptedHead.ID), "  ", firstLine(s.AcceptedHead.Summary), p.Dim(" · "+ago(now, s.AcceptedHead.CreatedAt)))
	if s.RootStatus != "" {
		p.Line(p.Dim("folder    "), s.RootStatus, " with ", s.RootState)
		for _, path := range s.RootPaths {
			p.Line("          ", path)
		}
	}
	for _, id := range s.Stale {
		p.Line(p.Yellow("stale"), "     ", id, " started from a commit that your branch no longer has")
	}
	p.Line()
	if len(s.Attempts) == 0 {
		p.Line(p.Dim("no attempt is open; hop begin \"what is to be done\" starts one"))
	}
	for _, a := range s.Attempts {
		agent := strings.TrimSuffix(" · "+a.Agent, " · ")
		title := fitting(p, titles[a.ID], len("o  ")+len(a.Status)+utf8.RuneCountInString(agent))
		p.Line(statusSign(p, a.Status), " ", p.Bold(title), p.Dim(agent))
		p.Line(p.Dim("  in    "), below(s.Root, a.Workspace))
		p.Line(p.Dim("  next  "), nextOf(a))
	}
	for _, w := range s.Warnings {
		p.Line(p.Yellow("note"), ": ", w)
	}
}

// statusSign is the status of an attempt in the colour of what it waits for.
func statusSign(p *cli.Page, s hop.Status) cli.Styled {
	text := strings.ReplaceAll(string(s), "_", " ")
	switch s {
	case hop.StatusProposed:
		return p.Yellow("◆ " + text)
	case hop.StatusChangesRequested, hop.StatusReconciling:
		return p.Red("× " + text)
	default:
		return p.Dim("○ " + text)
	}
}

// nextOf is the command that goes on with an attempt.
func nextOf(a hop.Attempt) string {
	switch a.Status {
	case hop.StatusProposed:
		return "hop land " + a.HeadStateID + " -- COMMAND"
	case hop.StatusChangesRequested:
		return "hop show " + a.HeadStateID
	case hop.StatusReconciling:
		return "resolve the conflicts, then hop propose " + a.HeadStateID
	case hop.StatusParked:
		return "hop resume " + a.HeadStateID
	default:
		return "eval \"$(hop env " + a.HeadStateID + ")\""
	}
}

// below is a path as it is seen from the root.
func below(root, path string) string {
	if inside, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(inside) {
		return inside
	}
	return path
}

// firstLine is the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
