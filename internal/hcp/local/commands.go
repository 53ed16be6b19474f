package local

import (
	"context"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// PackCommands lists the commands of one pack as an agent needs them.
type PackCommands struct {
	PackID   string        `json:"pack_id"`
	About    string        `json:"about,omitempty"`
	Commands []CommandInfo `json:"commands"`
}

// CommandInfo is one command: what it does, what it takes, what the access
// settings decide about it now, and a line ready to run. Reason says why it
// cannot run, where that is so.
type CommandInfo struct {
	Command     string             `json:"command"`
	Description string             `json:"description,omitempty"`
	Operation   hcp.Operation      `json:"operation,omitempty"`
	Confirm     hcp.Confirm        `json:"confirm,omitzero"`
	Access      access.Decision    `json:"access"`
	Args        []command.Argument `json:"args"`
	Run         string             `json:"run"`
	Reason      string             `json:"reason,omitempty"`
}

// Commands lists the commands of a pack. Tool is the program that the lines
// start with.
func (r *Runtime) Commands(ctx context.Context, id, tool string) (PackCommands, error) {
	if !r.Store.Installed(id) {
		return PackCommands{}, r.unknownPack(id)
	}
	p, err := r.Store.Pack(id)
	if err != nil {
		return PackCommands{}, err
	}
	available, err := r.Availability(ctx, id)
	if err != nil {
		return PackCommands{}, err
	}
	effective, err := r.Access()
	if err != nil {
		return PackCommands{}, err
	}
	settings := effective.For(id)
	reasons := map[string]string{}
	for _, status := range available.Verbs {
		reasons[status.VerbKey] = status.Reason
	}
	list := PackCommands{PackID: id, About: pack.Lead(p.Skill), Commands: []CommandInfo{}}
	for _, key := range command.Keys(&p.Manifest, &p.Policy) {
		list.Commands = append(list.Commands, commandInfo(p, key, tool, settings, reasons[key]))
	}
	return list, nil
}

func commandInfo(p *pack.Pack, key, tool string, settings access.Settings, obstacle string) CommandInfo {
	declared, _ := command.Lookup(&p.Manifest, key)
	entry, _ := p.Entry(key)
	info := CommandInfo{
		Command:     key,
		Description: declared.Description,
		Operation:   entry.Operation,
		Confirm:     entry.Confirm,
		Args:        []command.Argument{},
		Run:         command.ExampleLine(tool, &p.Manifest, key),
		Reason:      obstacle,
	}
	info.Access = access.Decide(access.Request{
		PackID: p.ID, Key: key, Operation: entry.Operation, Confirm: entry.Confirm,
	}, settings).Decision
	args, err := command.Declared(&p.Manifest, key)
	switch {
	case err != nil && info.Reason == "":
		info.Reason = fault.From(err).Message
	case err == nil && args != nil:
		info.Args = args
	}
	return info
}

// unknownPack refuses an id that nothing is installed under, with the ids that
// were perhaps meant.
func (r *Runtime) unknownPack(id string) error {
	_, err := r.Store.Pack(id)
	return err
}
