package configedit

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// record is what was written into one folder. It is kept elsewhere, where no
// repository carries it along: what our parts replaced may be private.
type record struct {
	Dir   string         `json:"dir"`
	Files []recordedFile `json:"files"`
}

// recordedFile is one file of a record.
type recordedFile struct {
	Path    string   `json:"path"`
	Targets []string `json:"targets"`
	// Created says that there was no file before.
	Created bool   `json:"created"`
	Format  Format `json:"format,omitempty"` // empty where the file is wholly ours
	// After is the digest of what was written last. While the file has it, and
	// Exact holds, the splices lead back to what was there.
	After   string   `json:"after"`
	Exact   bool     `json:"exact"`
	Splices []Splice `json:"splices"`
	// Parts are what to take out of a file that changed since.
	Parts []Part `json:"parts,omitempty"`
}

// note adds a change to the record.
func (r *record) note(owner string, c *Change) error {
	if c.Action == Refused {
		return nil
	}
	i := slices.IndexFunc(r.Files, func(f recordedFile) bool { return f.Path == c.Path })
	if i < 0 {
		if c.Action == Same {
			// Somebody else put it there: it is not ours to take back.
			return nil
		}
		r.Files = append(r.Files, recordedFile{Path: c.Path, Created: !c.spot.exists, Format: c.file.Format, Exact: true, After: digest(c.spot.text)})
		i = len(r.Files) - 1
	}
	f := &r.Files[i]
	if !slices.Contains(f.Targets, owner) {
		f.Targets = append(f.Targets, owner)
		slices.Sort(f.Targets)
	}
	if c.Action == Same {
		return nil
	}
	if f.After != digest(c.spot.text) {
		// Somebody edited it since: the way back is no longer known to the byte.
		f.Exact, f.Splices = false, nil
	}
	if f.Exact {
		f.Splices = append(f.Splices, c.edit.splices...)
	}
	f.Parts = append(f.Parts, c.edit.parts...)
	f.After = digest(c.edit.text)
	return nil
}

func (r *record) put(entry recordedFile) {
	if i := slices.IndexFunc(r.Files, func(f recordedFile) bool { return f.Path == entry.Path }); i >= 0 {
		r.Files[i] = entry
	}
}

func (r *record) drop(path string) {
	r.Files = slices.DeleteFunc(r.Files, func(f recordedFile) bool { return f.Path == path })
}

// recordPath is the file of a folder's record, named by where it is.
func (w Folder) recordPath() (path, dir string, err error) {
	dir, err = filepath.EvalSymlinks(w.Dir)
	return filepath.Join(w.Records, digest(dir)[:32]+".json"), dir, err
}

// open locks the records and reads the one of the folder.
func (w Folder) open(ctx context.Context) (unlock func(), r *record, err error) {
	path, dir, err := w.recordPath()
	if err != nil {
		return nil, nil, fault.Newf(CodeCannotEdit, "the folder %q cannot be read", w.Dir).Because(err).WithHint("make it readable")
	}
	if err := durable.MkdirAll(w.Records, 0o700); err != nil {
		return nil, nil, w.noRecord(err)
	}
	unlock, err = durable.Lock(ctx, filepath.Join(w.Records, "lock"), w.Holder)
	if err != nil {
		return nil, nil, err
	}
	r = &record{Dir: dir, Files: []recordedFile{}}
	data, err := os.ReadFile(path)
	if err == nil {
		err = canon.Decode(data, r, canon.Limits{MaxBytes: 16 << 20})
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		unlock()
		return nil, nil, fault.Newf(CodeCannotEdit, "the record %q cannot be read", path).Because(err).
			WithHint("move it away; undo then no longer knows what was written")
	}
	return unlock, r, nil
}

func (w Folder) save(r *record) error {
	path, _, err := w.recordPath()
	if err != nil {
		return err
	}
	data, err := canon.Marshal(r)
	if err == nil {
		err = durable.WriteFile(path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return w.noRecord(err)
	}
	return nil
}

func (w Folder) noRecord(err error) error {
	return fault.New(CodeCannotEdit, "the record of what is done cannot be kept").Because(err).
		WithHint("make the folder %q writable, or free some space", w.Records)
}
