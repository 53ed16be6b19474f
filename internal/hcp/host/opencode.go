package host

// opencodeTarget configures OpenCode. It gets an entry under mcp, which starts
// without anything being fetched: a plugin that is named but not to be had makes
// the host hang at its start.
func opencodeTarget() Target {
	return Target{Name: "opencode", files: func(in Input) []file {
		type local struct {
			Type        string            `json:"type"`
			Command     []string          `json:"command"`
			Enabled     bool              `json:"enabled"`
			Environment map[string]string `json:"environment,omitempty"`
		}
		entry := local{Type: "local", Command: []string{in.CLI, "mcp"}, Enabled: true, Environment: in.env()}
		return append(common(in, ".opencode/skills/hcp/SKILL.md"), file{
			path: "opencode.json", alternatives: []string{"opencode.jsonc"}, format: formatJSON,
			snippet: indented(map[string]any{"hcp": pointerOf(in), "mcp": map[string]any{"hcp": entry}}),
			edit: func(e *edit) error {
				if err := e.set([]string{"hcp"}, compact(pointerOf(in))); err != nil {
					return err
				}
				return e.set([]string{"mcp", "hcp"}, compact(entry))
			},
		})
	}}
}
