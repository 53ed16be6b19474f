package hopcli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func showCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "show [id]",
		Long:    "Tells all that is known of a state, a task, an attempt, a piece of evidence or an operation.\n\n" + defaultState,
		Example: "hop show R_06H2QFXVFW9V90E5YAZJJ68",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			s, err := in(ctx, c, func(p *op.Project) (hop.Shown, error) {
				id, err := named(ctx, p, args)
				if err != nil {
					return hop.Shown{}, err
				}
				return p.Show(ctx, id)
			})
			if err != nil {
				return cli.Result{}, err
			}
			page := func(p *cli.Page) { showPage(p, s) }
			return cli.Result{Value: ok(s), Text: page, Raw: plain(c, page)}, nil
		}),
	}
}

func showPage(p *cli.Page, s hop.Shown) {
	if s.State != nil {
		statePage(p, *s.State)
	}
	if s.Facts != nil {
		factsPage(p, *s.Facts)
	}
	if s.Task != nil {
		p.Line(p.Dim("task     "), p.Bold(s.Task.ID), "  ", string(s.Task.Status), "  ", s.Task.Title)
	}
	if s.Attempt != nil {
		p.Line(p.Dim("attempt  "), p.Bold(s.Attempt.ID), "  ", string(s.Attempt.Status), "  head=", s.Attempt.HeadStateID)
		p.Line(p.Dim("in       "), s.Attempt.Workspace)
	}
	if s.Operation != nil {
		p.Line(p.Dim("recorded "), s.Operation.ID, "  ", s.Operation.Verb, "  ", s.Operation.At.Format("2006-01-02 15:04:05"))
	}
	if s.LandedAs != "" {
		p.Line(p.Dim("landed   "), s.LandedAs)
	}
	for _, o := range s.UndoneBy {
		p.Line(p.Dim("undone   "), o.ID)
	}
	for _, a := range s.Attempts {
		p.Line("  ", a.ID, "  ", string(a.Status), "  ", a.Agent)
	}
	for _, state := range s.States {
		p.Line("  ", state.ID, "  ", string(state.Kind), "  ", text(state))
	}
	if s.Check != nil {
		p.Lines(checkText(*s.Check))
	}
	for _, k := range s.Checks {
		p.Line(p.Dim("evidence "), k.ID, "  exit ", strconv.Itoa(k.ExitCode), "  ", op.QuoteAll(k.Command))
	}
	if s.Completion != nil {
		p.Line()
		p.Line(p.Dim("answered "), s.Completion.CompletedAt.Format("2006-01-02 15:04:05"))
		p.Lines(s.Completion.FinalResponse)
	}
}

func factsPage(p *cli.Page, f hop.Facts) {
	for _, field := range []struct{ name, value string }{{"origin", f.Origin}, {"derives from", f.BaseState}, {"validated by", f.Check}} {
		if field.value != "" {
			p.Line(p.Dim(field.name), " ", field.value)
		}
	}
	for _, problem := range f.Incomplete {
		p.Line(p.Yellow("missing"), " ", problem.Path, " (", problem.Reason, ")")
	}
	for _, path := range f.Conflicts {
		p.Line(p.Yellow("conflict"), " ", path)
	}
}

// text says in one line what a state is about.
func text(s hop.State) string {
	if s.Summary != "" {
		return firstLine(s.Summary)
	}
	return firstLine(s.Prompt)
}
