package hopcli

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

func completeCommand(c *cli.Call) *cobra.Command {
	var text source
	var r op.CompleteRequest
	cmd := &cobra.Command{
		Use:     "complete [prompt] [--summary TEXT] --stdin|--heredoc",
		Long:    "Records the final answer to a prompt, credentials replaced, and what the workspace holds with it. The answer comes on standard input. Where nothing was changed the attempt is completed; a later prompt opens it again.\n\n" + defaultState,
		Example: "hop complete --heredoc <<'END'\nThe mailer now sends reset links; see mail.go.\nEND",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			if text.stdin == text.heredoc {
				return cli.Result{}, fault.New(cli.CodeUsage, "the answer comes on standard input: give either --stdin or --heredoc")
			}
			var err error
			if r.Response, err = text.read(c, nil); err != nil {
				return cli.Result{}, err
			}
			done, err := in(ctx, c, func(p *op.Project) (hop.Completed, error) {
				if r.State, err = named(ctx, p, args); err != nil {
					return hop.Completed{}, err
				}
				return p.Complete(ctx, r)
			})
			if err != nil {
				return cli.Result{}, err
			}
			warn(c, hop.Started{Redactions: done.Redactions})
			return cli.Result{Value: ok(done), Raw: "Recorded the answer to " + done.Completion.StateID + " · " + done.Completion.Summary}, nil
		}),
	}
	text.flags(cmd)
	cmd.Flags().StringVar(&r.Summary, "summary", "", "what it says in short; its first line when absent")
	return cmd
}
