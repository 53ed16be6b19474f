package hopcli

import (
	"context"
	"strconv"
	"strings"
	"time"

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
	var rows [][]any
	row := func(name string, value ...any) { rows = append(rows, append([]any{p.Dim(name)}, value...)) }
	if s.State != nil {
		rows = stateRows(p, *s.State)
	}
	if s.Facts != nil {
		factRows(p, *s.Facts, row)
	}
	if s.Attempt != nil {
		row("attempt", p.Bold(s.Attempt.ID))
		row("status", statusSign(p, s.Attempt.Status))
		row("head", s.Attempt.HeadStateID)
		row("workspace", s.Attempt.Workspace)
	}
	if s.Task != nil {
		row("task", p.Bold(s.Task.ID))
		row("status", string(s.Task.Status))
		row("title", s.Task.Title)
	}
	if s.Operation != nil {
		row("operation", s.Operation.ID)
		row("done by", "hop "+s.Operation.Verb+" at "+s.Operation.At.Format("2006-01-02 15:04:05 MST"))
	}
	if s.LandedAs != "" {
		row("landed as", p.Green(s.LandedAs))
	}
	for _, o := range s.UndoneBy {
		row("undone by", o.ID)
	}
	p.Table(rows)
	if len(s.Attempts)+len(s.States)+len(s.Checks) > 0 {
		p.Line()
	}
	for _, a := range s.Attempts {
		p.Line(statusSign(p, a.Status), "  ", a.ID, "  ", a.Agent)
	}
	for _, state := range s.States {
		p.Line(append([]any{glyph(p, state.Kind), "  "}, caption(p, state, time.Time{}, 3)...)...)
	}
	for _, k := range s.Checks {
		p.Line(append(runLine(p, hop.Run{Command: k.Command, ExitCode: k.ExitCode}), p.Dim(" · "+k.ID))...)
	}
	if s.Check != nil {
		p.Lines(checkText(*s.Check))
	}
	if s.State != nil {
		stateTexts(p, *s.State)
	}
	if s.Completion != nil {
		p.Line()
		p.Line(p.Dim("answered at " + s.Completion.CompletedAt.Format("2006-01-02 15:04:05 MST")))
		p.Lines(s.Completion.FinalResponse)
	}
}

// factRows are what is known of a state beside what its digest covers.
func factRows(p *cli.Page, f hop.Facts, row func(name string, value ...any)) {
	for _, field := range []struct{ name, value string }{{"origin", f.Origin}, {"derives from", f.BaseState}, {"validated by", f.Check}} {
		if field.value != "" {
			row(field.name, field.value)
		}
	}
	for _, r := range f.Redactions {
		row("redacted", strconv.Itoa(r.Count)+" "+strings.ReplaceAll(r.Kind, "_", " "))
	}
	for _, problem := range f.Incomplete {
		row("missing", p.Yellow(problem.Path+" ("+problem.Reason+")"))
	}
	for _, path := range f.Conflicts {
		row("conflict", p.Yellow(path))
	}
}

// text says in one line what a state is about.
func text(s hop.State) string {
	if s.Summary != "" {
		return firstLine(s.Summary)
	}
	return firstLine(s.Prompt)
}
