package op

import (
	"context"
	"strings"

	"bridle/hop"
)

// environment is the contract for a state of an attempt whose workspace is
// absolute.
func (p *Project) environment(s hop.State, attempt hop.Attempt) hop.Environment {
	return hop.Environment{
		Root: p.Layout.Root, State: s.ID, Task: s.TaskID, Attempt: s.AttemptID, Workspace: attempt.Workspace,
		Variables: map[string]string{
			hop.EnvRoot: p.Layout.Root, hop.EnvState: s.ID, hop.EnvTask: s.TaskID, hop.EnvAttempt: s.AttemptID, hop.EnvWorkspace: attempt.Workspace,
		},
	}
}

// Environment returns the environment contract for a state of an attempt.
func (p *Project) Environment(ctx context.Context, id string) (hop.Environment, error) {
	s, attempt, err := p.stateOfAttempt(ctx, id)
	if err != nil {
		return hop.Environment{}, err
	}
	return p.environment(s, p.absolute(attempt)), nil
}

// ShellVariables are the variables as lines for a POSIX shell. Whatever a path
// holds, evaluating them does nothing but set it.
func ShellVariables(e hop.Environment) string {
	var b strings.Builder
	for _, name := range hop.EnvNames() {
		b.WriteString("export " + name + "=" + Quote(e.Variables[name]) + "\n")
	}
	return b.String()
}

// ShellLines are ShellVariables and the change to the workspace.
func ShellLines(e hop.Environment) string {
	var b strings.Builder
	b.WriteString(ShellVariables(e))
	folder := Quote(e.Workspace)
	if strings.HasPrefix(folder, "-") {
		folder = "./" + folder
	}
	b.WriteString("cd " + folder + "\n")
	return b.String()
}

// Quote writes a word so that a POSIX shell reads exactly it: bare where every
// character is harmless, else in single quotes.
func Quote(word string) string {
	harmless := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:,+@%=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !harmless(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}

// QuoteAll writes the words of a command as one line.
func QuoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}
