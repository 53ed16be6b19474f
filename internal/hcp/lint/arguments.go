package lint

import (
	"bridle/hcp"
	"bridle/internal/hcp/command"
	"bridle/internal/kernel/fault"
)

// arguments: the args schema of each command is one that a call can be checked
// against. The manifest's schema takes any object there, and a command whose
// declaration cannot be honoured would refuse every call.
func (f *findings) arguments(m *hcp.Manifest) {
	for key, c := range m.Verbs.All() {
		if err := command.Verify(m, key); err != nil {
			f.add(hcp.LintInvalidMeta, key, "%s", fault.From(err).Message)
		}
		if c.CLI != nil && len(c.CLI) == 0 {
			f.note("command %q has an empty cli, which counts as none", key)
		}
		for _, name := range command.Unplaced(m, key) {
			f.add(hcp.LintInvalidMeta, key, "command %q requires the argument %q, which its cli has no place for: no call of it can run", key, name)
		}
		for _, name := range command.Undeclared(m, key) {
			f.note("cli of command %q has the placeholder %q, which is no argument of it and is always left out", key, "{{"+name+"}}")
		}
		for _, name := range command.Shadowing(c) {
			f.note("command %q declares the argument %q, which is reserved and reaches no command", key, name)
		}
	}
}
