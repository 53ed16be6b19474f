package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bridle/internal/kernel/fault"
)

// builtin are the verbs that every program has.
func builtin() []Verb {
	return []Verb{
		{Name: "help", Short: "explain the commands, or one of them", Group: "", Offline: true, New: helpCommand},
		{Name: "completion", Short: "print the completion script of a shell", Offline: true, New: completionCommand},
		{Name: "version", Short: "print the version", Offline: true, New: versionCommand},
	}
}

// helpResult is the JSON form of every help text.
type helpResult struct {
	OK   bool     `json:"ok"`
	Help []string `json:"help"`
}

func helpCommand(c *Call) *cobra.Command {
	return &cobra.Command{
		Use:  "help [command]",
		Long: "Without a name, lists the commands. With one, explains that command: its arguments, flags and examples.",
		RunE: c.Run(func(_ context.Context, args []string) (Result, error) {
			if len(args) == 0 {
				return c.overview(), nil
			}
			for _, v := range c.App.Verbs {
				switch {
				case !v.named(args[0]):
				case v.New == nil:
					// The program that has the verb knows it best.
					c.Args = []string{v.Name, "--help", "--json=" + strconv.FormatBool(c.JSON)}
					return c.App.Elsewhere(c)
				default:
					return c.manual(c.root([]Verb{v}).Commands()[0]), nil
				}
			}
			return Result{}, c.unknownVerb(args[0])
		}),
	}
}

// overview is the help text of the program.
func (c *Call) overview() Result {
	p := &Page{color: c.color(c.Terminal.Stdout)}
	p.Line(c.App.Name, ": ", c.App.Short)
	p.Line()
	p.Line("usage: ", c.App.Name, rootUsage)
	if len(c.App.First) > 0 {
		p.Line()
		p.Line("to begin with")
		for _, line := range c.App.First {
			p.Line("  ", line)
		}
	}
	groups := append(slices.Clone(c.App.Groups), "")
	for _, group := range groups {
		var rows [][]any
		for _, v := range c.App.Verbs {
			if v.Group == group && !v.Hidden {
				rows = append(rows, []any{p.Bold("  " + v.Name), v.Short})
			}
		}
		if len(rows) == 0 {
			continue
		}
		p.Line()
		if group != "" {
			p.Line(group)
		}
		p.Table(rows)
	}
	p.Line()
	p.Line(c.App.Name, " help <command> explains one of them; every command takes --json.")
	return helpText(p)
}

// manual is the help text of one command.
func (c *Call) manual(cmd *cobra.Command) Result {
	p := &Page{color: c.color(c.Terminal.Stdout)}
	p.Line(cmd.Name(), ": ", cmd.Short)
	p.Line()
	p.Line("usage: ", cmd.UseLine())
	if len(cmd.Aliases) > 0 {
		p.Line("alias: ", strings.Join(cmd.Aliases, ", "))
	}
	if cmd.Long != "" {
		p.Line()
		p.Lines(cmd.Long)
	}
	if rows := flagRows(p, cmd); len(rows) > 0 {
		p.Line()
		p.Line("flags")
		p.Table(rows)
	}
	if cmd.Example != "" {
		p.Line()
		p.Line("examples")
		for line := range strings.Lines(cmd.Example) {
			p.Line("  ", strings.TrimSpace(line))
		}
	}
	return helpText(p)
}

// placeholder is the word that a usage line has for a flag's value.
func placeholder(use, flag string) string {
	_, after, found := strings.Cut(use, "--"+flag+" ")
	if !found {
		return ""
	}
	end := strings.IndexFunc(after, func(r rune) bool { return (r < 'A' || r > 'Z') && r != '-' && r != '_' })
	if end < 0 {
		return after
	}
	return after[:end]
}

func flagRows(p *Page, cmd *cobra.Command) [][]any {
	var rows [][]any
	add := func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		if named := placeholder(cmd.Use, f.Name); named != "" {
			kind = named
		}
		rows = append(rows, []any{p.Bold(strings.TrimRight("  --"+f.Name+" "+kind, " ")), usage})
	}
	cmd.LocalNonPersistentFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return rows
}

func helpText(p *Page) Result {
	text := p.text.String()
	plain := &strings.Builder{}
	for i, part := range strings.Split(text, "\x1b[") {
		if i > 0 {
			_, part, _ = strings.Cut(part, "m")
		}
		plain.WriteString(part)
	}
	return Result{
		Value: helpResult{OK: true, Help: strings.Split(strings.TrimRight(plain.String(), "\n"), "\n")},
		Raw:   plain.String(),
		Text:  func(page *Page) { page.text.WriteString(text) },
	}
}

// versionResult is the JSON form of the version.
type versionResult struct {
	OK       bool   `json:"ok"`
	CLI      string `json:"cli"`
	Version  string `json:"version"`
	Kernel   string `json:"kernel,omitempty"`
	Protocol string `json:"protocol,omitempty"`
}

func versionCommand(c *Call) *cobra.Command {
	return &cobra.Command{
		Use: "version",
		RunE: c.Run(func(context.Context, []string) (Result, error) {
			return Result{
				Value: versionResult{OK: true, CLI: c.App.Name, Version: Version(), Kernel: c.App.Kernel, Protocol: c.App.Protocol},
				Raw:   c.App.versionLine(),
			}, nil
		}),
	}
}

// shells are the shells that completion scripts exist for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand(c *Call) *cobra.Command {
	return &cobra.Command{
		Use:  "completion <" + strings.Join(shells, "|") + ">",
		Long: "Prints a script that completes commands and flags. Load it once to try it, or save it where the shell looks for completions.",
		Example: "source <(" + c.App.Name + " completion bash)\n" +
			c.App.Name + " completion zsh > \"${fpath[1]}/_" + c.App.Name + "\"\n" +
			c.App.Name + " completion fish > ~/.config/fish/completions/" + c.App.Name + ".fish\n" +
			c.App.Name + " completion powershell | Out-String | Invoke-Expression",
		ValidArgs: shells,
		RunE: c.Run(func(_ context.Context, args []string) (Result, error) {
			script, err := completionScript(c.root(nil), args[0])
			return Result{Value: completionResult{OK: true, Shell: args[0], Script: script}, Raw: script}, err
		}),
	}
}

type completionResult struct {
	OK     bool   `json:"ok"`
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func completionScript(root *cobra.Command, shell string) (string, error) {
	var b strings.Builder
	var err error
	switch shell {
	case "bash":
		err = root.GenBashCompletionV2(&b, true)
	case "zsh":
		err = root.GenZshCompletion(&b)
	case "fish":
		err = root.GenFishCompletion(&b, true)
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(&b)
	default:
		return "", fault.Newf(CodeUsage, "unknown shell %q", shell).
			WithHint("the shells are %s", strings.Join(shells, ", "))
	}
	return b.String(), err
}
