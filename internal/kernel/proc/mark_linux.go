package proc

import "strings"

// MarkVariable is the environment variable that children carry beyond what their
// Spec says: unconfined ones always, confined ones when their Spec has a Mark. Its value is a random number for each run, by which
// descendants that left the session are recognised. A run inside another one
// appends its own.
const MarkVariable = "BRIDLE_RUN"

// mark returns the environment with the mark, and the part of it that is this
// run's own: the one that was chosen, else a new one.
func mark(env []string, chosen string) (marked []string, token []byte) {
	if chosen == "" {
		chosen = NewMark()
	}
	token = []byte(chosen)
	value := chosen
	marked = make([]string, 0, len(env)+1)
	for _, pair := range env {
		name, outer, _ := strings.Cut(pair, "=")
		if name == MarkVariable {
			value = outer + "," + value
			continue
		}
		marked = append(marked, pair)
	}
	return append(marked, MarkVariable+"="+value), token
}
