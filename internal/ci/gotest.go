package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// event is one line of `go test -json`.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64
}

// goTest runs the tests of packages and counts. Output is shown for what
// failed; a skipped test is remembered with its reason.
func (r *runner) goTest(ctx context.Context, packages []string, flags ...string) error {
	args := append([]string{"test", "-json", "-count=1", "-timeout=10m"}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
	cmd.Env = r.env
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	before := r.failed
	readErr := r.readEvents(bufio.NewScanner(out))
	if err := errors.Join(readErr, cmd.Wait()); err != nil {
		return fmt.Errorf("%d tests failed: %w", r.failed-before, err)
	}
	return nil
}

func (r *runner) readEvents(lines *bufio.Scanner) error {
	lines.Buffer(nil, 16<<20)
	logs := map[string][]string{}
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			// A line of the toolchain itself, such as a build failure.
			fmt.Println(lines.Text())
			continue
		}
		key := e.Package + " " + e.Test
		switch e.Action {
		case "output":
			logs[key] = append(logs[key], e.Output)
		case "build-output":
			fmt.Print(e.Output)
		case "pass", "fail", "skip":
			r.finish(e, logs[key])
			delete(logs, key)
		}
	}
	return lines.Err()
}

// finish counts a test, or closes a package.
func (r *runner) finish(e event, log []string) {
	switch {
	case e.Test == "" && e.Action == "skip":
	case e.Test == "":
		if e.Action == "fail" {
			fmt.Print(strings.Join(log, ""))
		}
		fmt.Printf("   %-4s %s %.1fs\n", e.Action, e.Package, e.Elapsed)
	case e.Action == "pass":
		r.passed++
	case e.Action == "fail":
		r.failed++
		fmt.Print(strings.Join(log, ""))
	case e.Action == "skip":
		r.skipped = append(r.skipped, fmt.Sprintf("%s in %s: %s", e.Test, e.Package, reason(log)))
	}
}

// reason finds what a test said when it skipped itself.
func reason(log []string) string {
	for _, line := range log {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") {
			continue
		}
		if _, text, found := strings.Cut(line, ".go:"); found {
			if _, text, found = strings.Cut(text, ": "); found {
				return text
			}
		}
		return line
	}
	return "no reason given"
}

// scripted are packages whose tests start whole programs, hundreds of times. A
// program with the race detector in it starts ten times slower, and these have
// one thread of work each: what they are made of is raced in its own package.
var scripted = []string{
	"bridle/hound/guard",
	"bridle/internal/hcp/hcpx",
	"bridle/internal/hop/hopcli",
	"bridle/internal/hop/trial",
	"bridle/internal/hound/houndcli",
	"bridle/packs",
}

// raced are the packages that are tested with the race detector.
func raced(all []string) []string {
	return slices.DeleteFunc(all, func(pkg string) bool { return slices.Contains(scripted, pkg) })
}

func testRace(ctx context.Context, r *runner) error {
	compiler, err := r.output(ctx, "env", "CC")
	if err != nil {
		return err
	}
	compiler = strings.TrimSpace(compiler)
	if _, err := exec.LookPath(compiler); err != nil {
		return leftOutError(fmt.Sprintf("the race detector needs a C compiler, and %q is not there", compiler))
	}
	race := *r
	race.env = slices.Concat(r.env, []string{"CGO_ENABLED=1", "GORACE=atexit_sleep_ms=0"})
	race.passed, race.failed = 0, 0
	all, err := r.output(ctx, "list", "./...")
	if err != nil {
		return err
	}
	err = race.goTest(ctx, raced(strings.Fields(all)), "-race")
	r.skipped = race.skipped
	return err
}
