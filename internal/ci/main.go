// Command ci runs everything that must hold before a change lands, and says by
// name what it left out on this machine and why.
//
// It is a tool for people who work on the repository and part of no product
// program. With CI=true in the environment a check that was left out, or a test
// that was skipped, is a failure: what a check did not look at is not known to
// be right. Without arguments every step runs; with arguments only those named.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"
)

// step is one check. It returns leftOutError when this machine cannot run it.
type step struct {
	name string
	run  func(ctx context.Context, r *runner) error
}

// leftOutError is the reason why a check did not run.
type leftOutError string

func (l leftOutError) Error() string { return string(l) }

// runner carries what steps share and gather.
type runner struct {
	strict   bool
	fuzzTime string
	temp     string
	env      []string
	passed   int
	failed   int
	skipped  []string
}

// steps lists the checks, the quick ones first.
var steps = []step{
	{"format", checkFormat},
	{"tidy", checkTidy},
	{"vet", func(ctx context.Context, r *runner) error { return r.command(ctx, nil, "vet", "./...") }},
	{"test", func(ctx context.Context, r *runner) error { return r.goTest(ctx, []string{"./..."}) }},
	{"demo", runDemo},
	{"cross", crossCompile},
	{"staticcheck", func(ctx context.Context, r *runner) error { return r.tool(ctx, "staticcheck", "./...") }},
	{"golangci-lint", func(ctx context.Context, r *runner) error { return r.tool(ctx, "golangci-lint", "run", "./...") }},
	{"vulnerabilities", checkVulnerabilities},
	{"race", testRace},
	{"fuzz", fuzzAll},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ci:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	r := &runner{strict: os.Getenv("CI") == "true"}
	flag.StringVar(&r.fuzzTime, "fuzztime", "1s", "how long to fuzz each target")
	flag.Parse()
	if err := checkNames(flag.Args()); err != nil {
		return err
	}
	temp, remove, err := tempDir()
	if err != nil {
		return err
	}
	defer remove()
	r.temp = temp
	r.env = append(os.Environ(), "TMPDIR="+temp)
	if !runSteps(ctx, r, flag.Args()) {
		return errors.New("not everything holds")
	}
	return nil
}

func checkNames(names []string) error {
	var known []string
	for _, s := range steps {
		known = append(known, s.name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown step %q; the steps are %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// runSteps runs the steps, all of them also after a failure, and reports.
func runSteps(ctx context.Context, r *runner, only []string) bool {
	var failures, left []string
	for _, s := range steps {
		if len(only) > 0 && !slices.Contains(only, s.name) {
			continue
		}
		fmt.Printf("== %s\n", s.name)
		start := time.Now()
		err := s.run(ctx, r)
		took := time.Since(start).Round(100 * time.Millisecond)
		reason, out := errors.AsType[leftOutError](err)
		switch {
		case out:
			left = append(left, s.name+": "+string(reason))
			fmt.Printf("   left out: %s\n", reason)
		case err != nil:
			failures = append(failures, s.name+": "+err.Error())
			fmt.Printf("   FAILED after %s: %v\n", took, err)
		default:
			fmt.Printf("   ok, %s\n", took)
		}
		if ctx.Err() != nil {
			failures = append(failures, "interrupted")
			break
		}
	}
	return r.report(failures, left)
}

func (r *runner) report(failures, left []string) bool {
	slices.Sort(r.skipped)
	left = append(left, slices.Compact(r.skipped)...)
	fmt.Println()
	if len(left) > 0 {
		fmt.Println("Left out on this machine:")
		for _, l := range left {
			fmt.Println("  " + l)
		}
	}
	if len(failures) > 0 {
		fmt.Println("Failed:")
		for _, f := range failures {
			fmt.Println("  " + f)
		}
	}
	ok := len(failures) == 0
	if r.strict && len(left) > 0 {
		fmt.Println("CI=true: what was left out counts as failed.")
		ok = false
	}
	if r.passed+r.failed > 0 {
		fmt.Printf("%d passed, %d failed, %d skipped\n", r.passed, r.failed, len(r.skipped))
	}
	return ok
}

// command runs go with its output shown.
func (r *runner) command(ctx context.Context, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = slices.Concat(r.env, env)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// output runs go and returns what it wrote to stdout.
func (r *runner) output(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = r.env
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

// tool runs a program that tools/go.mod pins.
func (r *runner) tool(ctx context.Context, name string, args ...string) error {
	return r.command(ctx, nil, append([]string{"tool", "-modfile=tools/go.mod", name}, args...)...)
}
