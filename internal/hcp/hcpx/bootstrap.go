package hcpx

import (
	"context"
	"maps"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/adapter/composite"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
)

// handlers are the commands of the bootstrap pack. Those that read answer in
// process; those that change the store name the command line to run, so that
// each act is one process's own and is asked for, recorded and locked as such.
// So do those that read by means of the sibling program, which brings its own
// code for them in more.
func handlers(c *cli.Call, more composite.Handlers) map[string]composite.Handlers {
	read := func(f func(ctx context.Context, rt *local.Runtime, r adapter.Request) (any, error)) composite.Handler {
		return func(ctx context.Context, r adapter.Request) (any, error) {
			rt, err := Open(ctx, c)
			if err != nil {
				return nil, err
			}
			return f(ctx, rt, r)
		}
	}
	own := composite.Handlers{
		"hcp.doctor": read(func(ctx context.Context, rt *local.Runtime, _ adapter.Request) (any, error) {
			return doctor(ctx, c, rt)
		}),
		"hcp.availability": read(func(ctx context.Context, rt *local.Runtime, r adapter.Request) (any, error) {
			return availability(ctx, rt, given(r, "pack_id"))
		}),
		"hcp.list": read(func(_ context.Context, rt *local.Runtime, _ adapter.Request) (any, error) {
			return list(rt)
		}),
		"hcp.commands": read(func(ctx context.Context, rt *local.Runtime, r adapter.Request) (any, error) {
			return listCommands(ctx, rt, given(r, "pack_id"))
		}),
		"hcp.skill": read(func(ctx context.Context, rt *local.Runtime, r adapter.Request) (any, error) {
			return skill(ctx, rt, Text(r, "pack_id"))
		}),
		"hcp.lint": read(func(_ context.Context, _ *local.Runtime, r adapter.Request) (any, error) {
			report, err := lint.Dir(inDir(c, Text(r, "pack_dir")))
			return lintResult{OK: len(report.Issues) == 0, PackID: report.PackID, Issues: report.Issues, Notes: report.Notes}, err
		}),
		"hcp.exec": invoke,
	}
	for _, key := range append(deferred(), elsewhere()...) {
		own[key] = deferToCLI
	}
	maps.Copy(own, more)
	return map[string]composite.Handlers{hcp.BootstrapPack: own}
}

// deferred lists the commands that change something.
func deferred() []string {
	return []string{"hcp.install", "hcp.uninstall", "hcp.activate", "hcp.deactivate", "hcp.connect", "hcp.adopt"}
}

// elsewhere lists the commands whose code is in the sibling program.
func elsewhere() []string {
	return []string{"hcp.search", "hcp.catalog", "hcp.check", "hcp.generate", "hcp.share"}
}

// deferToCLI answers with the line that does what was asked for, as the pack
// declares it.
func deferToCLI(ctx context.Context, r adapter.Request) (any, error) {
	argv, err := command.Render(&r.Pack.Manifest, r.Key, r.Args)
	if err != nil {
		return nil, err
	}
	return composite.DeferToCLI(argv.Line())(ctx, r)
}

// execAway reports whether the command to run has its code in the sibling
// program.
func execAway(c *cli.Call) bool {
	var names []string
	for i := 1; i < len(c.Args) && c.Args[i] != "--"; i++ {
		switch word := c.Args[i]; {
		case word == "--args":
			i++
		case word != "" && word[0] != '-':
			names = append(names, word)
		}
	}
	return len(names) == 2 && names[0] == hcp.BootstrapPack && slices.Contains(elsewhere(), names[1])
}

// invoke runs another command through the pipeline, as the same Principal. A
// call that is refused or fails is a failure here as well, under its own code.
func invoke(ctx context.Context, r adapter.Request) (any, error) {
	args := hcp.Args{}
	if object := Text(r, "args_json"); object != "" {
		var err error
		if args, err = command.ParseJSON([]byte(object)); err != nil {
			return nil, err
		}
	}
	if _, given := args[hcp.ArgConfirm]; r.AskedToConfirm && !given {
		args[hcp.ArgConfirm] = true // said of this call, and meant for the one in it
	}
	result := r.Invoke(ctx, Text(r, "pack_id"), Text(r, "command"), args)
	if !result.OK {
		return nil, &composite.NestedError{Result: result}
	}
	if result.Result != nil {
		result.Stdout = "" // the result says the same
	}
	return result, nil
}

// Text is a string argument of a call, empty when it is absent.
func Text(r adapter.Request, name string) string {
	value, _ := r.Args[name].(string)
	return value
}

// given is a list of the argument, empty when it is absent.
func given(r adapter.Request, name string) []string {
	if value := Text(r, name); value != "" {
		return []string{value}
	}
	return nil
}
