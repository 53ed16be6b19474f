package pack

import (
	"bridle/hcp"
)

// Pack is a pack that was loaded.
type Pack struct {
	ID           string
	Dir          string
	Kind         hcp.Kind
	Manifest     hcp.Manifest
	Policy       hcp.Policy
	Meta         hcp.Meta
	Skill        string // empty after LoadForExec
	SkillPresent bool
	Notes        []string // what a reader should know though it is no fault
}

// Load reads the pack in dir. The error is a fault: no_pack when there is no
// manifest, unsupported_version for another major of the protocol, unsafe_pack
// for a file that is not a plain file within the pack, and bad_pack for
// everything else.
func Load(dir string) (*Pack, error) { return load(dir, readSkill) }

// LoadForExec is Load without the Skill's text, which no call needs. That the
// file is there is still required.
func LoadForExec(dir string) (*Pack, error) { return load(dir, findSkill) }

func load(dir string, skill skillMode) (*Pack, error) {
	d, err := examine(dir, skill)
	if err != nil {
		return nil, err
	}
	if err := d.fault(); err != nil {
		return nil, err
	}
	return &d.Pack, nil
}

// Command returns the declaration of a command and whether there is one.
func (p *Pack) Command(key string) (hcp.Command, bool) { return p.Manifest.Verbs.Get(key) }

// Entry returns the Policy's row for a command and whether there is one.
func (p *Pack) Entry(key string) (hcp.PolicyEntry, bool) {
	entry, ok := p.Policy.Verbs[key]
	return entry, ok
}

// Keys returns the commands in the order in which the manifest declares them.
func (p *Pack) Keys() []string { return p.Manifest.Verbs.Keys() }
