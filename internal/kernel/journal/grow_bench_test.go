package journal

import (
	"cmp"
	"slices"
	"testing"
	"time"
)

// BenchmarkAppendAsTheChainGrows appends in turn to a chain of one line and to
// one of a million, so that whatever else the machine does falls on both alike,
// and reports the ratio of the medians.
func BenchmarkAppendAsTheChainGrows(b *testing.B) {
	for _, c := range []struct {
		name string
		how  Durability
	}{{"NoSync", NoSync}, {"Sync", Sync}} {
		b.Run(c.name, func(b *testing.B) {
			journals := [2]*Journal{open(b, long(b, 1), Options{}), open(b, long(b, 1_000_000), Options{})}
			var times [2][]time.Duration
			e := event{"2026-03-01T10:00:00.000Z", "ledger.entry.add", 7}
			for b.Loop() {
				for i, j := range journals {
					start := time.Now()
					if _, err := j.Append(b.Context(), e, c.how); err != nil {
						b.Fatal(err)
					}
					times[i] = append(times[i], time.Since(start))
				}
			}
			b.ReportMetric(float64(median(times[1]))/float64(median(times[0])), "ratio")
			b.ReportMetric(float64(median(times[1])), "ns/append")
		})
	}
}

func median(times []time.Duration) time.Duration {
	slices.SortFunc(times, cmp.Compare[time.Duration])
	return times[len(times)/2]
}
