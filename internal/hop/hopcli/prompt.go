package hopcli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

func startCommand(c *cli.Call) *cobra.Command { return promptVerb(c, "start") }

func promptCommand(c *cli.Call) *cobra.Command { return promptVerb(c, "prompt") }

// promptVerb builds start and prompt, which are one command under two names.
func promptVerb(c *cli.Call, verb string) *cobra.Command {
	var text source
	var r op.PromptRequest
	cmd := &cobra.Command{
		Use:     verb + " [text] [--from STATE] [--agent NAME] [--stdin|--heredoc]",
		Long:    "Records the instruction before anybody is given it. From a state of an attempt it is a follow-up: what the workspace holds is recorded first. Otherwise it starts a new attempt, from the accepted head or from the accepted state that is named.",
		Example: "hop start --agent codex \"Add password reset emails\"\nhop prompt --from P_06H2QFXVFW9V90E5YAZJJ68 \"Use the existing mailer\"",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			var err error
			if r.Text, err = text.read(c, args); err != nil {
				return cli.Result{}, err
			}
			started, err := within(ctx, c, func(p *op.Project) (hop.Started, error) { return p.Prompt(ctx, verb, r) })
			if err != nil {
				return cli.Result{}, err
			}
			warn(c, started)
			return cli.Result{Value: ok(started), Raw: startedText(started)}, nil
		}),
	}
	text.flags(cmd)
	cmd.Flags().StringVar(&r.Agent, "agent", "", "who will act on it")
	cmd.Flags().StringVar(&r.From, "from", "", "the state to go on from")
	return cmd
}

func startedText(s hop.Started) string {
	var out strings.Builder
	if s.Checkpoint != nil {
		out.WriteString("Checkpointed " + s.Checkpoint.ID + " before the follow-up\n")
	}
	out.WriteString("Created prompt state " + s.Prompt.ID + " before delivery\n")
	out.WriteString("Workspace: " + s.Workspace + "\n")
	quoted := make([]string, 0, len(s.Deliver))
	for _, entry := range s.Deliver[:4] {
		name, value, _ := strings.Cut(entry, "=")
		quoted = append(quoted, name+"="+op.Quote(value))
	}
	out.WriteString("Environment: " + strings.Join(quoted, " ") + "\n")
	return out.String()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
