package hcpx

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/advice"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// missingCommandResult is the answer to a call that names no command: the
// pack's commands.
type missingCommandResult struct {
	OK       bool                `json:"ok"`
	PackID   string              `json:"pack_id"`
	Error    string              `json:"error"`
	Code     string              `json:"code"`
	Hint     string              `json:"hint"`
	About    string              `json:"about,omitempty"`
	Commands []local.CommandInfo `json:"commands"`
}

// ExecCommand builds the verb over the runtimes that open makes.
func ExecCommand(open Opener) func(c *cli.Call) *cobra.Command {
	return func(c *cli.Call) *cobra.Command { return execCommand(c, open) }
}

func execCommand(c *cli.Call, open Opener) *cobra.Command {
	var object string
	cmd := &cobra.Command{
		Use: "exec <pack_id> <verb_key> [--args '{…}'] [-- k=v …]",
		Long: "Runs one command of an activated pack under its Policy, the grants and the access settings, in the sandbox, and prints the result envelope. Arguments stand behind a literal --, or in --args as one JSON object where types or text with spaces matter.\n" +
			"The exit code is 1 when the result is not ok. A command that asks for confirmation runs with confirm=true, after the user agreed to exactly this call.",
		Example: "hcpx exec transit plan --json -- from=Central to=Harbour\n" +
			"hcpx exec transit plan --json --args '{\"from\":\"Central\",\"to\":\"Harbour\"}'",
		ValidArgsFunction: completeExec(c),
		Args:              cobra.ArbitraryArgs,
	}
	cmd.Flags().StringVar(&object, "args", "", "the arguments as one `JSON` object")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return argumentsAsFlags(c, cli.FlagFault(cmd, err))
	})
	cmd.RunE = c.Run(func(ctx context.Context, words []string) (cli.Result, error) {
		names, pairs := words, []string(nil)
		if at := cmd.ArgsLenAtDash(); at >= 0 {
			names, pairs = words[:at], words[at:]
		}
		if len(names) == 0 {
			return cli.Result{}, missingPack()
		}
		if len(names) > 2 {
			return cli.Result{}, misplaced(ctx, c, names, pairs)
		}
		args, err := callArgs(object, cmd.Flags().Changed("args"), pairs)
		if err != nil {
			return beforeTheRoad(c, names, err)
		}
		rt, err := open(ctx, c)
		if err != nil {
			return beforeTheRoad(c, names, err)
		}
		if len(names) == 1 {
			return missingCommand(ctx, rt, names[0])
		}
		return execResult(rt.Exec(ctx, names[0], names[1], args)), nil
	})
	return cmd
}

// beforeTheRoad puts what refused a call before it reached the runtime into the
// result envelope (§6.2), so that a host reads one shape whatever it asked.
func beforeTheRoad(c *cli.Call, names []string, err error) (cli.Result, error) {
	f, known := errors.AsType[*fault.Error](err)
	if !c.JSON || !known || len(names) != 2 {
		return cli.Result{}, err
	}
	refused := hcp.ExecResult{PackID: names[0], VerbKey: names[1], Error: f.Message, Code: f.Code, Hint: f.Hint, Next: f.Next}
	if refused.Hint == "" {
		refused.Hint = advice.For(f.Code)
	}
	return cli.Result{Value: refused, Exit: f.Exit}, nil
}

// callArgs puts the two forms of arguments together.
func callArgs(object string, given bool, pairs []string) (hcp.Args, error) {
	args, err := command.ParsePairs(pairs)
	if err != nil || !given {
		return args, err
	}
	typed, err := command.ParseJSON([]byte(object))
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if _, twice := typed[name]; twice {
			return nil, fault.Newf(command.CodeBadArgument, "argument %q is given twice, in --args and behind --", name).
				WithHint("give it once")
		}
		typed[name] = args[name]
	}
	return typed, nil
}

func missingPack() error {
	return fault.New(pipeline.CodeMissingPack, "no pack is named").
		WithHint("name a pack and one of its commands").WithNext("hcpx commands")
}

// misplaced refuses words that look like arguments in front of the dashes, and
// shows the line that was meant.
func misplaced(ctx context.Context, c *cli.Call, names, pairs []string) error {
	return fault.Newf(cli.CodeUsage, "unexpected word %q", names[2]).
		WithHint("the arguments of a command stand behind --, as name=value").
		WithNext(meantLine(ctx, c, names[:2], slices.Concat(names[2:], pairs), "--"))
}

// meantLine is the line that was probably meant, where the pack has such a
// command with such arguments; else the one that lists what it has.
func meantLine(ctx context.Context, c *cli.Call, names, pairs []string, between ...string) string {
	rt, err := Open(ctx, c)
	if err != nil {
		return Name + " commands"
	}
	p, err := rt.Store.Pack(names[0])
	if err != nil {
		return Name + " commands"
	}
	declared, err := command.Declared(&p.Manifest, names[1])
	for _, pair := range pairs {
		name, _, assigned := strings.Cut(pair, "=")
		known := command.IsReserved(name) || slices.ContainsFunc(declared, func(a command.Argument) bool { return a.Name == name })
		if !assigned || !known {
			err = errors.Join(err, errNotMeant)
		}
	}
	if err != nil {
		return command.Line([]string{Name, "commands", p.ID})
	}
	return command.Line(slices.Concat([]string{Name, "exec"}, names, between, pairs))
}

var errNotMeant = errors.New("no argument of the command")

// argumentsAsFlags adds to the refusal of an unknown flag the line that was
// probably meant: the arguments of a command are no flags of exec.
func argumentsAsFlags(c *cli.Call, f *fault.Error) *fault.Error {
	if strings.Contains(f.Hint, "did you mean") {
		return f
	}
	var names, pairs []string
	for i := 1; i < len(c.Args) && c.Args[i] != "--"; i++ {
		name, isFlag := strings.CutPrefix(c.Args[i], "--")
		switch {
		case !isFlag && strings.HasPrefix(c.Args[i], "-"), name == "args", strings.HasPrefix(name, "args="):
			return f
		case !isFlag:
			names = append(names, name)
		case name == "json", strings.HasPrefix(name, "json="):
		case strings.Contains(name, "="):
			pairs = append(pairs, name)
		case i+1 < len(c.Args) && !strings.HasPrefix(c.Args[i+1], "-"):
			i++
			pairs = append(pairs, name+"="+c.Args[i])
		default:
			pairs = append(pairs, name+"=true")
		}
	}
	if len(names) != 2 {
		return f
	}
	return f.WithHint("the arguments of a command stand behind --, as name=value").
		WithNext(meantLine(context.Background(), c, names, pairs, "--json", "--"))
}

func missingCommand(ctx context.Context, rt *local.Runtime, id string) (cli.Result, error) {
	list, err := rt.Commands(ctx, id, Name)
	if err != nil {
		return cli.Result{}, err
	}
	result := missingCommandResult{
		PackID: id, Code: pipeline.CodeMissingCommand, Error: "no command of pack " + id + " is named",
		Hint: "pick one of the pack's commands", About: list.About, Commands: list.Commands,
	}
	return cli.Result{Value: result, Exit: 1, Text: func(p *cli.Page) {
		p.Line(p.Red("refused: "), result.Error)
		commandsResult{Packs: []local.PackCommands{list}}.print(p)
	}}, nil
}

// execResult drops from the envelope what it carries twice: the raw output of a
// command whose result it has, and the words of an error.
func execResult(r hcp.ExecResult) cli.Result {
	if r.Result != nil || r.ReadMore != nil {
		r.Stdout = ""
	}
	if strings.TrimSpace(r.Stderr) == strings.TrimSpace(r.Error) {
		r.Stderr = ""
	}
	out := cli.Result{Value: r, Line: execLine(&r), Text: func(p *cli.Page) { printExec(p, r) }}
	if !r.OK {
		out.Exit = 1
	}
	return out
}

func printExec(p *cli.Page, r hcp.ExecResult) {
	if !r.OK {
		p.Flow(p.Red("refused: "), p.Bold(r.PackID+" "+r.VerbKey), ": ", r.Error)
		if r.Preview != nil && r.Preview.CLI != "" {
			p.Line(p.Dim("would run: "), r.Preview.CLI)
		}
		if r.Hint != "" {
			p.Flow(p.Dim("hint: "), r.Hint)
		}
	}
	if r.Result != nil {
		p.Lines(resultText(r))
	}
	if r.ReadMore != nil {
		r.Notes = append(r.Notes, "the output is longer than what is shown")
		r.Next = append(r.Next, "hcpx output "+r.ReadMore.Ref)
	}
	NotesAndNext(p, r.Notes, r.Next)
}

// resultText is a result for a person: text as it is, JSON indented.
func resultText(r hcp.ExecResult) string {
	var text string
	if canon.Decode(r.Result, &text, canon.Limits{}) == nil {
		return text
	}
	indented, err := canon.MarshalIndent(r.Result)
	if err != nil {
		return string(r.Result)
	}
	return string(indented)
}
