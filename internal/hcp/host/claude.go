package host

import "bridle/internal/kernel/configedit"

// claudeTarget configures Claude Code: a server in .mcp.json, which it asks
// about on its next start, the Skill, and the settings that mark its shell as
// an agent's and refuse it what belongs to a person.
func claudeTarget() Target {
	return Target{Name: "claude", files: func(in Input) []configedit.File {
		deny := claudeDenied(in)
		settings := configedit.File{
			Path: ".claude/settings.json", Format: configedit.FormatJSON,
			Snippet: configedit.Indented(map[string]any{"env": map[string]string{"HCP_AGENT": "1"}, "permissions": map[string]any{"deny": deny}}),
			Edit: func(e *configedit.Edit) error {
				if err := e.Set([]string{"env", "HCP_AGENT"}, `"1"`); err != nil {
					return err
				}
				for _, rule := range deny {
					if err := e.AddItems([]string{"permissions", "deny"}, configedit.Quote(rule)); err != nil {
						return err
					}
				}
				return nil
			},
		}
		return append(common(in, ".claude/skills/hcp/SKILL.md"), serverFile(in, ".mcp.json", "mcpServers", "stdio"), settings)
	}}
}

// claudeDenied are the calls that Claude Code refuses its agent: the commands
// that change access, under both names of the program, the environment taken
// apart in front of them, and edits of the store.
func claudeDenied(in Input) []string {
	var rules []string
	for _, cli := range []string{"hcp", "hcpx"} {
		for _, command := range []string{"approve", "reject", "mode", "allow", "ask", "deny", "rules rm"} {
			rules = append(rules, "Bash("+cli+" "+command+" *)")
		}
		rules = append(rules, "Bash(env *"+cli+" *)")
	}
	rules = append(rules, "Edit(~/.hcp/**)")
	if in.Home != "" && in.Home != "~/.hcp" {
		// A path from the root has two slashes in these rules.
		rules = append(rules, "Edit(/"+in.Home+"/**)")
	}
	return rules
}
