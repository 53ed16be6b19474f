package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func landCommand(c *cli.Call) *cobra.Command { return landVerb(c, "land") }

func acceptCommand(c *cli.Call) *cobra.Command { return landVerb(c, "accept") }

// landVerb builds land and accept; accept never touches the visible folder.
func landVerb(c *cli.Call, verb string) *cobra.Command {
	var sync bool
	var remote string
	flags := " [--remote REMOTE]"
	if verb == "land" {
		flags = " [--sync]" + flags
	}
	cmd := &cobra.Command{
		Use:     verb + " [proposal…]" + flags + " [-- <command> [argument…]]",
		Long:    "Composes the proposals with the accepted state, runs the command on the result in a clean checkout, and makes it the accepted state. Nothing of yours is touched: no branch, no file. Paths that both sides changed block it with exit code 20, a moved head with 21, a failed command with 22.\n\nWithout a proposal it is the newest state of the attempt that " + hop.EnvState + " or the current folder belongs to.",
		Example: "hop " + verb + " R_06H2QFXVFW9V90E5YAZJJ68 -- go test ./...",
		Args:    cobra.ArbitraryArgs,
	}
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		states, command, err := afterDash(cmd, args, 0, false)
		if err != nil {
			return cli.Result{}, err
		}
		landed, err := in(ctx, c, func(p *op.Project) (hop.Landed, error) {
			if len(states) == 0 {
				id, err := or(nil, func() (string, error) { return p.CurrentProposal(ctx) })
				if err != nil {
					return hop.Landed{}, err
				}
				states = []string{id}
			}
			return p.Land(ctx, op.LandRequest{Verb: verb, Proposals: states, Command: command, Sync: sync, Remote: remote})
		})
		if err != nil {
			showRefusal(c, err)
			return cli.Result{}, err
		}
		if c.Terminal.Stdout && !c.JSON && landed.Sync == nil && verb == "land" {
			note(c, "your files are as they were; hop sync writes the result into them, hop undo takes it back")
		}
		return cli.Result{Value: ok(landed), Raw: landedText(landed, len(command) > 0)}, nil
	})
	if verb == "land" {
		cmd.Flags().BoolVar(&sync, "sync", false, "also write the result into the visible folder, where that is safe")
	}
	cmd.Flags().StringVar(&remote, "remote", "", "also publish it on a remote, where nobody may have landed meanwhile")
	return cmd
}

// showRefusal lists for a person what a program finds in the JSON.
func showRefusal(c *cli.Call, err error) {
	d := op.DetailsOf(err)
	if c.JSON {
		return
	}
	if d.Check != nil {
		showCheck(c, *d.Check)
	}
	if d.Overlap == nil {
		return
	}
	aside(c, func(p *cli.Page) {
		p.Line("changed on both sides:")
		for _, o := range d.Overlap.Paths {
			other := ""
			if o.Other != "" {
				other = " and " + o.Other
			}
			p.Line("  ", p.Yellow(o.Path+other), " (", strings.ReplaceAll(o.Kind, "_", " "), ")")
		}
	})
}

func landedText(l hop.Landed, validated bool) string {
	var b strings.Builder
	b.WriteString("Accepted as " + l.State.ID + " · tree " + short(l.State.SourceTree) + "\n")
	switch {
	case l.Already:
		b.WriteString("It had landed before; nothing was changed.\n")
	case !validated:
		b.WriteString("No command validated it.\n")
	}
	for _, r := range l.Rejected {
		b.WriteString("Not landed: " + r.Error + "\n")
	}
	if l.Published != "" {
		b.WriteString("Published on " + l.Published + "\n")
	}
	if l.Sync != nil {
		b.WriteString("Visible folder: " + strings.ReplaceAll(l.Sync.Status, "_", " ") + "\n")
	}
	return b.String()
}
