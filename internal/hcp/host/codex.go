package host

import (
	"fmt"

	"bridle/internal/kernel/configedit"
)

// codexTarget configures Codex: the Skill and a section of AGENTS.md. Its own
// settings are the user's file outside of the workspace, so they are printed.
func codexTarget() Target {
	return Target{
		Name: "codex",
		files: func(in Input) []configedit.File {
			body := agentsText(in.CLI, skillPath)
			return append(common(in, skillPath), configedit.File{
				Path: "AGENTS.md", Format: configedit.FormatMarkdown,
				Snippet: body + "\n",
				Edit:    func(e *configedit.Edit) error { return e.SetBlock(markdownMarks, body) },
			})
		},
		manual: func(in Input) []Manual {
			home := in.Home
			if home == "" {
				home = in.Store
			}
			return []Manual{{Path: "~/.codex/config.toml", Text: fmt.Sprintf(`[mcp_servers.hcp]
command = %s
args = ["mcp"]

[mcp_servers.hcp.env]
HCP_HOME = %s

# Marks the shell of Codex, so that commands which belong to a person refuse there.
[shell_environment_policy.set]
HCP_AGENT = "1"
`, configedit.Quote(in.CLI), configedit.Quote(home))}}
		},
	}
}
