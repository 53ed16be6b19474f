package hcpx

import (
	"context"

	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
)

// completer offers what may stand behind arguments.
type completer = func(*cli.Command, []string, string) []string

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
	return func(cmd *cli.Command, args []string, _ string) []string {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		rt, err := Open(ctx, c)
		if err != nil {
			return nil
		}
		return words(rt, args)
	}
}
