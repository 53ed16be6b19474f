package host

import "bridle/internal/kernel/configedit"

// opencodeTarget configures OpenCode. It gets an entry under mcp, which starts
// without anything being fetched: a plugin that is named but not to be had makes
// the host hang at its start.
func opencodeTarget() Target {
	return Target{Name: "opencode", files: func(in Input) []configedit.File {
		type local struct {
			Type        string            `json:"type"`
			Command     []string          `json:"command"`
			Enabled     bool              `json:"enabled"`
			Environment map[string]string `json:"environment,omitempty"`
		}
		entry := local{Type: "local", Command: []string{in.CLI, "mcp"}, Enabled: true, Environment: in.env()}
		return append(common(in, ".opencode/skills/hcp/SKILL.md"), configedit.File{
			Path: "opencode.json", Alternatives: []string{"opencode.jsonc"}, Format: configedit.FormatJSON,
			Snippet: configedit.Indented(map[string]any{"hcp": pointerOf(in), "mcp": map[string]any{"hcp": entry}}),
			Edit: func(e *configedit.Edit) error {
				if err := e.Set([]string{"hcp"}, configedit.Compact(pointerOf(in))); err != nil {
					return err
				}
				return e.Set([]string{"mcp", "hcp"}, configedit.Compact(entry))
			},
		})
	}}
}
