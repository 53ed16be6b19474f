// Package bench compares the tools with what they are measured against, in one
// run on one machine. Every figure is a ratio, because machines differ.
//
// A machine's clock changes from one second to the next, and others use the
// machine; so two times can only be compared when they were taken together. In each
// round all racers run back to back, in another order each time, and a ratio is
// the median of the ratios of the rounds. It is neither that of two minima, which
// may be of different moments, nor moved by a round in which something came between.
// The time that is printed for the first of them is its median, and those of the
// others are such that their quotients by it are these ratios.
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

// race runs every racer in turn, round by round, and returns what paired makes of
// their times.
func race(tb testing.TB, rounds int, racers ...racer) []time.Duration {
	tb.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		tb.Fatal(err)
	}
	defer null.Close()
	calls := make([]func() time.Duration, len(racers))
	for i, r := range racers {
		calls[i] = func() time.Duration { return r.run(tb, null) }
	}
	return compare(rounds, calls...)
}

// compare makes timed calls, round by round. The first round warms the caches.
func compare(rounds int, calls ...func() time.Duration) []time.Duration {
	times := make([][]time.Duration, len(calls))
	for round := range rounds + 1 {
		for at := range calls {
			i := turn(round, at, len(calls))
			if took := calls[i](); round > 0 {
				times[i] = append(times[i], took)
			}
		}
	}
	return paired(times...)
}

// turn says who comes at a place of a round: everyone begins as often as the
// others, and every second round goes backwards, so that nobody always comes after
// the same one.
func turn(round, at, racers int) int {
	if round%2 == 1 {
		at = racers - 1 - at
	}
	return (round/2 + at) % racers
}

// paired returns the median of the first racer's times, and for every other one the
// time that is to it as the racer's time was to the first one's, in the median of
// the rounds.
func paired(times ...[]time.Duration) []time.Duration {
	first := median(times[0])
	all := []time.Duration{first}
	for _, other := range times[1:] {
		ratios := make([]float64, len(other))
		for round, took := range other {
			ratios[round] = float64(took) / float64(times[0][round])
		}
		all = append(all, time.Duration(median(ratios)*float64(first)))
	}
	return all
}

func median[T float64 | time.Duration](all []T) T {
	sorted := slices.Sorted(slices.Values(all))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// timed returns a function that makes a call and tells how long that took.
func timed(call func()) func() time.Duration {
	return func() time.Duration {
		start := time.Now()
		call()
		return time.Since(start)
	}
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
	m := compare(rounds, timed(call), func() time.Duration { return r.run(tb, null) })
	return m[0], m[1]
}
