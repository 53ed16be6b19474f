package configedit

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
	CodeNotWritten = "not_adopted"
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

// Change is what becomes of one file.
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

	file File
	spot spot
	edit Edit
}

// Folder is where files are edited.
type Folder struct {
	Dir string
	// Records is the folder that keeps what was done.
	Records string
	// Holder names this process to others that wait.
	Holder string
	// Signs are texts by which a file is known that is wholly ours.
	Signs []string
	// Marks enclose our part in files of a format that is no JSON.
	Marks map[Format]Marks
}

// File is one file to write: either wholly ours, or one that is edited.
type File struct {
	// Path is relative to the folder, with slashes.
	Path string
	// Whole is the text of a file that is ours.
	Whole string
	// Edit puts our parts in, Format says how parts are taken out again, and
	// Snippet is what a person would add by hand.
	Edit    func(e *Edit) error
	Format  Format
	Snippet string
	// Alternatives are other names of the same file; the one that exists is
	// taken.
	Alternatives []string
}

// Format says how the parts of a file are marked.
type Format string

// The formats of files that are edited.
const (
	FormatJSON     Format = "json"
	FormatMarkdown Format = "markdown"
	FormatTOML     Format = "toml"
)

// Plan says what writing the files would do. It writes nothing.
func Plan(w Folder, files []File) []Change {
	var changes []Change
	for _, f := range files {
		changes = append(changes, w.change(f))
	}
	return changes
}

// OK reports whether every file can be written.
func OK(changes []Change) bool {
	return !slices.ContainsFunc(changes, func(c Change) bool { return c.Action == Refused })
}

// change works out what becomes of one file.
func (w Folder) change(f File) Change {
	c := Change{Path: f.Path, file: f}
	refuse := func(why string) Change {
		c.Action, c.Reason, c.Snippet = Refused, why, f.Snippet
		if f.Edit == nil {
			c.Snippet = f.Whole
		}
		return c
	}
	var err error
	if c.spot, err = look(w.Dir, f.Path); err != nil {
		return refuse(reason(err))
	}
	for _, other := range f.Alternatives {
		if s, err := look(w.Dir, other); err == nil && s.exists && !c.spot.exists {
			c.Path, c.spot = other, s
		}
	}
	c.edit = Edit{text: c.spot.text}
	if f.Edit == nil {
		if c.spot.exists && c.spot.text != f.Whole && !w.signed(c.spot.text) {
			return refuse("a file that is not ours stands there")
		}
		if c.spot.text != f.Whole || !c.spot.exists {
			c.edit.put(0, len(c.edit.text), f.Whole)
		}
	} else if err := f.Edit(&c.edit); err != nil {
		return refuse(fault.From(err).Message)
	}
	switch {
	case !c.spot.exists:
		c.Action, c.Content = Create, c.edit.text
	case len(c.edit.splices) == 0:
		c.Action = Same
	case f.Edit == nil:
		c.Action, c.Content = Modify, f.Whole
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
func Write(ctx context.Context, w Folder, owner string, changes []Change) error {
	if !OK(changes) {
		return fault.New(CodeCannotEdit, "nothing was written, since a file cannot be edited").
			WithHint("add the part by hand, or mend the file, and run it again")
	}
	unlock, record, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := w.unchanged(changes); err != nil {
		return err
	}
	// What is about to happen is on record first, so that a crash in between
	// leaves nothing that undo does not know.
	for i := range changes {
		if err := record.note(owner, &changes[i]); err != nil {
			return err
		}
	}
	if err := w.save(record); err != nil {
		return err
	}
	return put(changes)
}

// Amend writes changes that no owner takes back: it takes out what was written
// where there is no record of it.
func Amend(ctx context.Context, w Folder, changes []Change) error {
	if !OK(changes) {
		return fault.New(CodeCannotEdit, "nothing was written, since a file cannot be edited").
			WithHint("mend the file, and run it again")
	}
	unlock, _, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := w.unchanged(changes); err != nil {
		return err
	}
	return put(changes)
}

// unchanged makes sure that the files still are what was planned for.
func (w Folder) unchanged(changes []Change) error {
	for i := range changes {
		now, err := look(w.Dir, changes[i].Path)
		if err != nil || now.exists != changes[i].spot.exists || now.text != changes[i].spot.text {
			return fault.Newf(CodeCannotEdit, "%q changed while it was looked at; nothing was written", changes[i].Path).
				WithHint("run it again")
		}
	}
	return nil
}

func put(changes []Change) error {
	for i := range changes {
		c := &changes[i]
		if c.Action == Same {
			continue
		}
		if err := durable.MkdirOpen(filepath.Dir(c.spot.path)); err != nil {
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
		WithHint("mend that and run it again, or take it back")
}

// Undo takes back what was written for an owner. Files that other owners share
// stay until the last of them is undone.
func Undo(ctx context.Context, w Folder, owner string) ([]Change, error) {
	unlock, record, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var changes []Change
	for _, entry := range slices.Clone(record.Files) {
		if !slices.Contains(entry.Targets, owner) {
			continue
		}
		entry.Targets = slices.DeleteFunc(slices.Clone(entry.Targets), func(name string) bool { return name == owner })
		if len(entry.Targets) > 0 {
			changes = append(changes, Change{Path: entry.Path, Action: Kept, Reason: "others use it: " + strings.Join(entry.Targets, ", ")})
			record.put(entry)
			continue
		}
		changes = append(changes, w.takeBack(entry))
		record.drop(entry.Path)
	}
	if len(changes) == 0 {
		return nil, fault.Newf(CodeNotWritten, "nothing was written here for %q that is on record", owner).
			WithHint("what another machine wrote is taken back there, or by hand")
	}
	w.removeEmptyFolders(changes)
	return changes, w.save(record)
}

// takeBack restores one file.
func (w Folder) takeBack(entry recordedFile) Change {
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
		if entry.Format == "" && w.signed(s.text) {
			text = ""
		} else if text, err = w.takeOut(s.text, entry); err != nil {
			return keep(reason(err))
		}
	}
	bare := strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark))
	if entry.Created && (bare == "" || entry.Format == FormatJSON && bare == "{}") {
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
func (w Folder) takeOut(text string, entry recordedFile) (string, error) {
	e := Edit{text: text}
	switch entry.Format {
	case FormatJSON:
		left, err := e.remove(entry.Parts)
		if err != nil {
			return "", err
		}
		if len(left) > 0 && e.text == text {
			return "", errors.New("what was written there was changed since")
		}
	case FormatMarkdown, FormatTOML:
		err := e.removeBlock(w.Marks[entry.Format])
		return e.text, err
	default:
		return "", errors.New("it was changed since")
	}
	return e.text, nil
}

// removeEmptyFolders removes the folders of removed files that hold nothing
// now, up to the folder.
func (w Folder) removeEmptyFolders(changes []Change) {
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

// signed reports whether a text has one of our signs, which say who wrote a file.
func (w Folder) signed(text string) bool {
	return slices.ContainsFunc(w.Signs, func(sign string) bool { return strings.Contains(text, sign) })
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
