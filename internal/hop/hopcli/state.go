package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func stateCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "state [state]",
		Long:    "Shows one state as it was recorded.\n\n" + defaultState,
		Example: "hop state \"$HOP_STATE_ID\" --json",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			e, err := in(ctx, c, func(p *op.Project) (ledger.Entry, error) {
				id, err := named(ctx, p, args)
				if err != nil {
					return ledger.Entry{}, err
				}
				return p.State(ctx, id)
			})
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(e.State), Text: func(p *cli.Page) { statePage(p, e.State) }, Raw: plain(c, func(p *cli.Page) { statePage(p, e.State) })}, nil
		}),
	}
}

func statePage(p *cli.Page, s hop.State) {
	p.Table(stateRows(p, s))
	stateTexts(p, s)
}

// stateRows are the members of a state.
func stateRows(p *cli.Page, s hop.State) [][]any {
	rows := [][]any{{p.Dim("state"), p.Bold(s.ID)}, {p.Dim("kind"), string(s.Kind)}}
	for _, field := range []struct{ name, value string }{
		{"task", s.TaskID},
		{"attempt", s.AttemptID},
		{"anchor", s.CanonicalAnchorID},
		{"tree", s.SourceTree},
		{"commit", s.GitCommit},
		{"agent", s.Agent},
		{"created", s.CreatedAt.Format("2006-01-02 15:04:05 MST")},
		{"digest", s.Digest},
	} {
		if field.value != "" {
			rows = append(rows, []any{p.Dim(field.name), field.value})
		}
	}
	for _, parent := range s.Parents {
		rows = append(rows, []any{p.Dim(strings.ReplaceAll(string(parent.Role), "_", " ")), parent.StateID})
	}
	return rows
}

// stateTexts are what was said.
func stateTexts(p *cli.Page, s hop.State) {
	for _, text := range []string{s.Summary, s.Prompt} {
		if text != "" {
			p.Line()
			p.Lines(text)
		}
	}
}
