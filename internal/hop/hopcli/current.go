package hopcli

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// defaultState is what the help texts of commands say that take a state.
const defaultState = "Without a state it is the one in " + hop.EnvState + ", else the newest of the attempt whose workspace is the current folder."

// named returns the state that the first positional names, else the current one.
func named(ctx context.Context, p *op.Project, args []string) (string, error) {
	return or(args, func() (string, error) { return p.Current(ctx) })
}

// namedHead is named, but the newest state of the current attempt where none is
// named: what is asked for is what was done, not what it was done for.
func namedHead(ctx context.Context, p *op.Project, args []string) (string, error) {
	return or(args, func() (string, error) { return p.CurrentHead(ctx) })
}

func or(args []string, current func() (string, error)) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	id, err := current()
	if err == nil && id == "" {
		err = fault.New(cli.CodeUsage, "missing <state>").WithExit(hop.ExitUsage).
			WithHint("%s is not set, and the current folder is no workspace of an attempt", hop.EnvState).WithNext("hop log")
	}
	return id, err
}
