package host

import (
	"fmt"
	"strings"

	"bridle/internal/kernel/configedit"
)

// grokTarget configures Grok Bot and Grok Build. The terminal is the first way;
// the server is for where there is none.
func grokTarget() Target {
	return Target{Name: "grok", Aliases: []string{"grokbot"}, files: func(in Input) []configedit.File {
		body := grokTOML(in)
		return append(common(in, ".grok/skills/hcp/SKILL.md"),
			pointerFile(in, ".grok/hcp.json"),
			configedit.File{Path: ".grok/config.toml", Format: configedit.FormatTOML, Snippet: body + "\n", Edit: func(e *configedit.Edit) error { return e.SetTOML(tomlMarks, body, "mcp_servers", "hcp") }},
			configedit.File{Path: ".grok/rules/hcp.md", Whole: ruleText(in.CLI)},
			serverFile(in, ".mcp.json", "mcpServers", "stdio"))
	}}
}

func grokTOML(in Input) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[mcp_servers.hcp]\ncommand = %s\nargs = [\"mcp\"]\nenabled = true\nstartup_timeout_sec = 30\n", configedit.Quote(in.CLI))
	if in.Home != "" {
		fmt.Fprintf(&b, "env = { HCP_HOME = %s }\n", configedit.Quote(in.Home))
	}
	b.WriteString("\n[permission]\nallow = [\"Bash(hcpx *)\", \"Bash(hcp *)\", \"Bash(bun *hcp*)\", \"MCPTool(hcp__*)\"]")
	return b.String()
}
