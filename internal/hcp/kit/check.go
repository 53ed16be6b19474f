package kit

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/check"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/pack"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// exitWarnings is the exit code of a check that finds warnings only.
const exitWarnings = 2

// checkFlags are the flags of check.
type checkFlags struct {
	probe, network, agent, initEvals, strict, noEval bool
	timeout                                          int
}

func checkCommand(c *cli.Call) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use: "check <pack_dir> [--probe [--network]] [--agent] [--init-evals] [--strict] [--no-eval] [--timeout ms]",
		Long: "Grades a pack: its structure, the review rules, with --probe the wrapped program, and the cases of hcp.eval.json where there are any. The exit code is 0 when nothing is left to mend, 2 on warnings only, and 1 on errors; --strict counts warnings as errors.\n" +
			"Probes and cases run in the sandbox, over a store that is thrown away; a probe never runs a write, and has no network unless --network gives it to the reads. A pack that works on the project is run in the current directory. --agent prints a list for a coding agent to work through, --json the whole report.",
		Example: "hcpx check ./packs/gh --probe --agent\nhcpx check ./packs/gh --probe --strict --json\nhcpx check ./packs/gh --init-evals",
	}
	cmd.Flags().BoolVar(&f.probe, "probe", false, "also run the wrapped program as an agent would")
	cmd.Flags().BoolVar(&f.network, "network", false, "let the reads that are probed use the network")
	cmd.Flags().BoolVar(&f.agent, "agent", false, "print a list of what to mend for a coding agent")
	cmd.Flags().BoolVar(&f.initEvals, "init-evals", false, "write a starter hcp.eval.json, unless there is one")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "exit 1 on warnings as well")
	cmd.Flags().BoolVar(&f.noEval, "no-eval", false, "leave the eval cases out")
	cmd.Flags().IntVar(&f.timeout, "timeout", int(check.DefaultTimeout/time.Millisecond), "how many `milliseconds` a probe or a case may take")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		if f.timeout < 1 {
			return cli.Result{}, fault.New(cli.CodeUsage, "--timeout must be positive")
		}
		if f.initEvals {
			return initEvals(c, args[0])
		}
		report, err := runCheck(ctx, c, args[0], f)
		if err != nil {
			return cli.Result{}, err
		}
		out := cli.Result{Value: report, Raw: report.Text(), Exit: checkExit(report, f.strict)}
		if f.agent {
			out.Raw = report.Markdown()
		}
		return out, nil
	})
	return cmd
}

func checkExit(r *check.Report, strict bool) int {
	switch {
	case r.Summary.Errors > 0, strict && r.Summary.Warnings > 0:
		return fault.ExitFailure
	case r.Summary.Warnings > 0:
		return exitWarnings
	}
	return 0
}

func runCheck(ctx context.Context, c *cli.Call, dir string, f checkFlags) (*check.Report, error) {
	o, err := checkOptions(ctx, c, dir, f.timeout)
	if err != nil {
		return nil, err
	}
	o.Probe, o.Network, o.SkipEval = f.probe, f.network, f.noEval
	return check.Run(ctx, o)
}

// checkOptions prepares a check whose runtimes know nothing of the user's store:
// who acts is an agent, in a store of its own that counts as the account's, so
// that every grant and the default settings hold.
func checkOptions(ctx context.Context, c *cli.Call, dir string, ms int) (check.Options, error) {
	full := dir
	if !filepath.IsAbs(full) {
		full = filepath.Join(c.Dir, dir)
	}
	refuse, err := refusal(ctx, c)
	if err != nil {
		return check.Options{}, err
	}
	return check.Options{
		Refuse: refuse,
		Dir:    full, Shown: dir, Timeout: time.Duration(ms) * time.Millisecond, Temp: c.Env.Get("TMPDIR"), Clock: c.Clock,
		Search: store.Search{Path: c.Env.Get("PATH"), Avoid: []string{c.Dir}},
		Open: func(ctx context.Context, home string) (*local.Runtime, error) {
			bench := *c
			bench.Env = c.Env.With("HCP_HOME", home).With("HCP_AGENT", "1").With("HCP_MODE", "").With("HCP_APPROVALS", "")
			bench.AccountHome = func() (string, error) { return filepath.Dir(home), nil }
			bench.Terminal = cli.Terminal{}
			return open(ctx, &bench)
		},
	}, nil
}

// refusal says what an agent may not have run by a check: what the user's rules
// deny, and, where the pack works on the user's files, what the user would be
// asked about. A person checks what they like.
func refusal(ctx context.Context, c *cli.Call) (func(p *pack.Pack, key string, confirmed bool) string, error) {
	if !hcpx.AgentAtWork(c) {
		return nil, nil
	}
	rt, err := hcpx.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	effective, err := rt.Access()
	if err != nil {
		return nil, err
	}
	return func(p *pack.Pack, key string, confirmed bool) string {
		entry, found := p.Entry(key)
		if !found {
			return "" // the runtime says it
		}
		verdict := access.Decide(access.Request{PackID: p.ID, Key: key, Operation: entry.Operation, Confirm: entry.Confirm}, effective.For(p.ID))
		onProject := p.Manifest.Wrap != nil && p.Manifest.Wrap.Workspace != nil && p.Manifest.Wrap.Workspace.Mode == hcp.WorkspaceProject
		// Without confirm, what Policy asks about is refused by the runtime.
		gated := entry.Confirm != hcp.ConfirmNone && !confirmed
		switch {
		case verdict.Decision == access.Allow, verdict.Decision == access.Ask && (gated || !onProject):
			return ""
		case verdict.Decision == access.Ask:
			return "it works on the project, and the user would be asked; let them run the check"
		}
		return verdict.Reason
	}, nil
}

type initEvalsResult struct {
	OK      bool     `json:"ok"`
	Written bool     `json:"written"`
	File    string   `json:"file"`
	Cases   int      `json:"cases"`
	Next    []string `json:"next"`
}

func initEvals(c *cli.Call, dir string) (cli.Result, error) {
	full := dir
	if !filepath.IsAbs(full) {
		full = filepath.Join(c.Dir, dir)
	}
	written, cases, err := check.InitEvals(full)
	if err != nil {
		return cli.Result{}, err
	}
	result := initEvalsResult{OK: true, Written: written, File: filepath.Join(dir, check.EvalFile), Cases: cases, Next: []string{command.Line([]string{hcpx.Name, "check", dir, "--probe", "--agent"})}}
	return cli.Result{Value: result, Text: func(p *cli.Page) {
		if written {
			p.Line(p.Green("written"), " ", result.File, "; put real values in place of each TODO")
		} else {
			p.Line(result.File, " is there already and was left alone")
		}
		hcpx.NotesAndNext(p, nil, result.Next)
	}}, nil
}

type evalResult struct {
	OK     bool            `json:"ok"`
	PackID string          `json:"pack_id"`
	Error  string          `json:"error,omitempty"`
	Code   string          `json:"code,omitempty"`
	Evals  *check.Evals    `json:"evals,omitempty"`
	Issues []hcp.LintIssue `json:"issues,omitempty"`
	Next   []string        `json:"next,omitempty"`
}

func evalCommand(c *cli.Call) *cobra.Command {
	var timeout int
	cmd := &cobra.Command{
		Use:     "eval <pack_dir> [--timeout ms]",
		Long:    "Runs the cases of hcp.eval.json through the runtime, over a store that is thrown away, and prints one line for each. The exit code is 1 when a case fails, when there is no file, and when the pack fails lint.",
		Example: "hcpx eval ./packs/ledger",
	}
	cmd.Flags().IntVar(&timeout, "timeout", int(check.DefaultTimeout/time.Millisecond), "how many `milliseconds` a case may take")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		if timeout < 1 {
			return cli.Result{}, fault.New(cli.CodeUsage, "--timeout must be positive")
		}
		o, err := checkOptions(ctx, c, args[0], timeout)
		if err != nil {
			return cli.Result{}, err
		}
		id, evals, issues, err := check.Evaluate(ctx, o)
		if err != nil {
			return cli.Result{}, err
		}
		if evals == nil {
			result := evalResult{PackID: id, Error: "the pack fails lint, so no case ran", Code: store.CodeLintFailed, Issues: issues, Next: []string{command.Line([]string{hcpx.Name, "lint", args[0]})}}
			return cli.Result{Value: result, Exit: fault.ExitFailure}, nil
		}
		out := cli.Result{Value: evalResult{OK: evals.Failed == 0, PackID: id, Evals: evals}, Raw: evals.Text()}
		if evals.Failed > 0 {
			out.Exit = fault.ExitFailure
		}
		return out, nil
	})
	return cmd
}
