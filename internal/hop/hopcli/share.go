package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func shareCommand(c *cli.Call) *cobra.Command {
	var r op.ShareRequest
	cmd := &cobra.Command{
		Use:     "share <remote> [--follow] [--publish]",
		Long:    "Exchanges states, prompts, evidence and proposals with a git remote, both ways, under refs/hop/ alone: no branch and no file is touched. What comes is verified first, and what is refused is named. The accepted line follows the remote's where that continues it; with --follow also where something landed here that the remote does not have. With --publish the remote's follows ours where that goes on from it: what landed or was undone here without the remote.",
		Example: "hop share origin\nhop undo && hop share origin --publish",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			r.Remote = args[0]
			s, end := watched(c)
			p, done, err := op.Share(ctx, s, r)
			end()
			if err != nil {
				return cli.Result{}, err
			}
			if err := p.Close(); err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(done), Raw: sharedText(done)}, nil
		}),
	}
	cmd.Flags().BoolVar(&r.Follow, "follow", false, "take the remote's accepted line in the place of ours")
	cmd.Flags().BoolVar(&r.Publish, "publish", false, "put our accepted line on the remote where it is ahead")
	return cmd
}

func sharedText(s hop.Shared) string {
	var b strings.Builder
	b.WriteString("Shared with " + s.Remote + " · received " + total(s.Received) + " · sent " + total(s.Sent) + "\n")
	for _, list := range []struct {
		sign  string
		parts []hop.SharedPart
	}{{"< ", s.Received}, {"> ", s.Sent}} {
		for _, p := range list.parts {
			what := p.Attempt
			if what == "" {
				what = "accepted line of " + p.Machine
			}
			b.WriteString("  " + list.sign + what + " · " + plural(len(p.States), "state", "states") + "\n")
		}
	}
	for _, r := range s.Refused {
		b.WriteString("Refused " + r.Ref + ": " + r.Reason + "\n")
	}
	b.WriteString("Accepted: " + strings.ReplaceAll(s.AcceptedStatus, "_", " ") + " · " + s.Accepted.ID + "\n")
	for _, w := range s.Warnings {
		b.WriteString("Note: " + w + "\n")
	}
	return b.String()
}

func total(parts []hop.SharedPart) string {
	n := 0
	for _, p := range parts {
		n += p.Operations
	}
	return plural(n, "operation", "operations")
}
