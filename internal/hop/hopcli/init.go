package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

// initialized is the JSON form of init, which has no data member.
type initialized struct {
	OK      bool      `json:"ok"`
	Root    string    `json:"root"`
	State   hop.State `json:"state"`
	Created bool      `json:"created"`
	Rebuilt bool      `json:"rebuilt,omitzero"`
	Notes   []string  `json:"problems,omitempty"`
	// Incomplete names what the first accepted state could not hold.
	Incomplete []hop.Problem `json:"incomplete,omitempty"`
}

func initCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "init [path]",
		Example: "cd ~/src/shop && hop init",
		Long:    "Makes a project of the git repository that the folder lies in, and a repository where there is none. The project as it is becomes the first accepted state. An existing project is left as it is; one whose folder was removed is made anew from git.",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			folder := "."
			if len(args) > 0 {
				folder = args[0]
			}
			s, end := watched(c)
			p, done, err := op.Init(ctx, s, folder)
			end()
			if err != nil {
				return cli.Result{}, err
			}
			defer p.Close()
			warnIncomplete(c, done.Incomplete)
			text := "Hop is ready at " + done.Root + " · accepted " + done.State.ID
			switch {
			case done.Created:
				text = "Initialized Hop at " + done.Root + " · accepted " + done.State.ID
				if c.Terminal.Stdout && !c.JSON {
					note(c, "next: hop begin \"what is to be done\", or hop hook install claude for an agent's client")
				}
			case done.Rebuilt:
				text = "Made the index anew from git at " + done.Root + " · accepted " + done.State.ID
			}
			return cli.Result{Value: initialized{
				OK: true, Root: done.Root, State: done.State, Created: done.Created, Rebuilt: done.Rebuilt, Notes: done.Problems, Incomplete: done.Incomplete,
			}, Raw: text}, nil
		}),
	}
}
