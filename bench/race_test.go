// Package bench compares the tools with what they are measured against, in one
// run on one machine. Every figure is a ratio of the least of interleaved whole
// processes, because machines differ and are noisy and ratios are what holds.
//
//	make bench
package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// racer is one command that is timed as a whole process.
type racer struct {
	name string
	argv []string
	env  []string
	dir  string
	// before runs ahead of each start and is not timed; prepare also says what to
	// start.
	before  func()
	prepare func() []string
}

// run starts the process, waits for it and returns the time that took. Output
// goes to the null device: what is timed is the program.
func (r racer) run(tb testing.TB, null *os.File) time.Duration {
	tb.Helper()
	if r.before != nil {
		r.before()
	}
	if r.prepare != nil {
		r.argv = r.prepare()
	}
	start := time.Now()
	process, err := os.StartProcess(r.argv[0], r.argv, &os.ProcAttr{
		Dir: r.dir, Env: r.env, Files: []*os.File{null, null, null},
	})
	if err != nil {
		tb.Fatalf("%s: %v", r.name, err)
	}
	state, err := process.Wait()
	took := time.Since(start)
	if err != nil || !state.Success() {
		tb.Fatalf("%s: %v %v", r.name, state, err)
	}
	return took
}

// race runs every racer in turn, round by round, and returns the least of each:
// whatever else runs on the machine can only add to it.
func race(tb testing.TB, rounds int, racers ...racer) []time.Duration {
	tb.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		tb.Fatal(err)
	}
	defer null.Close()
	times := make([][]time.Duration, len(racers))
	for round := range rounds + 1 {
		for i, r := range racers {
			took := r.run(tb, null)
			if round > 0 { // the first warms the caches
				times[i] = append(times[i], took)
			}
		}
	}
	least := make([]time.Duration, len(racers))
	for i, t := range times {
		least[i] = slices.Min(t)
	}
	return least
}

// build compiles a program of this module the way a release does.
func build(tb testing.TB, dir, pkg string) string {
	tb.Helper()
	out := filepath.Join(dir, filepath.Base(pkg))
	goTool, err := exec.LookPath("go")
	if err != nil {
		tb.Fatal(err)
	}
	process, err := os.StartProcess(goTool, []string{
		"go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X bridle/internal/kernel/cli.version=v0.0.0", "-o", out, pkg,
	}, &os.ProcAttr{
		Dir: "..", Env: append(os.Environ(), "CGO_ENABLED=0"), Files: []*os.File{nil, os.Stderr, os.Stderr},
	})
	if err != nil {
		tb.Fatal(err)
	}
	if state, err := process.Wait(); err != nil || !state.Success() {
		tb.Fatalf("build %s: %v %v", pkg, state, err)
	}
	return out
}

// report prints one line of the table: what was measured, against what, the
// ratio, and the bound it is held to by those who read it. No bound fails a run.
func report(b *testing.B, what string, took time.Duration, against string, other time.Duration, bound string) {
	b.Helper()
	ratio := float64(took) / float64(other)
	fmt.Printf("%-44s %7.2f ms  %-26s %7.2f ms  ratio %5.2f  (%s)\n",
		what, ms(took), against, ms(other), ratio, bound)
	b.ReportMetric(ratio, "ratio")
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// scratch is a folder on the fastest file system at hand.
func scratch(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp(fastest(), "bridle-bench-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func fastest() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return os.TempDir()
}

// alternate times a function of this process against a racer, in turn.
func alternate(tb testing.TB, rounds int, call func(), r racer) (here, there time.Duration) {
	tb.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		tb.Fatal(err)
	}
	defer null.Close()
	var a, b []time.Duration
	for round := range rounds + 1 {
		start := time.Now()
		call()
		took := time.Since(start)
		other := r.run(tb, null)
		if round > 0 {
			a, b = append(a, took), append(b, other)
		}
	}
	return slices.Min(a), slices.Min(b)
}
