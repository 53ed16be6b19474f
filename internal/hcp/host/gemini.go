package host

import "bridle/internal/kernel/configedit"

// geminiTarget configures Gemini CLI, which reads servers from its settings in
// folders that the person trusts.
func geminiTarget() Target {
	return Target{Name: "gemini", files: func(in Input) []configedit.File {
		return append(common(in, skillPath), serverFile(in, ".gemini/settings.json", "mcpServers", ""))
	}}
}
