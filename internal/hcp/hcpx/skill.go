package hcpx

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// skillLimit is how much of a Skill is printed by default. A Skill is one
// screen; one that is longer costs whoever reads it.
const skillLimit = 48 << 10

type skillResult struct {
	OK     bool   `json:"ok"`
	PackID string `json:"pack_id"`
	Skill  string `json:"skill"`
	// Size is the whole length in bytes where Skill is only the beginning.
	Size int      `json:"size,omitzero"`
	Next []string `json:"next,omitempty"`
}

func skillCommand(c *cli.Call) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:               "skill <pack_id>",
		Long:              "Prints the Skill of an activated pack: how to call its commands well.",
		Example:           "hcpx skill transit",
		ValidArgsFunction: completeActivated(c),
	}
	cmd.Flags().BoolVar(&all, "all", false, "also print what lies beyond the first 48 KiB")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		rt, err := Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		result, err := skill(ctx, rt, args[0])
		if err != nil {
			return cli.Result{}, err
		}
		if len(result.Skill) > skillLimit && !all {
			result.Size = len(result.Skill)
			result.Skill = cutText(result.Skill, skillLimit)
			result.Next = []string{"hcpx skill " + args[0] + " --all"}
		}
		return cli.Result{Value: result, Raw: result.Skill}, nil
	})
	return cmd
}

// skill returns the Skill of a pack that is activated and unchanged.
func skill(ctx context.Context, rt *local.Runtime, id string) (skillResult, error) {
	if _, err := rt.Store.Verify(ctx, id); err != nil {
		return skillResult{}, err
	}
	p, err := rt.Store.Pack(id)
	if err != nil {
		return skillResult{}, err
	}
	if p.Skill == "" {
		return skillResult{}, fault.Newf("no_skill", "no skill for %s", id).
			WithHint("the pack's HARNESS.md is empty; its commands are listed by the next command").
			WithNext("hcpx commands " + id)
	}
	return skillResult{OK: true, PackID: id, Skill: p.Skill}, nil
}
