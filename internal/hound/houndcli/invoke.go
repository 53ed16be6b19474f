package houndcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/kernel/cli"
)

func invokeCommand(c *cli.Call) *cobra.Command {
	var f callFlags
	var compat bool
	cmd := &cobra.Command{
		Use: "invoke --driver <manifest> --operation <name> [--input <file> | --json <text>] [--as-of <date>]",
		Long: "Runs a read and prints its response with a receipt, which binds the manifest, the repository, the environment, the kernel, the request and the response. " +
			"Save the output and hound verify checks it.\nThe repository is looked at before and after: a driver that changes it is refused.",
		Example: "hound invoke --driver hound-driver.json --operation notes.read > read.json\nhound verify read.json",
	}
	f.register(c, cmd)
	open := guardFlags(c, cmd)
	cmd.Flags().BoolVar(&compat, "compat", false, "write the first version of the receipt, without the proof of cleanup")
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		call, err := f.call(c, cmd)
		if err != nil {
			return cli.Result{}, err
		}
		invocation, err := open().Invoke(ctx, call, guard.Compat(compat))
		if err != nil {
			return cli.Result{}, err
		}
		return cli.Result{Value: invocation.Result, Exit: exitOf(invocation.Outcome)}, nil
	})
	return cmd
}

// exitOf is the exit code of a driver's answer.
func exitOf(outcome hound.Outcome) int {
	switch outcome {
	case hound.OutcomeFailed:
		return hound.ExitFailed
	case hound.OutcomeHeld:
		return hound.ExitHeld
	default:
		return hound.ExitOK
	}
}
