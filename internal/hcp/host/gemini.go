package host

// geminiTarget configures Gemini CLI, which reads servers from its settings in
// folders that the person trusts.
func geminiTarget() Target {
	return Target{Name: "gemini", files: func(in Input) []file {
		return append(common(in, skillPath), serverFile(in, ".gemini/settings.json", "mcpServers", ""))
	}}
}
