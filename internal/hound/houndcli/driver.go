package houndcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/internal/kernel/cli"
)

func driverCommand(c *cli.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use: "driver <check|init>",
		Long: "driver check --driver <manifest> asks the driver whether it is there and speaks the protocol.\n" +
			"driver init <folder> writes a manifest and a driver that works.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "missing <check|init>")
			}
			return usage(cmd, "unknown command %q", "driver "+args[0])
		},
	}
	cmd.RunE = c.Run(func(context.Context, []string) (cli.Result, error) { return cli.Result{}, nil })
	cmd.AddCommand(driverCheckCommand(c))
	return cmd
}

func driverCheckCommand(c *cli.Call) *cobra.Command {
	var manifest string
	cmd := &cobra.Command{
		Use:     "check --driver <manifest>",
		Short:   "ask a driver whether it speaks the protocol",
		Example: "hound driver check --driver hound-driver.json",

		DisableFlagsInUseLine: true,
	}
	cmd.Flags().StringVar(&manifest, "driver", "", "the driver's manifest, a `file`")
	required(cmd, "driver")
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		response, err := newGuard(c).Check(ctx, resolve(c, manifest))
		if err != nil {
			return cli.Result{}, err
		}
		return cli.Result{Value: response.Raw, Exit: exitOf(response.Outcome)}, nil
	})
	return cmd
}
