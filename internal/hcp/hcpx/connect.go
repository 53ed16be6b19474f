package hcpx

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/store"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type connectResult struct {
	OK        bool     `json:"ok"`
	Connected string   `json:"connected"`
	All       []string `json:"all"`
}

func connectCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:               "connect <pack_id>",
		Long:              "Establishes the Binding of an activated pack: the credential that its commands use. It needs the grant pack.connect. A public pack has nothing to connect.",
		Example:           "hcpx connect ledger",
		ValidArgsFunction: completeActivated(c),
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			rt, err := Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			id := args[0]
			if err := rt.Connect(ctx, id); err != nil {
				if fault.Is(err, store.CodeNotActivated) && rt.Store.Installed(id) {
					return cli.Result{}, fault.Newf(store.CodeNotActivated, "not activated: %s — hcpx activate %s", id, id).
						WithHint("activate the pack, then connect it").WithNext("hcpx activate " + id)
				}
				return cli.Result{}, err
			}
			state, err := rt.Store.State()
			if err != nil {
				return cli.Result{}, err
			}
			result := connectResult{OK: true, Connected: id, All: state.Connected}
			return cli.Result{Value: result, Text: func(p *cli.Page) {
				p.Line(p.Green("connected"), " ", p.Bold(id))
			}}, nil
		}),
	}
}
