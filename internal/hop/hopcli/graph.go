package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func graphCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "graph",
		Example: "hop graph --json",
		Long:    "Lists every state with its parents, oldest first. hop log draws the newest.",
		Args:    cobra.ArbitraryArgs,
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			nodes, err := in(ctx, c, func(p *op.Project) ([]hop.Node, error) { return p.Graph(ctx) })
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{Value: ok(nodes), Raw: graphText(nodes)}, nil
		}),
	}
}

func graphText(nodes []hop.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(string(n.State.Kind) + "  " + n.State.ID)
		for _, parent := range n.Parents {
			b.WriteString("  " + string(parent.Role) + "=" + parent.StateID)
		}
		text := n.State.Summary
		if text == "" {
			text = n.State.Prompt
		}
		if line := firstLine(text); line != "" {
			b.WriteString("  " + line)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
