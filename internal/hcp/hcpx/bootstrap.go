package hcpx

import (
	"context"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/adapter/composite"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// handlers are the commands of the bootstrap pack. Those that read answer in
// process; those that change the store, and those of the sibling program, name
// the command line to run, so that each act is one process's own and is asked
// for, recorded and locked as such.
func handlers(c *cli.Call) map[string]composite.Handlers {
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
			return skill(ctx, rt, text(r, "pack_id"))
		}),
		"hcp.lint": read(func(_ context.Context, _ *local.Runtime, r adapter.Request) (any, error) {
			report, err := lint.Dir(inDir(c, text(r, "pack_dir")))
			return lintResult{OK: len(report.Issues) == 0, PackID: report.PackID, Issues: report.Issues, Notes: report.Notes}, err
		}),
		"hcp.exec": invoke,
	}
	for key, words := range deferred {
		if hasVerb(words[0]) {
			own[key] = deferTo(words)
		}
	}
	return map[string]composite.Handlers{hcp.BootstrapPack: own}
}

// deferred maps commands to the words of the command line that does them: a
// word in braces is an argument.
var deferred = map[string][]string{
	"hcp.search":     {"search", "{query}"},
	"hcp.catalog":    {"catalog", "{pack_id}"},
	"hcp.install":    {"install", "{source}"},
	"hcp.uninstall":  {"uninstall", "{pack_id}", "--confirm"},
	"hcp.activate":   {"activate", "{pack_id}"},
	"hcp.deactivate": {"deactivate", "{pack_id}"},
	"hcp.connect":    {"connect", "{pack_id}"},
	"hcp.check":      {"check", "{pack_dir}"},
	"hcp.generate":   {"generate"},
	"hcp.adopt":      {"adopt", "{host}", "--write"},
	"hcp.share":      {"share", "{source}"},
}

// hasVerb reports whether this program has the verb: a command of the pack is
// never answered with a line that nothing understands.
func hasVerb(name string) bool {
	return slices.ContainsFunc(append(verbs(), Heavy()...), func(v cli.Verb) bool { return v.Name == name })
}

func deferTo(words []string) composite.Handler {
	return func(ctx context.Context, r adapter.Request) (any, error) {
		line := []string{Name}
		for _, word := range words {
			if word[0] != '{' {
				line = append(line, word)
			} else if value := text(r, word[1:len(word)-1]); value != "" {
				line = append(line, value)
			}
		}
		return composite.DeferToCLI(command.Line(line))(ctx, r)
	}
}

// invoke runs another command through the pipeline, as the same Principal. A
// call that is refused or fails is a failure here as well, under its own code.
func invoke(ctx context.Context, r adapter.Request) (any, error) {
	args := hcp.Args{}
	if object := text(r, "args_json"); object != "" {
		var err error
		if args, err = command.ParseJSON([]byte(object)); err != nil {
			return nil, err
		}
	}
	result := r.Invoke(ctx, text(r, "pack_id"), text(r, "command"), args)
	if !result.OK {
		return nil, fault.New(result.Code, result.Error).WithHint("%s", result.Hint).WithNext(result.Next...)
	}
	return result, nil
}

// text is a string argument, empty when it is absent.
func text(r adapter.Request, name string) string {
	value, _ := r.Args[name].(string)
	return value
}

// given is a list of the argument, empty when it is absent.
func given(r adapter.Request, name string) []string {
	if value := text(r, name); value != "" {
		return []string{value}
	}
	return nil
}
