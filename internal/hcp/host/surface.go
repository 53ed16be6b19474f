package host

import (
	"encoding/json"
	"fmt"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
)

// Input is what everything here is made from: the activated packs as this
// Principal may use them, and how the program is started.
type Input struct {
	// CLI is the name that starts the program on this machine.
	CLI string
	// Home is the store's place, where the person set it, else empty.
	Home string
	// Store is where the store is.
	Store string
	Packs []Pack
}

// Pack is an activated pack.
type Pack struct {
	ID       string
	Name     string
	Skill    string
	Commands []Command
}

// Command is a command of a pack.
type Command struct {
	Key         string
	Description string
	Operation   hcp.Operation
	Land        hcp.Land
	Confirm     hcp.Confirm
	// Executable says that the Principal may run it now; Reason says why not.
	Executable bool
	Reason     string
	// Parameters is the JSON Schema of the arguments.
	Parameters json.RawMessage
}

// DefaultLead is how many characters of a Skill's lead hosts keep at hand.
const DefaultLead = 480

// readSkill is the tool that hands out whole Skills.
const readSkill = "hcp__read_skill"

// ToolName is the name of a command as a tool of an in-process loop (§12.2).
func ToolName(packID, key string) string { return packID + "__" + strings.ReplaceAll(key, ".", "_") }

// Tool is one tool of an in-process loop.
type Tool struct {
	Name          string          `json:"name"`
	Description   string          `json:"description"`
	Parameters    json.RawMessage `json:"parameters"`
	PackID        string          `json:"pack_id,omitempty"`
	VerbKey       string          `json:"verb_key,omitempty"`
	Operation     hcp.Operation   `json:"operation"`
	Land          hcp.Land        `json:"land,omitempty"`
	Confirm       hcp.Confirm     `json:"confirm,omitzero"`
	NeedsApproval bool            `json:"needsApproval"`
}

// Skill is the teaching of one pack.
type Skill struct {
	PackID string `json:"pack_id"`
	Lead   string `json:"lead"`
	Size   int    `json:"size"`
	// Text is the whole Skill, where it fits into the answer.
	Text string `json:"text,omitempty"`
}

// mostSkillBytes is how much of Skills one answer carries; the rest is read pack
// by pack.
const mostSkillBytes = 48 << 10

// Surfaces are what a host can use, whichever it is.
type Surfaces struct {
	// System is the stable part of a system prompt: it changes with the
	// activated packs and with nothing else.
	System string
	Tools  []Tool
	Skills []Skill
	Notes  []string
}

// Generate composes the surfaces. Leads are cut at so many characters.
func Generate(in Input, lead int) Surfaces {
	s := Surfaces{Tools: []Tool{skillTool()}, Skills: []Skill{}}
	room := mostSkillBytes
	taken := map[string]string{}
	for i := range in.Packs {
		p := &in.Packs[i]
		skill := Skill{PackID: p.ID, Lead: pack.LeadUpTo(p.Skill, lead), Size: len(p.Skill)}
		if len(p.Skill) <= room {
			skill.Text = p.Skill
			room -= len(p.Skill)
		}
		s.Skills = append(s.Skills, skill)
		for _, c := range p.Commands {
			if !c.Executable {
				continue
			}
			name := ToolName(p.ID, c.Key)
			if other, clash := taken[name]; clash {
				s.Notes = append(s.Notes, fmt.Sprintf("%s %s has no tool: its name is that of %s", p.ID, c.Key, other))
				continue
			}
			taken[name] = p.ID + " " + c.Key
			s.Tools = append(s.Tools, toolOf(p, c, name))
		}
	}
	s.System = system(in, s.Skills)
	return s
}

func toolOf(p *Pack, c Command, name string) Tool {
	t := Tool{
		Name: name, Parameters: c.Parameters, PackID: p.ID, VerbKey: c.Key, Operation: c.Operation, Land: c.Land, Confirm: c.Confirm,
		NeedsApproval: c.Operation == hcp.OperationWrite,
	}
	t.Description = strings.TrimSpace(c.Description + " (" + marksOf(c) + ")")
	return t
}

// marksOf is what a model has to know about a command beside what it does.
func marksOf(c Command) string {
	text := string(c.Operation) + ", land " + string(c.Land)
	switch c.Confirm {
	case hcp.ConfirmAsk:
		text += ", confirm"
	case hcp.ConfirmAlways:
		text += ", confirm always"
	case hcp.ConfirmNone:
	}
	return text
}

func skillTool() Tool {
	return Tool{
		Name:        readSkill,
		Description: "The whole Skill of a pack: which command to use when, examples, and mistakes to avoid. (read)",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"pack_id":{"type":"string","description":"The pack whose Skill to read"}},"required":["pack_id"],"additionalProperties":false}`),
		Operation:   hcp.OperationRead,
	}
}

// system is the stable prefix: how to work with packs, which commands there
// are, and the lead of each Skill.
func system(in Input, skills []Skill) string {
	var b strings.Builder
	b.WriteString(doctrine(in.CLI))
	b.WriteString("\n## Commands\n\n")
	if len(in.Packs) == 0 {
		fmt.Fprintf(&b, "No pack is activated. `%s search` finds packs.\n", in.CLI)
		return b.String()
	}
	for i := range in.Packs {
		var words []string
		for _, c := range in.Packs[i].Commands {
			if c.Executable {
				words = append(words, "`"+c.Key+"` ("+marksOf(c)+")")
			}
		}
		if len(words) == 0 {
			words = []string{"nothing that may run now"}
		}
		fmt.Fprintf(&b, "- `%s`: %s\n", in.Packs[i].ID, strings.Join(words, ", "))
	}
	b.WriteString("\n## Packs\n")
	for _, skill := range skills {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", skill.PackID, skill.Lead)
	}
	fmt.Fprintf(&b, "\nCall `%s` with a `pack_id`, or run `%s skill <pack_id>`, for the whole Skill of a pack.\n", readSkill, in.CLI)
	return b.String()
}
