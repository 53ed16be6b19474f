package hcpx

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/kernel/cli"
)

type deactivateResult struct {
	OK        bool     `json:"ok"`
	Activated []string `json:"activated"`
	Connected []string `json:"connected"`
}

func deactivateCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:               "deactivate <pack_id> [pack_id…]",
		Long:              "Takes packs off the session and drops their connections. They stay installed.",
		Example:           "hcpx deactivate ledger",
		ValidArgsFunction: completeActivated(c),
		RunE: c.Run(func(ctx context.Context, ids []string) (cli.Result, error) {
			rt, err := Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			state, err := rt.Store.Deactivate(ctx, ids)
			if err != nil {
				return cli.Result{}, err
			}
			result := deactivateResult{OK: true, Activated: state.Activated, Connected: state.Connected}
			return cli.Result{Value: result, Text: func(p *cli.Page) {
				p.Line(p.Green("deactivated"), " ", strings.Join(ids, ", "))
			}}, nil
		}),
	}
}
