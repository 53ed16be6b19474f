package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
)

// Surface is what of a pack a person weighs: how it runs and what each command
// and trigger may do. An activation keeps it, so that a later version can be
// shown against it when the old files are gone.
type Surface struct {
	Kind     string         `json:"kind"`
	Plane    string         `json:"plane"`
	Binding  string         `json:"binding"`
	Bin      string         `json:"bin,omitempty"`
	Settings string         `json:"settings,omitempty"`
	Commands map[string]Row `json:"commands"`
	Triggers map[string]Row `json:"triggers,omitempty"`
}

// Row is one command or trigger with its Policy.
type Row struct {
	Operation string `json:"operation"`
	Land      string `json:"land"`
	Confirm   string `json:"confirm,omitempty"`
	CLI       string `json:"cli,omitempty"`
	Args      string `json:"args,omitempty"`
}

// Origin says how a change came about.
type Origin string

// The three origins. A change may have both of the first kinds' traces; the
// one that nobody asked for names it.
const (
	OriginInstalled Origin = "installed" // another content was installed through the store
	OriginModified  Origin = "modified"  // files were changed behind the store's back
	OriginBinary    Origin = "binary"    // the pack is the same, the executable is not
)

// Change is what activating a pack again would accept. Token stands for
// exactly this change: consent to it is consent to nothing else.
type Change struct {
	PackID  string      `json:"pack_id"`
	Origin  Origin      `json:"origin"`
	Files   []string    `json:"files,omitempty"`
	Added   []string    `json:"added,omitempty"`
	Removed []string    `json:"removed,omitempty"`
	Fields  []FieldDiff `json:"changed,omitempty"`
	Bin     *BinDiff    `json:"bin,omitempty"`
	HasData bool        `json:"has_data"`
	Token   string      `json:"token"`
}

// FieldDiff is one property that changed. Key is the command or trigger, or
// empty for a property of the whole pack.
type FieldDiff struct {
	Key   string `json:"key,omitempty"`
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// BinDiff is the executable before and after.
type BinDiff struct {
	FromPath   string `json:"from_path"`
	FromSHA256 string `json:"from_sha256"`
	ToPath     string `json:"to_path"`
	ToSHA256   string `json:"to_sha256"`
}

// surfaceOf describes a loaded pack.
func surfaceOf(p *pack.Pack) (Surface, error) {
	m := &p.Manifest
	surface := Surface{
		Kind: string(p.Kind), Plane: string(m.EffectivePlane()), Binding: bindingText(m),
		Commands: map[string]Row{}, Triggers: map[string]Row{},
	}
	if m.Wrap != nil {
		surface.Bin = m.Wrap.Bin
	}
	settings, err := digestOf(struct {
		Wrap        *hcp.Wrap
		OpenAPI     *hcp.OpenAPI
		PassThrough *hcp.PassThrough
	}{m.Wrap, m.OpenAPI, m.PassThrough})
	if err != nil {
		return Surface{}, err
	}
	surface.Settings = settings
	for key, command := range m.Verbs.All() {
		row := rowOf(p.Policy.Verbs[key])
		row.CLI = strings.Join(command.CLI, " ")
		if row.Args, err = digestOf(struct {
			Args     any
			JSONFlag []string
		}{command.Args, command.JSONFlag}); err != nil {
			return Surface{}, err
		}
		surface.Commands[key] = row
	}
	for _, trigger := range m.StimulusTriggers {
		surface.Triggers[trigger.Ref] = rowOf(p.Policy.Stimuli[trigger.Ref])
	}
	return surface, nil
}

func bindingText(m *hcp.Manifest) string {
	words := []string{string(m.BindingMode())}
	if b := m.Binding; b != nil {
		words = append(words, string(b.Hub), b.ConnectProviderID, b.Family)
	}
	return strings.TrimRight(strings.Join(words, " "), " ")
}

func rowOf(entry hcp.PolicyEntry) Row {
	return Row{Operation: string(entry.Operation), Land: string(entry.Privacy.Land), Confirm: string(entry.Confirm)}
}

// digestOf stands for a value that is compared but too long to show.
func digestOf(v any) (string, error) {
	data, err := canon.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), nil
}

// diffSurface lists what is other in after than in before.
func diffSurface(before, after Surface) (added, removed []string, fields []FieldDiff) {
	compare := func(key, field, from, to string) {
		if from != to {
			fields = append(fields, FieldDiff{Key: key, Field: field, From: from, To: to})
		}
	}
	compare("", "kind", before.Kind, after.Kind)
	compare("", "plane", before.Plane, after.Plane)
	compare("", "binding", before.Binding, after.Binding)
	compare("", "wrap.bin", before.Bin, after.Bin)
	compare("", "settings", before.Settings, after.Settings)
	rows := func(before, after map[string]Row) {
		for key, row := range after {
			old, had := before[key]
			if !had {
				added = append(added, key)
				continue
			}
			compare(key, "operation", old.Operation, row.Operation)
			compare(key, "land", old.Land, row.Land)
			compare(key, "confirm", confirmText(old.Confirm), confirmText(row.Confirm))
			compare(key, "cli", old.CLI, row.CLI)
			compare(key, "args", old.Args, row.Args)
		}
		for key := range before {
			if _, has := after[key]; !has {
				removed = append(removed, key)
			}
		}
	}
	rows(before.Commands, after.Commands)
	rows(before.Triggers, after.Triggers)
	slices.Sort(added)
	slices.Sort(removed)
	slices.SortStableFunc(fields, func(a, b FieldDiff) int { return cmp.Compare(a.Key, b.Key) })
	return added, removed, fields
}

func confirmText(confirm string) string {
	if confirm == "" {
		return "false"
	}
	return confirm
}

// diffBin compares executables. One inside the pack is part of its content,
// and one that could not be found before was never accepted, so that finding
// it now changes nothing that was.
func diffBin(before, after *Binary) *BinDiff {
	if !before.Runnable() || before.Inside && (after == nil || after.Inside) {
		return nil
	}
	if after == nil {
		after = &Binary{}
	}
	if before.Path == after.Path && before.SHA256 == after.SHA256 {
		return nil
	}
	return &BinDiff{FromPath: before.Path, FromSHA256: before.SHA256, ToPath: after.Path, ToSHA256: after.SHA256}
}

// token binds a consent to the old and the new state of a pack.
func (c *Change) token(before, after string) error {
	data, err := canon.Marshal(struct {
		Change Change
		From   string
		To     string
	}{*c, before, after})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	c.Token = hex.EncodeToString(sum[:])
	return nil
}
