package card

import (
	"bridle/hcp"
	"bridle/internal/hcp/command"
)

// Description is a call in the pack's words.
type Description struct {
	PackName string
	Summary  string
	Args     []hcp.CallArg
	// CLI is the exact command line, empty for commands without one.
	CLI string
}

// Describe words a call: the pack's name, what the command does, each argument
// with its description, and the command line.
func Describe(m *hcp.Manifest, key string, args hcp.Args) Description {
	declared, _ := command.Lookup(m, key)
	d := Description{PackName: m.Name, Summary: declared.Description, Args: callArgs(m, key, args)}
	if m.EffectiveKind() != hcp.KindWrap && len(declared.CLI) == 0 {
		return d
	}
	if argv, err := command.Render(m, key, args); err == nil {
		d.CLI = ShellLine(argv.Words())
	}
	return d
}

// callArgs lists the arguments of a call with the pack's words for them.
func callArgs(m *hcp.Manifest, key string, args hcp.Args) []hcp.CallArg {
	words := map[string]string{}
	for _, a := range declaredArguments(m, key) {
		words[a.Name] = a.Description
	}
	list := make([]hcp.CallArg, 0, len(args))
	for _, name := range argumentOrder(m, key, args) {
		list = append(list, hcp.CallArg{Name: name, Value: args[name], Description: words[name]})
	}
	return list
}
