package host

import "fmt"

// codexTarget configures Codex: the Skill and a section of AGENTS.md. Its own
// settings are the user's file outside of the workspace, so they are printed.
func codexTarget() Target {
	return Target{
		Name: "codex",
		files: func(in Input) []file {
			body := agentsText(in.CLI, skillPath)
			return append(common(in, skillPath), file{
				path: "AGENTS.md", format: formatMarkdown,
				snippet: body + "\n",
				edit:    func(e *edit) error { return e.setBlock(markdownMarks, body) },
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
`, quote(in.CLI), quote(home))}}
		},
	}
}
