package houndcli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"bridle/internal/hound/anchor"
	"bridle/internal/hound/document"
	"bridle/internal/hound/identity"
	"bridle/internal/kernel/cli"
)

func exportCommand(c *cli.Call) *cobra.Command {
	var dir, output string
	var dsse bool
	cmd := &cobra.Command{
		Use: "export <run> --dsse [--output <file>] [--identity <folder>]",
		Long: "Writes an in-toto statement about a run that did what was planned, signed as a DSSE envelope: which files it left, with their hashes, " +
			"and by which plan, driver, kernel and approval. Other tools check it with the public key that hound identity show prints.\n" +
			"The statement of a run is the same, byte for byte, whenever it is made.",
		Example: "hound export .hound/runs/ed2aa55077cd4b89… --dsse --output run.dsse.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if !dsse {
				return usage(cmd, "missing --dsse, the form to export to")
			}
			return one("run")(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&dsse, "dsse", false, "as a DSSE envelope with an in-toto statement")
	flags.StringVar(&output, "output", "", "the `file` that the envelope is written to; it must not exist")
	identityFlag(cmd, &dir)
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (out cli.Result, err error) {
		statement, err := anchor.Attest(resolve(c, args[0]))
		if err != nil {
			return cli.Result{}, err
		}
		err = withIdentity(ctx, c, dir, identity.Open, func(s *identity.Store) error {
			key, err := s.Key()
			if err != nil {
				return err
			}
			envelope, err := key.Envelop(anchor.PayloadType, statement)
			if err != nil {
				return err
			}
			if envelope, err = document.Canonical(json.RawMessage(envelope)); err != nil {
				return err
			}
			if output != "" {
				if err := write(resolve(c, output), envelope); err != nil {
					return err
				}
			}
			out.Value = json.RawMessage(envelope)
			out.Text = func(p *cli.Page) {
				p.Line(p.Green("signed"), "  by ", key.Public())
				p.Lines(string(envelope))
			}
			return nil
		})
		return out, err
	})
	return cmd
}
