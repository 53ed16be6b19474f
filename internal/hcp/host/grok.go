package host

import (
	"fmt"
	"strings"
)

// grokTarget configures Grok Bot and Grok Build. The terminal is the first way;
// the server is for where there is none.
func grokTarget() Target {
	return Target{Name: "grok", Aliases: []string{"grokbot"}, files: func(in Input) []file {
		body := grokTOML(in)
		return append(common(in, ".grok/skills/hcp/SKILL.md"),
			pointerFile(in, ".grok/hcp.json"),
			file{path: ".grok/config.toml", format: formatTOML, snippet: body + "\n", edit: func(e *edit) error { return e.setTOML(body) }},
			file{path: ".grok/rules/hcp.md", whole: ruleText(in.CLI)},
			serverFile(in, ".mcp.json", "mcpServers", "stdio"))
	}}
}

func grokTOML(in Input) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[mcp_servers.hcp]\ncommand = %s\nargs = [\"mcp\"]\nenabled = true\nstartup_timeout_sec = 30\n", quote(in.CLI))
	if in.Home != "" {
		fmt.Fprintf(&b, "env = { HCP_HOME = %s }\n", quote(in.Home))
	}
	b.WriteString("\n[permission]\nallow = [\"Bash(hcpx *)\", \"Bash(hcp *)\", \"Bash(bun *hcp*)\", \"MCPTool(hcp__*)\"]")
	return b.String()
}
