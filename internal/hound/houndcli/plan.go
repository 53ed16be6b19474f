package houndcli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"bridle/hound/guard"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/redact"
)

func planCommand(c *cli.Call) *cobra.Command {
	var f callFlags
	var output string
	cmd := &cobra.Command{
		Use: "plan --driver <manifest> --operation <name> --as-of <date> --output <file> [--input <file> | --json <text>]",
		Long: "Asks the driver what it would change and binds the answer to everything it depends on: kernel, manifest, environment, input, and the state of the repository. " +
			"The plan goes to a new file and to standard output.",
		Example: "hound plan --driver hound-driver.json --operation notes.write --json '{\"text\":\"hi\"}' --as-of 2026-01-02 --output /tmp/plan.json",
	}
	f.register(c, cmd)
	cmd.Flags().StringVar(&output, "output", "", "the `file` that the plan is written to; it must not exist")
	open := guardFlags(c, cmd)
	required(cmd, "as-of", "output")
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		call, err := f.call(c, cmd)
		if err != nil {
			return cli.Result{}, err
		}
		g := open()
		plan, err := g.Plan(ctx, call)
		if err != nil {
			return cli.Result{}, err
		}
		if err := write(resolve(c, output), plan.JSON); err != nil {
			return cli.Result{}, err
		}
		warnIfStale(ctx, c, g, call.Manifest, resolve(c, output))
		return cli.Result{Value: plan.JSON, Text: func(p *cli.Page) {
			p.Line(p.Green("planned"), "  ", plan.PlanID)
			p.Line(p.Dim("next: "), "hound show ", output)
		}}, nil
	})
	return cmd
}

// warnIfStale says so when the file of the plan is part of what the plan is bound
// to. The plan stands all the same: moving the file away makes it hold again.
func warnIfStale(ctx context.Context, c *cli.Call, g *guard.Guard, manifest, output string) {
	disturbs, err := g.Disturbs(ctx, manifest, output)
	if err == nil && disturbs {
		_, _ = fmt.Fprintf(c.Stderr, "hound: warning: %s lies in the repository and git does not ignore it, so the plan is out of date already; "+
			"move the file elsewhere or have it ignored\n", redact.Visible(output))
	}
}
