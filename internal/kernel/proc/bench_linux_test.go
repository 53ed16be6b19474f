package proc_test

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/sandbox"
)

// BenchmarkSpawn compares, in turn so that all meet the same load, three ways to
// run a program that does nothing: the standard library reading both outputs,
// Run, and Run with the profile of an ordinary tool. It reports medians in
// microseconds and their ratios, and for crowded machines, where waiting for a
// processor drowns the rest, the processor time of each way.
func BenchmarkSpawn(b *testing.B) {
	const idle = "/bin/true"
	home, project := b.TempDir(), b.TempDir()
	plain := proc.Spec{Path: idle, Timeout: limit}
	profile, err := sandbox.ForTool(sandbox.Tool{Executable: idle, Home: home, Temp: home, ReadWrite: []string{project}})
	if err != nil {
		b.Fatal(err)
	}
	confined := plain
	confined.Profile = &profile
	ways := []func() error{
		func() error {
			var out, errs counter
			cmd := &exec.Cmd{Path: idle, Args: []string{idle}, Env: []string{}, Stdout: &out, Stderr: &errs}
			return cmd.Run()
		},
		func() error { _, err := proc.Run(b.Context(), plain); return err },
		func() error { _, err := proc.Run(b.Context(), confined); return err },
	}
	times := make([][]time.Duration, len(ways))
	used := make([]time.Duration, len(ways))
	for b.Loop() {
		for i, way := range ways {
			before, start := processorTime(b), time.Now()
			if err := way(); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(start))
			used[i] += processorTime(b) - before
		}
	}
	median := func(i int) float64 {
		slices.Sort(times[i])
		return float64(times[i][len(times[i])/2]) / 1000
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(0), "bare-µs")
	b.ReportMetric(median(1), "run-µs")
	b.ReportMetric(median(2), "confined-µs")
	b.ReportMetric(median(1)/median(0), "run/bare")
	b.ReportMetric(median(2)/median(0), "confined/bare")
	b.ReportMetric(float64(used[1])/float64(used[0]), "cpu-run/bare")
	b.ReportMetric(float64(used[2])/float64(used[0]), "cpu-confined/bare")
}

// processorTime is what this process and its children used so far.
func processorTime(b *testing.B) (total time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var usage unix.Rusage
		if err := unix.Getrusage(who, &usage); err != nil {
			b.Fatal(err)
		}
		total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return total
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
