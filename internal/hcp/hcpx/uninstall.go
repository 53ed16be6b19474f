package hcpx

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/access"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type uninstallResult struct {
	OK          bool     `json:"ok"`
	Uninstalled string   `json:"uninstalled"`
	DataKept    string   `json:"data_kept,omitempty"`
	Notes       []string `json:"notes,omitempty"`
}

func uninstallCommand(c *cli.Call) *cobra.Command {
	var confirm, data bool
	cmd := &cobra.Command{
		Use:     "uninstall <pack_id>",
		Long:    "Removes a pack from the session and from the store. What its program keeps for itself, such as a login, stays unless --data is given. An agent has to pass --confirm, after the user agreed.",
		Example: "hcpx uninstall transit",
	}
	cmd.Flags().BoolVar(&confirm, "confirm", false, "the user agreed to this removal")
	cmd.Flags().BoolVar(&data, "data", false, "remove the data of the pack's program as well")
	cmd.ValidArgsFunction = completeInstalled(c)
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		rt, err := Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		id := args[0]
		if agentSign(c) != "" && !confirm {
			return cli.Result{}, fault.New(access.CodeConfirmRequired, access.ErrorConfirmRequired).
				WithHint("removing %q asks: show the user what goes, and add --confirm only after they agreed", id).
				WithNext("hcpx uninstall " + id + " --confirm")
		}
		var done store.UninstallResult
		err = rt.Attribute(ctx, id, func() error {
			done, err = rt.Store.Uninstall(ctx, id, store.UninstallOptions{RemoveData: data})
			return err
		})
		if err != nil {
			return cli.Result{}, err
		}
		result := uninstallResult{OK: true, Uninstalled: done.Uninstalled, DataKept: done.DataKept, Notes: done.Notes}
		return cli.Result{Value: result, Text: result.print}, nil
	})
	return cmd
}

func (r uninstallResult) print(p *cli.Page) {
	p.Line(p.Green("removed"), " ", p.Bold(r.Uninstalled))
	if r.DataKept != "" {
		p.Line(p.Dim("kept: "), r.DataKept)
	}
	NotesAndNext(p, r.Notes, nil)
}
