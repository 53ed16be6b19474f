package catalog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/ids"
)

// Entry is one row of a catalog.
type Entry struct {
	ID          string    `json:"id"`
	Class       string    `json:"class"`
	Name        string    `json:"name,omitempty"`
	Description string    `json:"description,omitempty"`
	Status      string    `json:"status,omitempty"`
	Tags        []string  `json:"tags,omitempty"`
	Commands    []Command `json:"commands,omitempty"`
	// Install is what hcpx install takes to get it.
	Install    string `json:"install,omitempty"`
	Repository string `json:"repository,omitempty"`
}

// Command is what a catalog says about one command: enough to choose a pack by
// and to see what asks before it writes.
type Command struct {
	Command     string        `json:"command"`
	Description string        `json:"description,omitempty"`
	Operation   hcp.Operation `json:"operation,omitempty"`
	Confirm     hcp.Confirm   `json:"confirm,omitzero"`
}

// The pack classes of the best-practices page.
const (
	PublicRead    = "public-read"
	GatedWrite    = "gated-write"
	LinkedChannel = "linked-channel"
	EmitOnly      = "emit-only"
	Control       = "control"
)

// ClassOf is the class that a pack's manifest shows: by its plane, its adapter,
// its Binding, and whether something but the state of its login is announced.
func ClassOf(m *hcp.Manifest) string {
	announces := false
	for _, trigger := range m.StimulusTriggers {
		announces = announces || trigger.Ref != "binding.degraded"
	}
	switch {
	case m.EffectivePlane() == hcp.PlaneControl:
		return Control
	case m.EffectiveKind() == hcp.KindSenseOnly:
		return EmitOnly
	case m.BindingMode() == hcp.BindingPublic:
		return PublicRead
	case m.BindingMode() == hcp.BindingUser && announces:
		return LinkedChannel
	}
	return GatedWrite
}

// RowOf is the row of a pack. About is what it does, and install is where it
// can be had.
func RowOf(p *pack.Pack, about, install string) Entry {
	e := Entry{ID: p.ID, Class: ClassOf(&p.Manifest), Name: p.Manifest.Name, Description: about, Install: install}
	for _, key := range p.Keys() {
		declared, _ := p.Command(key)
		policy, _ := p.Entry(key)
		e.Commands = append(e.Commands, Command{
			Command: key, Description: declared.Description, Operation: policy.Operation, Confirm: policy.Confirm,
		})
	}
	return e
}

// The bounds of a stranger's row, in bytes and in number.
const (
	longestText = 2000
	mostItems   = 64
)

// usable reports whether a row may be shown and its source be installed from: a
// word that begins with a dash would be an option of the command it is put in.
func (e *Entry) usable() bool {
	if !ids.IsLoosePackID(e.ID) || len(e.Tags) > mostItems || len(e.Commands) > mostItems {
		return false
	}
	texts := append([]string{e.Class, e.Name, e.Description, e.Status, e.Install, e.Repository}, e.Tags...)
	for _, c := range e.Commands {
		if !ids.IsLooseCommandKey(c.Command) {
			return false
		}
		texts = append(texts, c.Description)
	}
	for _, text := range texts {
		if len(text) > longestText || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return false
		}
	}
	return !strings.HasPrefix(e.Install, "-")
}
