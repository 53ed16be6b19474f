package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// The codes of this package's faults.
const (
	// CodeCannotEdit is a file that our part cannot be put into safely.
	CodeCannotEdit = "cannot_edit"
	CodeNotAdopted = "not_adopted"
)

// Action is what becomes of a file.
type Action string

// The actions. Kept is a file that undo leaves, with the reason.
const (
	Create  Action = "create"
	Modify  Action = "change"
	Same    Action = "same"
	Restore Action = "restore"
	Remove  Action = "remove"
	Kept    Action = "keep"
	Refused Action = "refuse"
)

// Change is one file of an adoption.
type Change struct {
	Path   string `json:"path"`
	Action Action `json:"action"`
	// Content is the whole text of a file that is ours or new.
	Content string `json:"content,omitempty"`
	// Adds are the pieces put into a file that is not ours.
	Adds []string `json:"adds,omitempty"`
	// Reason says why the file is refused or kept, and Snippet what to add by
	// hand.
	Reason  string `json:"reason,omitempty"`
	Snippet string `json:"snippet,omitempty"`

	file file
	spot spot
	edit edit
}

// Workspace is where a host is configured.
type Workspace struct {
	Dir string
	// Repository is the root of the repository around it, or empty.
	Repository string
	// Records is the folder of the store that keeps what was done.
	Records string
	// Holder names this process to others that wait.
	Holder string
}

// Plan says what adopting a host would do. It writes nothing.
func Plan(w Workspace, t Target, in Input) ([]Change, error) {
	if err := refuseOptedOut(w.Dir, w.Repository); err != nil {
		return nil, err
	}
	if err := refuseStore(w.Dir, filepath.Dir(w.Records)); err != nil {
		return nil, err
	}
	var changes []Change
	for _, f := range t.files(in) {
		changes = append(changes, w.change(f))
	}
	return changes, nil
}

// Manual lists what a person has to add outside of the workspace.
func (t Target) Manual(in Input) []Manual {
	if t.manual == nil {
		return nil
	}
	return t.manual(in)
}

// OK reports whether every file can be written.
func OK(changes []Change) bool {
	return !slices.ContainsFunc(changes, func(c Change) bool { return c.Action == Refused })
}

// change works out what becomes of one file.
func (w Workspace) change(f file) Change {
	c := Change{Path: f.path, file: f}
	refuse := func(why string) Change {
		c.Action, c.Reason, c.Snippet = Refused, why, f.snippet
		if f.edit == nil {
			c.Snippet = f.whole
		}
		return c
	}
	var err error
	if c.spot, err = look(w.Dir, f.path); err != nil {
		return refuse(reason(err))
	}
	for _, other := range f.alternatives {
		if s, err := look(w.Dir, other); err == nil && s.exists && !c.spot.exists {
			c.Path, c.spot = other, s
		}
	}
	c.edit = edit{text: c.spot.text}
	if f.edit == nil {
		if c.spot.exists && c.spot.text != f.whole && !mentions(c.spot.text) {
			return refuse("a file that is not ours stands there")
		}
		if c.spot.text != f.whole || !c.spot.exists {
			c.edit.put(0, len(c.edit.text), f.whole)
		}
	} else if err := f.edit(&c.edit); err != nil {
		return refuse(fault.From(err).Message)
	}
	switch {
	case !c.spot.exists:
		c.Action, c.Content = Create, c.edit.text
	case len(c.edit.splices) == 0:
		c.Action = Same
	case f.edit == nil:
		c.Action, c.Content = Modify, f.whole
	default:
		c.Action = Modify
		for _, s := range c.edit.splices {
			if text := strings.TrimSpace(s.Inserted); text != "" && text != "," {
				c.Adds = append(c.Adds, text)
			}
		}
	}
	return c
}

// Write does what was planned, all files or, as far as a disk allows it, none:
// nothing is written while one of them is refused or changed meanwhile.
func Write(ctx context.Context, w Workspace, t Target, changes []Change) error {
	if !OK(changes) {
		return fault.New(CodeCannotEdit, "nothing was written, since a file cannot be edited").
			WithHint("add the part by hand, or mend the file, and adopt again")
	}
	unlock, record, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for i := range changes {
		now, err := look(w.Dir, changes[i].Path)
		if err != nil || now.exists != changes[i].spot.exists || now.text != changes[i].spot.text {
			return fault.Newf(CodeCannotEdit, "%q changed while it was looked at; nothing was written", changes[i].Path).
				WithHint("adopt again")
		}
	}
	// What is about to happen is on record first, so that a crash in between
	// leaves nothing that undo does not know.
	for i := range changes {
		if err := record.note(t.Name, &changes[i]); err != nil {
			return err
		}
	}
	if err := w.save(record); err != nil {
		return err
	}
	for i := range changes {
		c := &changes[i]
		if c.Action == Same {
			continue
		}
		if err := durable.MkdirAll(filepath.Dir(c.spot.path), 0o755); err != nil {
			return writeFault(c.Path, err)
		}
		if err := durable.WriteFile(c.spot.path, []byte(c.edit.text), c.spot.mode); err != nil {
			return writeFault(c.Path, err)
		}
	}
	return nil
}

func writeFault(path string, err error) error {
	return fault.Newf(CodeCannotEdit, "cannot write %q: %s", path, reason(err)).Because(err).
		WithHint("mend that and adopt again, or take it back with --undo")
}

// Undo takes a host's configuration back. Files that other hosts share stay
// until the last of them is undone.
func Undo(ctx context.Context, w Workspace, t Target) ([]Change, error) {
	unlock, record, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var changes []Change
	for _, entry := range slices.Clone(record.Files) {
		if !slices.Contains(entry.Targets, t.Name) {
			continue
		}
		entry.Targets = slices.DeleteFunc(slices.Clone(entry.Targets), func(name string) bool { return name == t.Name })
		if len(entry.Targets) > 0 {
			changes = append(changes, Change{Path: entry.Path, Action: Kept, Reason: "other hosts use it: " + strings.Join(entry.Targets, ", ")})
			record.put(entry)
			continue
		}
		changes = append(changes, w.takeBack(entry))
		record.drop(entry.Path)
	}
	if len(changes) == 0 {
		return nil, fault.Newf(CodeNotAdopted, "nothing was written here for %q that is on record", t.Name).
			WithHint("what another machine wrote is taken back there, or by hand")
	}
	w.removeEmptyFolders(changes)
	return changes, w.save(record)
}

// takeBack restores one file.
func (w Workspace) takeBack(entry recordedFile) Change {
	c := Change{Path: entry.Path}
	keep := func(why string) Change {
		c.Action, c.Reason = Kept, why
		return c
	}
	s, err := look(w.Dir, entry.Path)
	switch {
	case err != nil:
		return keep(reason(err))
	case !s.exists:
		return keep("it is gone already")
	}
	text, exact := "", false
	if entry.Exact && digest(s.text) == entry.After {
		text, exact = revert(s.text, entry.Splices)
	}
	if !exact {
		if entry.Format == "" && mentions(s.text) {
			text = ""
		} else if text, err = takeOut(s.text, entry); err != nil {
			return keep(reason(err))
		}
	}
	bare := strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark))
	if entry.Created && (bare == "" || entry.Format == formatJSON && bare == "{}") {
		c.Action = Remove
		err = os.Remove(s.path)
	} else if c.Action = Restore; text != s.text {
		err = durable.WriteFile(s.path, []byte(text), s.mode)
	}
	if err != nil {
		return keep(reason(err))
	}
	return c
}

// takeOut finds our parts in a text that changed since, and takes them out.
func takeOut(text string, entry recordedFile) (string, error) {
	e := edit{text: text}
	switch entry.Format {
	case formatJSON:
		left, err := e.remove(entry.Parts)
		if err != nil {
			return "", err
		}
		if len(left) > 0 && e.text == text {
			return "", errors.New("what was written there was changed since")
		}
	case formatMarkdown:
		err := e.removeBlock(markdownMarks)
		return e.text, err
	case formatTOML:
		err := e.removeBlock(tomlMarks)
		return e.text, err
	default:
		return "", errors.New("it was changed since")
	}
	return e.text, nil
}

// removeEmptyFolders removes the folders of removed files that hold nothing
// now, up to the workspace.
func (w Workspace) removeEmptyFolders(changes []Change) {
	for i := range changes {
		if changes[i].Action != Remove {
			continue
		}
		for dir := filepath.Dir(filepath.FromSlash(changes[i].Path)); dir != "."; dir = filepath.Dir(dir) {
			if os.Remove(filepath.Join(w.Dir, dir)) != nil {
				break
			}
		}
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
