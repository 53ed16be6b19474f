package hcpx

import (
	"bridle/internal/hcp/command"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// RequirePerson refuses what only a person may do: under every known marker of
// an agent, here or on a process above, and where no terminal belongs to the process, since whoever took
// the markers away still has no person at it. What is refused is named by act.
func RequirePerson(c *cli.Call, act string) error {
	if personPresent(c) {
		return nil
	}
	why := "there is no terminal with a person at it"
	if marker := agentSign(c); marker != "" {
		why = marker + " says that an agent is at work"
	}
	return fault.Newf(CodeHumanOnly, "only a person %s", act).
		WithHint("%s; show the user the command, and let them run it in a terminal of their own", why).
		WithNext(command.Line(append([]string{Name}, c.Args...)))
}

// RefuseAgent refuses what a marker of an agent in the environment forbids, and
// asks for no terminal: jobs without a person, such as tests, may do it.
func RefuseAgent(c *cli.Call, act string) error {
	marker := agentMarker(c)
	if marker == "" {
		return nil
	}
	return fault.Newf(CodeHumanOnly, "no agent %s", act).
		WithHint("%s says that an agent is at work; show the user the command, and let them run it in a terminal of their own", marker).
		WithNext(command.Line(append([]string{Name}, c.Args...)))
}
