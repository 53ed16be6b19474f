package hcpx

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
)

type availabilityResult struct {
	OK             bool               `json:"ok"`
	Home           string             `json:"home"`
	SandboxDefault bool               `json:"sandbox_default"`
	Packs          []hcp.Availability `json:"packs"`
	Activated      []string           `json:"activated"`
	Installed      []string           `json:"installed"`
}

func availabilityCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:               "availability [pack_id]",
		Long:              "Reports for every installed pack, or one, whether it is installed, activated and connected, and for each command whether it may run now and why not. Nothing is run.",
		Example:           "hcpx availability ledger --json",
		ValidArgsFunction: completeInstalled(c),
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			rt, err := Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			result, err := availability(ctx, rt, args)
			return cli.Result{Value: result, Text: result.print}, err
		}),
	}
}

func availability(ctx context.Context, rt *local.Runtime, only []string) (availabilityResult, error) {
	result := availabilityResult{OK: true, Home: rt.Store.Home(), SandboxDefault: true, Packs: []hcp.Availability{}}
	var err error
	if result.Installed, err = rt.Store.InstalledIDs(); err != nil {
		return result, err
	}
	state, err := rt.Store.State()
	if err != nil {
		return result, err
	}
	result.Activated = state.Activated
	if len(only) == 0 {
		only = result.Installed
	}
	for _, id := range only {
		row, err := rt.Availability(ctx, id)
		if err != nil {
			return result, err
		}
		result.Packs = append(result.Packs, row)
	}
	return result, nil
}

func (r availabilityResult) print(p *cli.Page) {
	for i, pack := range r.Packs {
		if i > 0 {
			p.Line()
		}
		var stages []string
		for _, s := range pack.Status {
			stages = append(stages, string(s))
		}
		line := []any{p.Bold(pack.PackID), "  ", strings.Join(stages, " · ")}
		if pack.Reason != "" {
			line = append(line, "  ", p.Yellow(pack.Reason))
		}
		p.Line(line...)
		var rows [][]any
		for _, v := range pack.Verbs {
			state := any(p.Green("may run"))
			if !v.Executable {
				state = p.Yellow(v.Reason)
			}
			rows = append(rows, []any{"  " + v.VerbKey, string(v.Operation), string(v.Land), state})
		}
		p.Table(rows)
	}
}
