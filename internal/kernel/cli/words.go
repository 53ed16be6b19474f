package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bridle/internal/kernel/fault"
)

// beforeDashes returns the words in front of a literal "--".
func beforeDashes(args []string) []string {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i]
	}
	return args
}

// wantsJSON finds --json without parsing, since a command line that cannot be
// parsed still has to be answered in the form that was asked for.
func wantsJSON(args []string) bool {
	wanted := false
	for _, word := range beforeDashes(args) {
		value, valued := strings.CutPrefix(word, "--json=")
		if word == "--json" || valued {
			yes, err := strconv.ParseBool(value)
			wanted = !valued || yes || err != nil
		}
	}
	return wanted
}

const versionFlag = "--version"

// versionAsVerb reads --version, in front of no verb and among other flags, as the
// verb of that name.
func versionAsVerb(args []string) []string {
	at := slices.Index(beforeDashes(args), versionFlag)
	if at < 0 || firstWord(args) != "" {
		return args
	}
	return slices.Concat(args[:at], []string{"version"}, args[at+1:])
}

func wantsHelp(args []string) bool {
	words := beforeDashes(args)
	return slices.Contains(words, "--help") || slices.Contains(words, "-h")
}

// explains reports that the words ask for a text about the program, which is
// read also behind a pipe.
func explains(args []string) bool {
	return wantsHelp(args) || slices.Contains([]string{"", "help", "completion"}, firstWord(args))
}

// firstWord returns the verb: the first word that is no flag. The flags that
// may stand in front of a verb take no value.
func firstWord(args []string) string {
	for _, word := range beforeDashes(args) {
		if !strings.HasPrefix(word, "-") {
			return word
		}
	}
	return ""
}

// requireArguments derives the check of a command's positional arguments from
// its usage line, so that the two cannot disagree: <name> is required, [name]
// optional, and an ellipsis allows any number.
func requireArguments(cmd *cobra.Command) {
	if cmd.Args != nil {
		cmd.Args = worded(cmd.Args)
		return
	}
	var required, optional []string
	unlimited := false
	for _, word := range strings.Fields(cmd.Use)[1:] {
		switch {
		case strings.HasSuffix(word, "…]") || strings.HasSuffix(word, "…"):
			unlimited = true
		case strings.HasPrefix(word, "<"):
			required = append(required, word)
		case strings.HasPrefix(word, "[") && !strings.HasPrefix(word, "[-"):
			optional = append(optional, word)
		}
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(required):
			return usageFault(cmd, "missing %s", required[len(args)])
		case slices.Contains(args[:len(required)], ""):
			return usageFault(cmd, "empty %s", required[slices.Index(args, "")])
		case len(args) > len(required)+len(optional) && !unlimited:
			return usageFault(cmd, "unexpected argument %q", args[len(required)+len(optional)])
		}
		return nil
	}
}

// worded makes a usage fault of what a check of cobra's own refuses: its errors
// are no faults, and would be taken for defects of the program.
func worded(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		var known *fault.Error
		switch {
		case err == nil || errors.As(err, &known):
			return err
		case len(args) > 0:
			return usageFault(cmd, "unexpected argument %q", args[len(args)-1])
		}
		return usageFault(cmd, "an argument is missing")
	}
}

func usageFault(cmd *cobra.Command, format string, args ...any) *fault.Error {
	return fault.Newf(CodeUsage, format, args...).WithHint("usage: %s", cmd.UseLine())
}

// FlagFault words what pflag found wrong, with the flag that was meant.
func FlagFault(cmd *cobra.Command, err error) *fault.Error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		f := usageFault(cmd, "unknown flag %q", dashes+name)
		if near := fault.Closest(name, flagNames(cmd)); near != "" {
			f.Hint = "did you mean \"--" + near + "\"? " + f.Hint
		}
		return f
	}
	var noValue *pflag.ValueRequiredError
	if errors.As(err, &noValue) {
		return usageFault(cmd, "flag %q needs a value", "--"+noValue.GetSpecifiedName())
	}
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return usageFault(cmd, "flag %q does not take the value %q", "--"+bad.GetFlag().Name, bad.GetValue())
	}
	return usageFault(cmd, "%s", err.Error())
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return names
}
