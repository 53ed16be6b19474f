package view

import (
	"bytes"
	"unicode/utf8"

	"bridle/hound"
)

// Action says what happens to a file.
type Action string

// The actions.
const (
	Create Action = "create"
	Update Action = "update"
	Delete Action = "delete"
	Write  Action = "write" // the older form, which tells no more
)

// Shown says how much of a change could be shown.
type Shown string

// What could be shown.
const (
	ShownDiff   Shown = "diff"
	ShownBinary Shown = "binary"
	ShownHashes Shown = "hashes only"
	ShownPath   Shown = "path only"
)

// File is one file of a plan.
type File struct {
	Path         string  `json:"path"`
	Action       Action  `json:"action"`
	ModeBefore   string  `json:"mode_before,omitempty"`
	ModeAfter    string  `json:"mode_after,omitempty"`
	BeforeSHA256 *string `json:"before_sha256,omitzero"`
	AfterSHA256  *string `json:"after_sha256,omitzero"`
	Shown        Shown   `json:"shown"`
	Diff         string  `json:"diff,omitempty"`
	// Missing says which side could not be shown.
	Missing string `json:"missing,omitempty"`
}

// Source finds the bytes that a file had, by path and hash, with the mode where
// that is known.
type Source func(path, sha256 string) (body []byte, mode string, found bool)

// Files lists what a plan changes. The bodies are the bytes after each effect, as
// far as the driver shows them.
func Files(effects []hound.ExpectedEffect, writes []string, bodies map[string][]byte, before Source) []File {
	files := make([]File, 0, len(effects)+len(writes))
	for _, e := range effects {
		files = append(files, fileOf(e, bodies, before))
	}
	for _, path := range writes {
		files = append(files, File{Path: path, Action: Write, Shown: ShownPath})
	}
	return files
}

func fileOf(e hound.ExpectedEffect, bodies map[string][]byte, before Source) File {
	f := File{Path: e.Path, Action: Update, BeforeSHA256: e.BeforeSHA256, AfterSHA256: e.AfterSHA256, Shown: ShownHashes}
	if e.Mode != nil {
		f.ModeAfter = *e.Mode
	}
	switch {
	case e.BeforeSHA256 == nil:
		f.Action = Create
	case e.AfterSHA256 == nil:
		f.Action = Delete
	}
	var old []byte
	if e.BeforeSHA256 != nil {
		var found bool
		if old, f.ModeBefore, found = before(e.Path, *e.BeforeSHA256); !found {
			f.Missing = "before"
			return f
		}
	}
	body := bodies[e.Path]
	if _, there := bodies[e.Path]; !there && e.AfterSHA256 != nil {
		if e.BeforeSHA256 == nil || *e.BeforeSHA256 != *e.AfterSHA256 {
			f.Missing = "after"
			return f
		}
		body = old
	}
	f.Shown = ShownBinary
	if isText(old) && isText(body) {
		f.Shown, f.Diff = ShownDiff, Unified(string(old), string(body))
	}
	return f
}

// maxText is how long a text may be to be shown line by line.
const maxText = 1 << 20

func isText(data []byte) bool {
	return len(data) <= maxText && utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}
