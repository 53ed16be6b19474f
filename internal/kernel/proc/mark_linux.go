package proc

import (
	"encoding/hex"
	"strings"

	"golang.org/x/sys/unix"
)

// MarkVariable is the environment variable that unconfined children carry beyond
// what their Spec says. Its value is a random number for each run, by which
// descendants that left the session are recognised. A run inside another one
// appends its own.
const MarkVariable = "BRIDLE_RUN"

// mark returns the environment with the mark, and the part of it that is this
// run's own.
func mark(env []string) (marked []string, token []byte, err error) {
	var random [16]byte
	if _, err := unix.Getrandom(random[:], 0); err != nil {
		return nil, nil, err
	}
	token = hex.AppendEncode(nil, random[:])
	value := string(token)
	marked = make([]string, 0, len(env)+1)
	for _, pair := range env {
		name, outer, _ := strings.Cut(pair, "=")
		if name == MarkVariable {
			value = outer + "," + value
			continue
		}
		marked = append(marked, pair)
	}
	return append(marked, MarkVariable+"="+value), token, nil
}
