package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Command is one verb with what it takes. A command with others below it runs the
// one that the words name.
type Command struct {
	// Use is the name and, behind it, the arguments: <name> must be there, [name]
	// may, and with an ellipsis there may be more.
	Use     string
	Aliases []string
	// Short says in one line what it does, Long says more, Example shows it.
	Short, Long, Example string
	Hidden               bool
	// Args refuses arguments; nil takes all.
	Args func(cmd *Command, args []string) error
	// ValidArgs are offered where a shell completes an argument, and what
	// ValidArgsFunction returns for the arguments in front of it.
	ValidArgs         []string
	ValidArgsFunction func(cmd *Command, args []string, word string) []string
	// PreRun runs in front of RunE, when the arguments are in order.
	PreRun func(cmd *Command, args []string)
	RunE   func(cmd *Command, args []string) error

	parent            *Command
	children          []*Command
	flags, persistent Flags
	flagFault         func(cmd *Command, err error) error
	help              func(cmd *Command)
	ctx               context.Context
	dash              int
}

// NoArgs takes no arguments.
func NoArgs(cmd *Command, args []string) error { return AtMost(0)(cmd, args) }

// AtMost takes that many arguments.
func AtMost(most int) func(*Command, []string) error {
	return func(cmd *Command, args []string) error {
		if len(args) > most {
			return usageFault(cmd, "unexpected argument %q", args[most])
		}
		return nil
	}
}

// ArbitraryArgs takes any arguments.
func ArbitraryArgs(*Command, []string) error { return nil }

// Name is the command's name.
func (c *Command) Name() string {
	name, _, _ := strings.Cut(c.Use, " ")
	return name
}

// UseLine is the usage line from the program's name on.
func (c *Command) UseLine() string {
	line := c.Use
	for up := c.parent; up != nil; up = up.parent {
		line = up.Name() + " " + line
	}
	return line
}

// HasParent reports whether the command is below another.
func (c *Command) HasParent() bool { return c.parent != nil }

// AddCommand puts commands below this one.
func (c *Command) AddCommand(commands ...*Command) {
	for _, child := range commands {
		child.parent = c
		c.children = append(c.children, child)
	}
}

// Commands are the commands below this one.
func (c *Command) Commands() []*Command { return c.children }

// Flags are the command's own, and once it runs also those that hold for it from
// above.
func (c *Command) Flags() *Flags { return &c.flags }

// PersistentFlags hold for the command and all below it.
func (c *Command) PersistentFlags() *Flags { return &c.persistent }

// inherited are the flags that hold from above.
func (c *Command) inherited() *Flags {
	all := &Flags{}
	for up := c.parent; up != nil; up = up.parent {
		all.list = append(all.list, up.persistent.list...)
	}
	return all
}

// all are the flags that the command line may have.
func (c *Command) all() *Flags {
	return &Flags{slices.Concat(c.flags.list, c.persistent.list, c.inherited().list)}
}

// SetFlagErrorFunc has f word what is wrong with a flag, for this command and
// those below it.
func (c *Command) SetFlagErrorFunc(f func(cmd *Command, err error) error) { c.flagFault = f }

// Context is that of the call.
func (c *Command) Context() context.Context { return c.ctx }

// ArgsLenAtDash is the number of arguments in front of a literal "--", or -1.
func (c *Command) ArgsLenAtDash() int { return c.dash }

func (c *Command) named(word string) bool {
	return c.Name() == word || slices.Contains(c.Aliases, word)
}

// find goes down to the command that the words name and returns the words
// without its name.
func (c *Command) find(words []string) (*Command, []string) {
	flags := c.all()
	for i := 0; i < len(words) && words[i] != "--"; i++ {
		word := words[i]
		if strings.HasPrefix(word, "-") {
			if flags.takesNext(word) {
				i++
			}
			continue
		}
		at := slices.IndexFunc(c.children, func(child *Command) bool { return child.named(word) })
		if at < 0 {
			break
		}
		return c.children[at].find(slices.Concat(words[:i], words[i+1:]))
	}
	return c, words
}

// takesNext reports whether the value of a flag is the word behind it.
func (s *Flags) takesNext(word string) bool {
	name, long := strings.CutPrefix(word, "--")
	if strings.Contains(name, "=") {
		return false
	}
	f := s.Lookup(name)
	if !long {
		f = s.find(func(f *Flag) bool { return f.Short != "" && f.Short == word[1:] })
	}
	return f != nil && !f.isBool()
}

// execute runs the command that the words name.
func (c *Command) execute(ctx context.Context, words []string) error {
	cmd, words := c.find(words)
	cmd.ctx = ctx
	args, dash, err := cmd.all().parse(words)
	cmd.dash = dash
	switch {
	case errors.As(err, &helpWanted{}) || err == nil && cmd.RunE == nil:
		cmd.explain()
		return nil
	case err != nil:
		return cmd.flagRefused(err)
	}
	if cmd.Args != nil {
		if err := cmd.Args(cmd, args); err != nil {
			return err
		}
	}
	if cmd.PreRun != nil {
		cmd.PreRun(cmd, args)
	}
	return cmd.RunE(cmd, args)
}

func (c *Command) flagRefused(err error) error {
	for up := c; up != nil; up = up.parent {
		if up.flagFault != nil {
			return up.flagFault(c, err)
		}
	}
	return FlagFault(c, err)
}

func (c *Command) explain() {
	for up := c; up != nil; up = up.parent {
		if up.help != nil {
			up.help(c)
			return
		}
	}
}
