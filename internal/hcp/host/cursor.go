package host

// cursorTarget configures Cursor.
func cursorTarget() Target {
	return Target{Name: "cursor", files: func(in Input) []file {
		rule := "---\ndescription: Run the user's packs through " + in.CLI + "\nalwaysApply: true\n---\n\n" + ruleText(in.CLI)
		return append(common(in, ".cursor/skills/hcp/SKILL.md"),
			pointerFile(in, ".cursor/hcp.json"),
			serverFile(in, ".cursor/mcp.json", "mcpServers", ""),
			file{path: ".cursor/rules/hcp.mdc", whole: rule})
	}}
}

// pointerFile is a file of its own that tells a host where the packs are.
func pointerFile(in Input, path string) file {
	return file{path: path, whole: indented(struct {
		HCP       pointer `json:"hcp"`
		Generated string  `json:"generated_by"`
	}{pointerOf(in), generatedBy}) + "\n"}
}
