package bench

import (
	"fmt"
	"testing"
	"time"
)

// Some goals are stated in milliseconds. They were set on one machine, on which the
// programs below took the times below as whole processes. Elsewhere such a goal is
// that multiple of what the same program takes there, timed in turn with the figure.

// yardstick is one of these programs.
type yardstick struct {
	name  string
	there time.Duration
}

var emptyProgram = yardstick{"empty Go program", 1040 * time.Microsecond}

// holds prints a figure, what the yardstick took in the same run, and whether the
// figure keeps within the goal.
func (y yardstick) holds(b *testing.B, what string, took, here, goal time.Duration) {
	b.Helper()
	verdict := "missed"
	multiple, most := float64(took)/float64(here), float64(goal)/float64(y.there)
	if multiple <= most {
		verdict = "holds"
	}
	fmt.Printf("%-44s %7.3f ms  %-26s %7.2f ms  times %5.3f  (goal %.3g ms where that takes %.2f: at most %.3f times; %s)\n",
		what, ms(took), y.name, ms(here), multiple, ms(goal), ms(y.there), most, verdict)
	b.ReportMetric(multiple, "yardsticks")
}
