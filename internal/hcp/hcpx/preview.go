package hcpx

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/card"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type previewResult struct {
	OK       bool                 `json:"ok"`
	PackID   string               `json:"pack_id"`
	Command  string               `json:"command"`
	PackName string               `json:"pack_name,omitempty"`
	Summary  string               `json:"summary,omitempty"`
	Access   access.Decision      `json:"access"`
	Reason   string               `json:"reason"`
	Args     []hcp.CallArg        `json:"args"`
	View     *hcp.ApprovalView    `json:"view"`
	Options  []hcp.ApprovalOption `json:"options"`
	CLI      string               `json:"cli,omitempty"`
}

func previewCommand(c *cli.Call) *cobra.Command {
	var object string
	cmd := &cobra.Command{
		Use:               "preview <pack_id> <command> [--args '{…}'] [-- k=v …]",
		Long:              "Shows the card that a person would see for a call, and the exact command line. Nothing runs and nothing is recorded.",
		Example:           "hcpx preview ledger transfer -- amount=2.80 payee=demo-transit",
		ValidArgsFunction: completeExec(c),
		Args:              cobra.ArbitraryArgs,
	}
	cmd.Flags().StringVar(&object, "args", "", "the arguments as one `JSON` object")
	cmd.RunE = c.Run(func(ctx context.Context, words []string) (cli.Result, error) {
		names, pairs := words, []string(nil)
		if at := cmd.ArgsLenAtDash(); at >= 0 {
			names, pairs = words[:at], words[at:]
		}
		if len(names) != 2 {
			return cli.Result{}, fault.New(cli.CodeUsage, "preview takes a pack and one of its commands").WithHint("usage: %s", cmd.UseLine()).WithNext("hcpx commands")
		}
		args, err := callArgs(object, cmd.Flags().Changed("args"), pairs)
		if err != nil {
			return cli.Result{}, err
		}
		rt, err := Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		result, err := preview(rt, names[0], names[1], args)
		return cli.Result{Value: result, Text: result.print}, err
	})
	return cmd
}

func preview(rt *local.Runtime, id, key string, args hcp.Args) (previewResult, error) {
	rest, control, err := command.SplitControl(args)
	if err != nil {
		return previewResult{}, err
	}
	request, verdict, err := rt.Preview(id, key, rest, control.Confirmed)
	if err != nil {
		return previewResult{}, err
	}
	return previewResult{
		OK: true, PackID: id, Command: key, PackName: request.PackName, Summary: request.Summary,
		Access: verdict.Decision, Reason: verdict.Reason, Args: request.Args, View: request.View, Options: request.Options, CLI: request.CLI,
	}, nil
}

func (r previewResult) print(p *cli.Page) {
	name := r.PackName
	if name == "" {
		name = r.PackID
	}
	p.Flow(card.Show(name), p.Dim(" · "+card.Show(r.Summary)))
	p.Line()
	printCard(p, &hcp.ApprovalRequest{Command: r.Command, View: r.View, CLI: r.CLI})
	p.Line()
	p.Flow(decisionWord(p, string(r.Access)), p.Dim("  "+r.Reason))
}
