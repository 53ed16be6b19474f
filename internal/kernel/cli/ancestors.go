package cli

import "fmt"

// Ancestor is a process above this one, as far as this user may look at it: its
// number, what it calls itself, and the environment it was started with.
type Ancestor struct {
	PID  int
	Name string
	Env  Env
}

// maxAncestors bounds the way up.
const maxAncestors = 64

// agentPrograms are what known agents call themselves. They mark the commands
// they run, and mostly not themselves.
var agentPrograms = [...]string{"claude", "codex", "opencode", "gemini", "cursor-agent"}

// AgentAbove says which process above this one shows an agent at work: one that
// was started with a marker, or that is a known agent. A marker that the caller
// took out of the environment still stands in that of the shell it used.
func (i *Invocation) AgentAbove(more ...string) (who string, found bool) {
	if i.Ancestors == nil {
		return "", false
	}
	for _, a := range i.Ancestors() {
		if name, marked := a.Env.AgentMarker(more...); marked {
			return fmt.Sprintf("%s of the process %d above (%s)", name, a.PID, a.Name), true
		}
		for _, program := range agentPrograms {
			if a.Name == program {
				return fmt.Sprintf("the process %d above (%s)", a.PID, a.Name), true
			}
		}
	}
	return "", false
}

// AgentSign says what shows an agent at work: a marker in this environment, or,
// since the caller can take that away, a process above; "" for nothing. Looking
// above costs a few files, so it is done where something hangs on it.
func (i *Invocation) AgentSign(more ...string) string {
	if marker, marked := i.Env.AgentMarker(more...); marked {
		return marker
	}
	who, _ := i.AgentAbove(more...)
	return who
}
