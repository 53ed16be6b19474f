package host

import "bridle/internal/kernel/configedit"

// vscodeTarget configures VS Code, whose list of servers is called servers and
// wants each one's type.
func vscodeTarget() Target {
	return Target{Name: "vscode", files: func(in Input) []configedit.File {
		return append(common(in, skillPath), serverFile(in, ".vscode/mcp.json", "servers", "stdio"))
	}}
}
