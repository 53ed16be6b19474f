// Package agent knows the variables by which coding agents mark the commands
// that they run.
//
// Invariants: it looks at the environment that it is given and at no other, and
// a marker shows that an agent is at work, while the absence of all of them
// shows nothing: whoever starts a command can take variables away.
package agent

import (
	"runtime"
	"slices"
	"strings"
)

// markers are variables that coding agents set for the commands they run. A
// marker counts when it has any value but the empty one, "0" and "false".
var markers = [...]string{"CLAUDECODE", "CODEX_THREAD_ID", "AI_AGENT", "OPENCODE", "AGENT", "GEMINI_CLI"}

// prefixes are those of families of such variables.
var prefixes = [...]string{"CODEX_SANDBOX", "CURSOR_"}

// Marker returns the first variable that marks an environment, of NAME=value
// entries, as an agent's: one that the caller names, or one of those that the
// known agents set. AGENT alone is too common a word and counts only with the
// value 1.
func Marker(environ []string, more ...string) (name string, found bool) {
	for _, list := range [][]string{more, markers[:]} {
		for _, name := range list {
			if set(environ, name) {
				return name, true
			}
		}
	}
	for _, entry := range environ {
		for _, prefix := range prefixes {
			if !strings.HasPrefix(entry, prefix) {
				continue
			}
			if name, value, _ := strings.Cut(entry, "="); marks(value) {
				return name, true
			}
		}
	}
	return "", false
}

// set reports whether a variable marks. Of two entries with one name the later
// one counts, as in a process started with them.
func set(environ []string, name string) bool {
	for _, entry := range slices.Backward(environ) {
		if n := len(name); len(entry) > n && entry[n] == '=' && same(entry[:n], name) {
			value := entry[n+1:]
			return marks(value) && (name != "AGENT" || value == "1")
		}
	}
	return false
}

func same(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

func marks(value string) bool {
	switch strings.ToLower(value) {
	case "", "0", "false":
		return false
	}
	return true
}
