package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"

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

// versionAsVerb reads --version, in front of no verb and among other flags, as the
// verb of that name.
func versionAsVerb(args []string) []string {
	at := slices.Index(beforeDashes(args), "--version")
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
func requireArguments(cmd *Command) {
	if cmd.Args != nil {
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
	cmd.Args = func(cmd *Command, args []string) error {
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

func usageFault(cmd *Command, format string, args ...any) *fault.Error {
	return fault.Newf(CodeUsage, format, args...).WithHint("usage: %s", cmd.UseLine())
}

// FlagFault words what is wrong with a flag, with the flag that was meant.
func FlagFault(cmd *Command, err error) *fault.Error {
	var bad *flagError
	if !errors.As(err, &bad) {
		return usageFault(cmd, "%s", err.Error())
	}
	switch bad.kind {
	case noValue:
		return usageFault(cmd, "flag %q needs a value", bad.flag)
	case badValue:
		return usageFault(cmd, "flag %q does not take the value %q", bad.flag, bad.value)
	case badFlag:
		return usageFault(cmd, "%q is no flag", bad.flag)
	}
	f := usageFault(cmd, "unknown flag %q", bad.flag)
	names := []string{"help"}
	for _, flag := range cmd.all().list {
		names = append(names, flag.Name)
	}
	if near := fault.Closest(strings.TrimLeft(bad.flag, "-"), names); near != "" {
		f.Hint = "did you mean \"--" + near + "\"? " + f.Hint
	}
	return f
}
