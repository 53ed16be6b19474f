package cli

import "strings"

// agentMarkers are variables that coding agents set for the commands they run.
// A marker counts when it has any value but the empty one, "0" and "false".
var agentMarkers = [...]string{"CLAUDECODE", "CODEX_THREAD_ID", "AI_AGENT", "OPENCODE", "AGENT", "GEMINI_CLI"}

// agentPrefixes are prefixes of families of such variables.
var agentPrefixes = [...]string{"CODEX_SANDBOX", "CURSOR_"}

// AgentMarker returns the first variable that marks this environment as an
// agent's: one of those that the known agents set, or one that the caller
// names. AGENT alone is too common a word and counts only with the value 1.
func (e Env) AgentMarker(more ...string) (name string, found bool) {
	for _, list := range [][]string{more, agentMarkers[:]} {
		for _, name := range list {
			value := e.Get(name)
			if name == "AGENT" && value != "1" {
				continue
			}
			if marks(value) {
				return name, true
			}
		}
	}
	for _, entry := range e.vars {
		name, value, _ := strings.Cut(entry, "=")
		for _, prefix := range agentPrefixes {
			if strings.HasPrefix(name, prefix) && marks(value) {
				return name, true
			}
		}
	}
	return "", false
}

func marks(value string) bool {
	switch strings.ToLower(value) {
	case "", "0", "false":
		return false
	}
	return true
}
