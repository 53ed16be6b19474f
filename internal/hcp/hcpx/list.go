package hcpx

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type listResult struct {
	OK    bool      `json:"ok"`
	Home  string    `json:"home"`
	Packs []listRow `json:"packs"`
}

type listRow struct {
	PackID      string   `json:"pack_id"`
	Name        string   `json:"name,omitempty"`
	AdapterKind hcp.Kind `json:"adapter_kind,omitempty"`
	Commands    int      `json:"commands"`
	Activated   bool     `json:"activated"`
	Dir         string   `json:"dir"`
	Error       string   `json:"error,omitempty"`
}

func listCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Long:    "Lists the installed packs with their adapter, the number of their commands, whether they are activated, and their folder.",
		Example: "hcpx list",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			rt, err := Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			result, err := list(rt)
			return cli.Result{Value: result, Text: result.print}, err
		}),
	}
}

func list(rt *local.Runtime) (listResult, error) {
	result := listResult{OK: true, Home: rt.Store.Home(), Packs: []listRow{}}
	ids, err := rt.Store.InstalledIDs()
	if err != nil {
		return result, err
	}
	state, err := rt.Store.State()
	if err != nil {
		return result, err
	}
	for _, id := range ids {
		row := listRow{PackID: id, Activated: state.IsActivated(id), Dir: rt.Store.PackDir(id)}
		if p, err := rt.Store.Pack(id); err != nil {
			row.Error = fault.From(err).Message
		} else {
			row.Name, row.AdapterKind, row.Commands = p.Manifest.Name, p.Kind, len(p.Keys())
		}
		result.Packs = append(result.Packs, row)
	}
	return result, nil
}

func (r listResult) print(p *cli.Page) {
	rows := [][]any{{p.Dim("pack"), p.Dim("adapter"), p.Dim("commands"), p.Dim("state")}}
	for _, row := range r.Packs {
		state := p.Dim("installed")
		switch {
		case row.Error != "":
			state = p.Red(row.Error)
		case row.PackID == hcp.BootstrapPack:
			state = p.Green("always on")
		case row.Activated:
			state = p.Green("activated")
		}
		rows = append(rows, []any{p.Bold(row.PackID), string(row.AdapterKind), strconv.Itoa(row.Commands), state})
	}
	p.Table(rows)
}
