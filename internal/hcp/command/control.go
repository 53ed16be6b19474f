package command

import (
	"maps"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// Control is what the reserved arguments of an envelope say (§6.1).
type Control struct {
	// Confirmed says that confirm or apply is true.
	Confirmed bool
	// Mock asks for an explicit mock credential.
	Mock bool
}

// controlValue reads what a command line says of a reserved argument: its text
// is all it has, so the words true and false are the values.
func controlValue(name, text string) any {
	if name == hcp.ArgConfirm || name == hcp.ArgApply {
		switch text {
		case "true":
			return true
		case "false":
			return false
		}
	}
	return text
}

// SplitControl takes the reserved names out of the arguments of a call. confirm
// and apply are the JSON values true or false, and mode is "mock". Anything else
// is refused, a text that says true as well, since a gate that guesses is none.
func SplitControl(args hcp.Args) (hcp.Args, Control, error) {
	var c Control
	rest := maps.Clone(args)
	for _, name := range []string{hcp.ArgConfirm, hcp.ArgApply} {
		value, given := args[name]
		if !given {
			continue
		}
		switch value {
		case true:
			c.Confirmed = true
		case false:
		default:
			return nil, Control{}, fault.Newf(CodeBadArgument, "argument %q must be true or false", name).
				WithHint("pass %s=true on a command line, or the JSON value true, only if the user approved this exact action", name)
		}
		delete(rest, name)
	}
	if value, given := args[hcp.ArgMode]; given {
		if value != hcp.ModeMock {
			return nil, Control{}, fault.Newf(CodeBadArgument, "argument %q must be %q", hcp.ArgMode, hcp.ModeMock).
				WithHint("leave %q out, or pass %s=%s for the mock credential of a sandbox", hcp.ArgMode, hcp.ArgMode, hcp.ModeMock)
		}
		c.Mock = true
		delete(rest, hcp.ArgMode)
	}
	return rest, c, nil
}
