package hopcli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func beginCommand(c *cli.Call) *cobra.Command {
	var text source
	var r op.PromptRequest
	cmd := &cobra.Command{
		Use:     "begin [text] [--agent NAME] [--session ID] [--from STATE] [--stdin|--heredoc]",
		Long:    "Records the instruction, exactly as it was given but for credentials, and then makes a workspace for it. In a session that is known, the instruction continues the session's attempt, and what its workspace holds is recorded first. Where there is no project, one is made.",
		Example: "hop begin --agent codex --heredoc <<'END'\nAdd password reset emails\nEND",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			var err error
			if r.Text, err = text.read(c, args); err != nil {
				return cli.Result{}, err
			}
			r.Agent, r.Session = identity(c.Env, r.Agent, r.Session)
			s, end := watched(c)
			p, begun, err := op.Begin(ctx, s, r)
			end()
			if err != nil {
				return cli.Result{}, err
			}
			defer p.Close()
			warn(c, begun.Started)
			return cli.Result{Value: ok(begun), Raw: begunText(begun, p.Layout.Root)}, nil
		}),
	}
	text.flags(cmd)
	cmd.Flags().StringVar(&r.Agent, "agent", "", "who will act on it; HOP_AGENT, else the client's own name, when absent")
	cmd.Flags().StringVar(&r.Session, "session", "", "the conversation that it belongs to; the client's own id when absent")
	cmd.Flags().StringVar(&r.From, "from", "", "the state to go on from")
	return cmd
}

func begunText(b hop.Begun, root string) string {
	var out strings.Builder
	if b.Initialized {
		out.WriteString("Initialized Hop at " + root + "\n")
	}
	if b.Checkpoint != nil {
		out.WriteString("Checkpointed " + b.Checkpoint.ID + " before the follow-up\n")
	}
	out.WriteString("Captured prompt state " + b.Prompt.ID + " before project effects\n")
	out.WriteString("Workspace: " + b.Workspace + "\n")
	out.WriteString("Use HOP_STATE_ID=" + b.Prompt.ID + " HOP_TASK_ID=" + b.Task.ID + " HOP_ATTEMPT_ID=" + b.Attempt.ID + " for this turn.\n")
	return out.String()
}

// warn tells people what a program reads from the JSON.
func warn(c *cli.Call, s hop.Started) {
	if c.JSON {
		return
	}
	total := 0
	for _, r := range s.Redactions {
		total += r.Count
	}
	if total > 0 {
		note(c, plural(total, "credential was", "credentials were")+" replaced before anything was recorded")
	}
	warnIncomplete(c, s.Incomplete)
	if s.External != nil {
		note(c, "your commits were taken in as "+s.External.ID)
	}
	for _, w := range s.Warnings {
		note(c, w)
	}
}

// warnIncomplete names what could not be recorded.
func warnIncomplete(c *cli.Call, problems []hop.Problem) {
	if c.JSON {
		return
	}
	for _, problem := range problems {
		note(c, "not recorded: "+problem.Path+" ("+problem.Reason+")")
	}
}
