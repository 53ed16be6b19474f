package host

import (
	"context"
	"path/filepath"

	"bridle/internal/kernel/configedit"
)

// The codes of this package's faults.
const (
	// CodeCannotEdit is a file that our part cannot be put into safely.
	CodeCannotEdit = configedit.CodeCannotEdit
	CodeNotAdopted = configedit.CodeNotWritten
)

// Change is one file of an adoption.
type Change = configedit.Change

// The actions. Kept is a file that undo leaves, with the reason.
const (
	Create  = configedit.Create
	Modify  = configedit.Modify
	Same    = configedit.Same
	Restore = configedit.Restore
	Remove  = configedit.Remove
	Kept    = configedit.Kept
	Refused = configedit.Refused
)

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

// The lines that enclose our part of a file.
var (
	markdownMarks = configedit.Marks{Begin: "<!-- BEGIN HCP -->", End: "<!-- END HCP -->"}
	tomlMarks     = configedit.Marks{Begin: "# BEGIN HCP", End: "# END HCP"}
)

func (w Workspace) folder() configedit.Folder {
	return configedit.Folder{
		Dir: w.Dir, Records: w.Records, Holder: w.Holder, Signs: []string{sign, signJSON},
		Marks: map[configedit.Format]configedit.Marks{configedit.FormatMarkdown: markdownMarks, configedit.FormatTOML: tomlMarks},
	}
}

// Plan says what adopting a host would do. It writes nothing.
func Plan(w Workspace, t Target, in Input) ([]Change, error) {
	if err := refuseOptedOut(w.Dir, w.Repository); err != nil {
		return nil, err
	}
	if err := refuseStore(w.Dir, filepath.Dir(w.Records)); err != nil {
		return nil, err
	}
	return configedit.Plan(w.folder(), t.files(in)), nil
}

// Manual lists what a person has to add outside of the workspace.
func (t Target) Manual(in Input) []Manual {
	if t.manual == nil {
		return nil
	}
	return t.manual(in)
}

// OK reports whether every file can be written.
func OK(changes []Change) bool { return configedit.OK(changes) }

// Write does what was planned, all files or, as far as a disk allows it, none.
func Write(ctx context.Context, w Workspace, t Target, changes []Change) error {
	return configedit.Write(ctx, w.folder(), t.Name, changes)
}

// Undo takes a host's configuration back. Files that other hosts share stay
// until the last of them is undone.
func Undo(ctx context.Context, w Workspace, t Target) ([]Change, error) {
	return configedit.Undo(ctx, w.folder(), t.Name)
}
