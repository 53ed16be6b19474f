package cli

import "bridle/internal/kernel/agent"

// AgentMarker returns the first variable that marks this environment as an
// agent's: one of those that the known agents set, or one that the caller
// names.
func (e Env) AgentMarker(more ...string) (name string, found bool) {
	return agent.Marker(e.vars, more...)
}
