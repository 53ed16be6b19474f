package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/kernel/fault"
)

// CodeUsage is the code of a command line that cannot be understood.
const CodeUsage = "usage"

// App is one program.
type App struct {
	// Name is what the program calls itself in everything it prints.
	Name string
	// Short says in one line what it is for.
	Short string
	// Protocol is the version that --version names, for example HCP/1.1.
	Protocol string
	// Kernel is the version of what decides, where that has one of its own.
	Kernel string
	// First are the commands that somebody new begins with; the help text leads
	// with them.
	First []string
	// Groups orders the headings of the help text. A verb names its group.
	Groups []string
	Verbs  []Verb
	// Before runs before a verb does, unless the verb is Offline. An error
	// stops the call.
	Before func(*Call) error
	// Elsewhere runs a verb that a sibling program has. It returns only if
	// that program could not be started, or has ended.
	Elsewhere func(*Call) (Result, error)
	// Failure lays a failure out for --json; nil means HCP's layout.
	Failure func(*fault.Error) any
	// Advise returns a hint for a failure of that code which has none; nil leaves
	// it without.
	Advise func(code string) string
	// Words rewrites the words of the command line before anything is read of
	// them, for a program whose callers write flags in another way; nil leaves
	// them as they are.
	Words func([]string) []string
	// Layout writes what --json prints, results and failures; nil means one
	// compact line.
	Layout func(any) ([]byte, error)
	// FailureToStderr sends that object to standard error.
	FailureToStderr bool
	// JSONWhenPiped prints JSON without being asked wherever standard output is
	// no terminal.
	JSONWhenPiped bool
	// UsageExit is the exit code of a command line that cannot be understood; 0
	// is that of any failure.
	UsageExit int
}

// Verb is one entry of an App's table.
type Verb struct {
	Name    string
	Aliases []string
	Short   string
	Group   string
	Hidden  bool
	// Offline verbs only print what the program knows by itself.
	Offline bool
	// TakesJSON says that its --json is an argument, and asks for nothing.
	TakesJSON bool
	// New builds the command when it is needed. Nil hands the verb over.
	New func(*Call) *cobra.Command
	// Away reports that this call of the verb is handed over, words unread.
	Away func(*Call) bool
}

func (v Verb) named(word string) bool { return v.Name == word || slices.Contains(v.Aliases, word) }

// Call is one run of an App.
type Call struct {
	Invocation
	App App
	// JSON says that the caller asked for one JSON object.
	JSON   bool
	result Result
}

// Run runs the app, until the process is asked to end, and returns the exit code.
func (a App) Run(ctx context.Context, inv Invocation) int {
	ctx, stop := untilEnded(ctx)
	defer stop()
	return a.run(ctx, inv)
}

func (a App) run(ctx context.Context, inv Invocation) int {
	if len(inv.Args) == 1 && inv.Args[0] == versionFlag {
		return (&Call{Invocation: inv, App: a}).print(Result{Raw: a.versionLine()})
	}
	if a.Words != nil {
		inv.Args = a.Words(inv.Args)
	}
	inv.Args = versionAsVerb(inv.Args)
	a.Verbs = append(slices.Clone(a.Verbs), builtin()...)
	asked := wantsJSON(inv.Args) && !a.takesJSON(firstWord(inv.Args)) || a.JSONWhenPiped && !inv.Terminal.Stdout && !explains(inv.Args)
	call := &Call{Invocation: inv, App: a, JSON: asked}
	err := call.dispatch(ctx)
	if err != nil {
		call.JSON = asked // a value that --json does not take has cleared it
	}
	return call.finish(ctx, err)
}

// takesJSON reports whether --json is an argument of the verb.
func (a App) takesJSON(verb string) bool {
	return slices.ContainsFunc(a.Verbs, func(v Verb) bool { return v.TakesJSON && v.named(verb) })
}

func (a App) versionLine() string {
	line := a.Name + " " + Version()
	about := a.Protocol
	if a.Kernel != "" {
		about = strings.TrimSuffix("kernel "+a.Kernel+", "+about, ", ")
	}
	if about != "" {
		line += " (" + about + ")"
	}
	return line
}

// dispatch finds the verb and runs it, building no other.
func (c *Call) dispatch(ctx context.Context) (err error) {
	word := firstWord(c.Args)
	defer func() {
		if p := recover(); p != nil {
			err = fault.Newf(fault.CodeInternal, "%s failed in a way that was not foreseen: %v", c.App.Name, p).
				WithHint("this is a defect of %s; please report it with the command line and this message", c.App.Name)
		}
	}()
	if word == "" || strings.HasPrefix(word, cobra.ShellCompRequestCmd) {
		return c.execute(ctx, c.App.Verbs)
	}
	i := slices.IndexFunc(c.App.Verbs, func(v Verb) bool { return v.named(word) })
	if i < 0 {
		return c.unknownVerb(word)
	}
	verb := c.App.Verbs[i]
	if c.App.Before != nil && !verb.Offline && !wantsHelp(c.Args) {
		if err := c.App.Before(c); err != nil {
			return err
		}
	}
	if verb.New == nil || verb.Away != nil && !wantsHelp(c.Args) && verb.Away(c) {
		c.result, err = c.App.Elsewhere(c)
		return err
	}
	return c.execute(ctx, []Verb{verb})
}

// execute runs cobra over the verbs.
func (c *Call) execute(ctx context.Context, verbs []Verb) error {
	root := c.root(verbs)
	root.SetArgs(c.Args)
	return root.ExecuteContext(ctx)
}

// rootUsage follows the program's name in its usage line.
const rootUsage = " <command> [arguments] [--json]"

// root builds the command tree of the verbs.
func (c *Call) root(verbs []Verb) *cobra.Command {
	root := &cobra.Command{
		Use:           c.App.Name + rootUsage,
		Short:         c.App.Short,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,

		DisableFlagsInUseLine: true,
		RunE:                  c.Run(func(context.Context, []string) (Result, error) { return c.overview(), nil }),
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
	root.SetIn(c.Stdin)
	root.SetOut(c.Stdout)
	root.SetErr(c.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return FlagFault(cmd, err) })
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if cmd.HasParent() {
			c.result = c.manual(cmd)
		} else {
			c.result = c.overview()
		}
	})
	root.PersistentFlags().BoolVar(&c.JSON, "json", c.JSON, "print one JSON object")
	for _, v := range verbs {
		root.AddCommand(c.build(v))
	}
	return root
}

// build makes a verb's command, completed with what its table entry knows.
func (c *Call) build(v Verb) *cobra.Command {
	cmd := &cobra.Command{Use: v.Name, RunE: c.Run(func(context.Context, []string) (Result, error) { return c.App.Elsewhere(c) })}
	if v.New != nil {
		cmd = v.New(c)
	}
	cmd.Short, cmd.Aliases, cmd.Hidden = v.Short, v.Aliases, v.Hidden
	cmd.DisableFlagsInUseLine = true
	requireArguments(cmd)
	return cmd
}

// Run adapts a verb's function to cobra and keeps its result for rendering.
func (c *Call) Run(f func(ctx context.Context, args []string) (Result, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		c.result, err = f(cmd.Context(), args)
		return err
	}
}

func (c *Call) unknownVerb(word string) error {
	var names []string
	for _, v := range c.App.Verbs {
		if !v.Hidden {
			names = append(append(names, v.Name), v.Aliases...)
		}
	}
	f := fault.Newf(CodeUsage, "unknown command %q", word)
	if near := fault.Closest(word, names); near != "" {
		return f.WithHint("did you mean %q?", near).WithNext(c.App.Name + " help")
	}
	return f.WithHint("%s help lists the commands", c.App.Name).WithNext(c.App.Name + " help")
}
