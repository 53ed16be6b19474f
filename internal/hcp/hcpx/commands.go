package hcpx

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/access"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// mostCommands is how many commands one answer lists unless a pack is named:
// what an agent reads has a price.
const mostCommands = 100

type commandsResult struct {
	OK    bool                 `json:"ok"`
	Packs []local.PackCommands `json:"packs"`
	// More names the packs whose commands did not fit.
	More []string `json:"more,omitempty"`
	// Notes say which activated packs cannot be read, and why.
	Notes []string `json:"notes,omitempty"`
	Next  []string `json:"next,omitempty"`
}

func commandsCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:               "commands [pack_id]",
		Long:              "Lists the commands of the activated packs, or of one pack: what each does, whether it reads or writes, what the access settings decide, its arguments, and a line ready to run.",
		Example:           "hcpx commands transit --json",
		ValidArgsFunction: completeInstalled(c),
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			rt, err := Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			result, err := listCommands(ctx, rt, args)
			return cli.Result{Value: result, Text: result.print}, err
		}),
	}
}

func listCommands(ctx context.Context, rt *local.Runtime, only []string) (commandsResult, error) {
	result := commandsResult{OK: true, Packs: []local.PackCommands{}}
	named := len(only) > 0
	if !named {
		state, err := rt.Store.State()
		if err != nil {
			return result, err
		}
		only = state.Activated
	}
	total := 0
	for _, id := range only {
		row, err := rt.Commands(ctx, id, Name)
		if err != nil && named {
			return result, err
		}
		if err != nil {
			f := fault.From(err)
			result.Notes = append(result.Notes, fmt.Sprintf("pack %s is left out: %s", id, f.Message))
			result.Next = append(result.Next, f.Next...)
			continue
		}
		total += len(row.Commands)
		if !named && total > mostCommands && len(result.Packs) > 0 {
			result.More = append(result.More, id)
			result.Next = append(result.Next, "hcpx commands "+id)
			continue
		}
		result.Packs = append(result.Packs, row)
	}
	if len(only) == 0 {
		result.Next = []string{"hcpx list", "hcpx search --json"}
		if waiting := notYetActivated(rt); waiting != "" {
			result.Next[1] = "hcpx activate " + waiting
		}
	}
	return result, nil
}

// notYetActivated is an installed pack that waits for its activation, or "".
func notYetActivated(rt *local.Runtime) string {
	ids, err := rt.Store.InstalledIDs()
	state, stateErr := rt.Store.State()
	if err != nil || stateErr != nil {
		return ""
	}
	for _, id := range ids {
		if !state.MayRun(id) {
			return id
		}
	}
	return ""
}

func (r commandsResult) print(p *cli.Page) {
	for i, pack := range r.Packs {
		if i > 0 {
			p.Line()
		}
		p.Line(p.Bold(pack.PackID), "  ", p.Dim(pack.About))
		for _, cmd := range pack.Commands {
			p.Line("  ", p.Bold(cmd.Command), "  ", string(cmd.Operation), "  ", decision(p, cmd))
			if cmd.Description != "" {
				p.Line("    ", cmd.Description)
			}
			p.Line("    ", p.Dim(cmd.Run))
		}
	}
	NotesAndNext(p, r.Notes, r.Next)
}

func decision(p *cli.Page, cmd local.CommandInfo) cli.Styled {
	switch {
	case cmd.Reason != "":
		return p.Red(cmd.Reason)
	case cmd.Access == access.Allow:
		return p.Green("allow")
	case cmd.Access == access.Ask:
		return p.Yellow("ask")
	default:
		return p.Red(string(cmd.Access))
	}
}
