package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"bridle/hcp"
)

// argvName is the one argument of a pass-through subcommand: the further words.
const argvName = "argv"

// Lookup returns a command of the pack: a named one, or in a wrap pack that is
// still a bootstrap (§3.5) one of the allowed subcommands, called by its own
// name with words joined by dots. A subcommand has no more than its Policy row
// allows: without one it does not run, as no command does.
func Lookup(m *hcp.Manifest, key string) (hcp.Command, bool) {
	if c, ok := m.Verbs.Get(key); ok {
		return c, true
	}
	words, ok := allowed(m, key)
	if !ok {
		return hcp.Command{}, false
	}
	name := m.CLIBin
	if name == "" {
		name = m.ID
	}
	most := m.PassThrough.MaxArgv - len(words)
	return hcp.Command{
		Description: fmt.Sprintf("Pass further words to %q.", strings.Join(words, " ")),
		CLI:         append([]string{name}, words...),
		Args: fmt.Appendf(nil, `{"type":"object","properties":{%q:{"type":"array","items":{"type":"string"},"maxItems":%d,`+
			`"description":"Further words of the command line, as a JSON list."}}}`, argvName, max(most, 0)),
	}, true
}

// Keys are the commands of a pack that may be called: those that the manifest
// declares, in its order, and the subcommands of a bootstrap that have a Policy
// row.
func Keys(m *hcp.Manifest, policy *hcp.Policy) []string {
	keys := m.Verbs.Keys()
	for _, key := range slices.Sorted(maps.Keys(policy.Verbs)) {
		if IsPassThrough(m, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// IsPassThrough reports whether the key is a subcommand of a bootstrap and not
// a named command.
func IsPassThrough(m *hcp.Manifest, key string) bool {
	if _, named := m.Verbs.Get(key); named {
		return false
	}
	_, ok := allowed(m, key)
	return ok
}

// allowed returns the words of the subcommand that the key names. maxArgv
// bounds all the words behind the program's name, so a subcommand with more
// words than that can never run.
func allowed(m *hcp.Manifest, key string) ([]string, bool) {
	if m.PassThrough == nil || m.EffectiveKind() != hcp.KindWrap {
		return nil, false
	}
	for _, entry := range m.PassThrough.AllowedSubcommands {
		words := strings.Fields(entry)
		if len(words) == 0 || strings.Join(words, ".") != key || len(words) > m.PassThrough.MaxArgv {
			continue
		}
		if slices.ContainsFunc(words, func(w string) bool { return w[0] == '-' }) {
			continue
		}
		return words, true
	}
	return nil, false
}

// forwarded are the further words. They keep their origin, but may be options:
// forwarding those is what a bootstrap is for.
func forwarded(args hcp.Args) []Token {
	list, _ := args[argvName].([]any)
	var tokens []Token
	for _, item := range list {
		if text := textOf(item); text != "" {
			tokens = append(tokens, Token{Text: text, Parts: []Part{{Text: text, Arg: argvName}}, own: true})
		}
	}
	return tokens
}
