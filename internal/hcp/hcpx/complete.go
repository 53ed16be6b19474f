package hcpx

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
)

// completer is cobra's function for completing a word.
type completer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeInstalled offers the ids of installed packs.
func completeInstalled(c *cli.Call) completer {
	return complete(c, func(rt *local.Runtime, _ []string) []string {
		ids, err := rt.Store.InstalledIDs()
		if err != nil {
			return nil
		}
		return ids
	})
}

// completeActivated offers the ids of activated packs.
func completeActivated(c *cli.Call) completer {
	return complete(c, func(rt *local.Runtime, _ []string) []string {
		state, err := rt.Store.State()
		if err != nil {
			return nil
		}
		return state.Activated
	})
}

// completeExec offers packs, then the commands of the pack.
func completeExec(c *cli.Call) completer {
	return complete(c, func(rt *local.Runtime, words []string) []string {
		state, err := rt.Store.State()
		switch {
		case err != nil || len(words) > 1:
			return nil
		case len(words) == 0:
			return state.Activated
		}
		p, err := rt.Store.Pack(words[0])
		if err != nil {
			return nil
		}
		return p.Keys()
	})
}

// complete opens the store for a completion. Whatever goes wrong offers
// nothing: a shell has no place for an error there.
func complete(c *cli.Call, words func(*local.Runtime, []string) []string) completer {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		rt, err := Open(ctx, c)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(rt, args), cobra.ShellCompDirectiveNoFileComp
	}
}
