package host

import (
	"bridle/hcp"
	"bridle/internal/kernel/configedit"
)

// The places of the agent plugin, which every target writes.
const (
	pluginPath  = ".hcp/plugin.json"
	surfacePath = ".hcp/surface.json"
	skillPath   = ".hcp/skills/hcp/SKILL.md"
)

// plugin is .hcp/plugin.json: the three faces of the command line.
type plugin struct {
	ID   string `json:"id"`
	Wrap struct {
		Bin  string `json:"bin"`
		Kind string `json:"kind"`
	} `json:"wrap"`
	Skill string `json:"skill"`
	MCP   struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Tool    string   `json:"tool"`
	} `json:"mcp"`
	Home      string   `json:"home"`
	Activated []string `json:"activated"`
	Generated string   `json:"generated_by"`
}

// surface is .hcp/surface.json: the catalog of the activated packs.
type surface struct {
	Generated string        `json:"generated_by"`
	Packs     []surfacePack `json:"packs"`
}

type surfacePack struct {
	PackID   string           `json:"pack_id"`
	Name     string           `json:"name,omitempty"`
	Commands []surfaceCommand `json:"commands"`
}

type surfaceCommand struct {
	VerbKey     string        `json:"verb_key"`
	Tool        string        `json:"tool"`
	Description string        `json:"description,omitempty"`
	Operation   hcp.Operation `json:"operation"`
	Land        hcp.Land      `json:"land"`
	Confirm     hcp.Confirm   `json:"confirm,omitzero"`
}

const generatedBy = "hcpx adopt"

// common are the files of every target: the plugin, the catalog and the Skill,
// which stands where the host looks for it.
func common(in Input, skill string) []configedit.File {
	p := plugin{ID: "hcp", Skill: skill, Home: in.shownHome(), Activated: in.ids(), Generated: generatedBy}
	p.Wrap.Bin, p.Wrap.Kind = in.CLI, "bash"
	p.MCP.Command, p.MCP.Args, p.MCP.Tool = in.CLI, []string{"mcp"}, "hcp"
	s := surface{Generated: generatedBy, Packs: []surfacePack{}}
	for i := range in.Packs {
		row := surfacePack{PackID: in.Packs[i].ID, Name: in.Packs[i].Name, Commands: []surfaceCommand{}}
		for _, c := range in.Packs[i].Commands {
			if c.Executable {
				row.Commands = append(row.Commands, surfaceCommand{
					VerbKey: c.Key, Tool: ToolName(row.PackID, c.Key), Description: c.Description,
					Operation: c.Operation, Land: c.Land, Confirm: c.Confirm,
				})
			}
		}
		s.Packs = append(s.Packs, row)
	}
	return []configedit.File{
		{Path: pluginPath, Whole: configedit.Indented(p) + "\n"},
		{Path: surfacePath, Whole: configedit.Indented(s) + "\n"},
		{Path: skill, Whole: skillText(in.CLI)},
	}
}

func agentTarget() Target {
	return Target{Name: "agent", files: func(in Input) []configedit.File {
		return append(common(in, skillPath), serverFile(in, ".mcp.json", "mcpServers", "stdio"))
	}}
}

// mcpTarget is for a host that can only add a server: beside the plugin it has
// the fragment to point such a host at.
func mcpTarget() Target {
	return Target{Name: "mcp", files: func(in Input) []configedit.File {
		fragment := configedit.Indented(map[string]any{
			"generated_by": generatedBy,
			"mcpServers":   map[string]any{"hcp": server{Command: in.CLI, Args: []string{"mcp"}, Env: in.env()}},
		})
		return append(common(in, skillPath),
			configedit.File{Path: ".hcp/mcp.json", Whole: fragment + "\n"},
			serverFile(in, ".mcp.json", "mcpServers", "stdio"))
	}}
}
