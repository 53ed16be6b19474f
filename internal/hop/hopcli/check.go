package hopcli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/redact"
)

func checkCommand(c *cli.Call) *cobra.Command {
	var reuse bool
	cmd := &cobra.Command{
		Use:     "check [state] [--reuse] -- <command> [argument…]",
		Long:    "Records the workspace of the state's attempt, then runs the command in a clean checkout of exactly that. Command, exit code and output are recorded whether it succeeds or not; a command that fails ends hop with exit code 22.\n\n" + defaultState,
		Example: "hop check -- go test ./...\nhop check P_06H2QFXVFW9V90E5YAZJJ68 -- make test",
		Args:    cobra.ArbitraryArgs,
	}
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		states, command, err := afterDash(cmd, args, 1, true)
		if err != nil {
			return cli.Result{}, err
		}
		check, err := in(ctx, c, func(p *op.Project) (hop.Check, error) {
			id, err := named(ctx, p, states)
			if err != nil {
				return hop.Check{}, err
			}
			return p.Check(ctx, op.CheckRequest{State: id, Command: command, Reuse: reuse})
		})
		if d := op.DetailsOf(err); d.Check != nil && !c.JSON {
			warnIncomplete(c, d.Check.Incomplete)
			showCheck(c, *d.Check)
		}
		if err != nil {
			return cli.Result{}, err
		}
		warnIncomplete(c, check.Incomplete)
		return cli.Result{Value: ok(check), Raw: checkText(check)}, nil
	})
	cmd.Flags().BoolVar(&reuse, "reuse", false, "answer from earlier evidence about the same run, where it succeeded")
	return cmd
}

// checkText is a piece of evidence for a person.
func checkText(k hop.Check) string {
	var b strings.Builder
	b.WriteString("$ " + op.QuoteAll(k.Command) + "\n" + k.Output)
	if k.Output != "" && !strings.HasSuffix(k.Output, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString("Check " + k.ID + " · exit " + strconv.Itoa(k.ExitCode) + " · tree " + short(k.TreeHash) + "\n")
	return b.String()
}

// showCheck prints the evidence of a command that failed, which is a result of
// its own beside the failure.
func showCheck(c *cli.Call, k hop.Check) {
	text := checkText(k)
	if c.Terminal.Stdout {
		text = redact.VisibleLines(text)
	}
	_, _ = c.Stdout.Write([]byte(text))
}
