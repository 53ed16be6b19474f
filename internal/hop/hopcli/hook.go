package hopcli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"bridle/internal/hop/hook"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

func hookCommand(c *cli.Call) *cobra.Command {
	var project, user bool
	cmd := &cobra.Command{
		Use:     "hook <client|install|uninstall> [client] [--project|--user]",
		Long:    "Installs hooks in an agent client (claude, codex, cursor, gemini or opencode), so that the client itself records each message before its model hears it, what each tool changed, and the answer: for this project, or with --user for all projects that have Hop. What is in the client's file stays as it is; uninstall takes the hooks out again.\n\nWith a client's name alone it takes one event of that client on standard input. It never holds the client up: a fault is told in one line on standard error.",
		Example: "hop hook install claude\nhop hook install codex --user\nhop hook uninstall claude",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			switch verb := args[0]; {
			case verb != "install" && verb != "uninstall":
				return takeEvent(ctx, c, args)
			case len(args) < 2:
				return cli.Result{}, fault.Newf(cli.CodeUsage, "missing <client>").WithHint("for example: hop hook %s claude", verb)
			case project && user:
				return cli.Result{}, fault.New(cli.CodeUsage, "--project and --user exclude each other")
			default:
				return installHooks(ctx, c, verb, args[1], user)
			}
		}),
	}
	cmd.Flags().BoolVar(&project, "project", false, "for this project, which is also what happens without a flag")
	cmd.Flags().BoolVar(&user, "user", false, "for all projects of the user")
	return cmd
}

// takeEvent handles one event of a client. Whatever happens, the client is told to
// go on.
func takeEvent(ctx context.Context, c *cli.Call, args []string) (cli.Result, error) {
	client, err := hook.Find(args[0])
	if err != nil {
		return cli.Result{}, err
	}
	if len(args) > 1 {
		return cli.Result{}, fault.Newf(cli.CodeUsage, "unexpected argument %q", args[1])
	}
	var answer []byte
	data, err := io.ReadAll(io.LimitReader(c.Stdin, hook.MaxPayload+1))
	if err != nil {
		answer, _ = client.GoOn("")
	} else {
		answer, err = client.Handle(ctx, hook.Around{Surroundings: surroundings(c), Env: c.Env.Get}, data)
	}
	if err != nil {
		f := fault.From(err)
		note(c, f.Message+hintOf(f))
	}
	return cli.Result{Raw: string(answer)}, nil
}

func hintOf(f *fault.Error) string {
	if f.Hint == "" {
		return ""
	}
	return " (" + f.Hint + ")"
}

func installHooks(ctx context.Context, c *cli.Call, verb, name string, user bool) (cli.Result, error) {
	client, err := hook.Find(name)
	if err != nil {
		return cli.Result{}, err
	}
	place, err := hookPlace(c, user)
	if err != nil {
		return cli.Result{}, err
	}
	if verb == "uninstall" {
		done, err := client.Uninstall(ctx, place)
		text := "Took the hooks of " + done.Client + " out of " + done.Path
		if done.Reason != "" {
			text = "Left " + done.Path + " as it is: " + done.Reason
		}
		return cli.Result{Value: ok(done), Raw: text}, err
	}
	done, snippet, err := client.Install(ctx, place)
	if err != nil {
		if snippet != "" && !c.JSON {
			aside(c, func(p *cli.Page) { p.Lines(snippet) })
		}
		return cli.Result{}, fault.From(err).Because(&op.Details{Snippet: snippet})
	}
	text := "Installed the hooks of " + done.Client + " in " + done.Path
	if done.Action == "same" {
		text = "The hooks of " + done.Client + " are in " + done.Path + " already"
	}
	if done.Advice != "" {
		note(c, done.Advice)
	}
	if !onPath(c.Env.Get("PATH")) {
		note(c, "hop is not on the PATH, where the client will look for it")
	}
	return cli.Result{Value: ok(done), Raw: text}, nil
}

// onPath reports whether the program would be found by its name.
func onPath(path string) bool {
	return slices.ContainsFunc(filepath.SplitList(path), func(dir string) bool {
		for _, name := range []string{Name, Name + ".exe"} {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
				return true
			}
		}
		return false
	})
}

// hookPlace is where hooks go: into the project that the caller is in, or into the
// user's own configuration.
func hookPlace(c *cli.Call, user bool) (hook.Place, error) {
	s := surroundings(c)
	if !user {
		root, err := op.Locate(s)
		return hook.Place{Scope: hook.Project, Root: root, Records: filepath.Join(root, ".hop", "hooks")}, err
	}
	data, err := op.DataFolder(s)
	return hook.Place{
		Scope: hook.User, Home: c.Home, CodexHome: c.Env.Get("CODEX_HOME"), ConfigHome: c.Env.Get("XDG_CONFIG_HOME"),
		Records: filepath.Join(data, "hooks"),
	}, err
}
