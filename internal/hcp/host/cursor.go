package host

import "bridle/internal/kernel/configedit"

// cursorTarget configures Cursor.
func cursorTarget() Target {
	return Target{Name: "cursor", files: func(in Input) []configedit.File {
		rule := "---\ndescription: Run the user's packs through " + in.CLI + "\nalwaysApply: true\n---\n\n" + ruleText(in.CLI)
		return append(common(in, ".cursor/skills/hcp/SKILL.md"),
			pointerFile(in, ".cursor/hcp.json"),
			serverFile(in, ".cursor/mcp.json", "mcpServers", ""),
			configedit.File{Path: ".cursor/rules/hcp.mdc", Whole: rule})
	}}
}

// pointerFile is a file of its own that tells a host where the packs are.
func pointerFile(in Input, path string) configedit.File {
	return configedit.File{Path: path, Whole: configedit.Indented(struct {
		HCP       pointer `json:"hcp"`
		Generated string  `json:"generated_by"`
	}{pointerOf(in), generatedBy}) + "\n"}
}
