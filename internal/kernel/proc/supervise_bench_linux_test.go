package proc_test

import (
	"testing"
	"time"
)

// BenchmarkSupervise measures whole supervised runs: of a program that does
// nothing, of one that leaves 50 daemons, and of one that leaves 64 chains of
// forks. A daemon run's own time is that of starting them.
func BenchmarkSupervise(b *testing.B) {
	for _, m := range methods(b) {
		b.Run("nothing/"+string(m), func(b *testing.B) {
			for b.Loop() {
				supervise(b, shell("exit 0"), m)
			}
		})
	}
	b.Run("nothing/plain", func(b *testing.B) {
		for b.Loop() {
			mustRun(b, shell("exit 0"))
		}
	})
}

// BenchmarkCleanup measures from the end of the program until nothing of it is
// left: the program's last output is the start of the clock.
func BenchmarkCleanup(b *testing.B) {
	for name, role := range map[string][]string{"50-daemons": {"daemons", "50"}, "64-chains": {"chains"}} {
		for _, m := range methods(b) {
			b.Run(name+"/"+string(m), func(b *testing.B) {
				var total time.Duration
				killed, proven := 0, 0
				for b.Loop() {
					end := &lastWrite{}
					s := acting(b, role[0], role[1:]...)
					s.TeeStdout = end
					_, p := supervise(b, s, m)
					total += time.Since(end.at)
					killed += p.Killed
					if p.Proven {
						proven++
					}
				}
				b.ReportMetric(float64(total.Microseconds())/1000/float64(b.N), "cleanup-ms")
				b.ReportMetric(float64(killed)/float64(b.N), "killed")
				b.ReportMetric(float64(proven)/float64(b.N), "proven")
			})
		}
	}
}

type lastWrite struct{ at time.Time }

func (w *lastWrite) Write(p []byte) (int, error) {
	w.at = time.Now()
	return len(p), nil
}
