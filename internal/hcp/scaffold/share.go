// Package scaffold helps the author of a pack (the init, wrap and share sections
// of the CLI reference, the sharing and the wrapping page). Init writes one to
// begin with; Wrap drafts one from the help of a program; Share prepares what a
// catalog wants to know of one: its row, and what is still missing for others to
// install it.
//
// Nothing of a pack is ever run. Wrap runs the program for its help alone: in the
// sandbox, without a network, over empty folders, in bounded time; what it says is
// a stranger's text. What a command does is guessed on the safe side: one that is
// not known to read is a write that asks. A new pack appears in one step or not at
// all, and never over something that is there; a row is given only for a pack that
// lints clean.
package scaffold

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/catalog"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
)

// Shared is what sharing a pack needs.
type Shared struct {
	PackID string
	Issues []hcp.LintIssue
	// Row is the row of the catalog; nil while there are issues.
	Row *catalog.Entry
	// Missing names the files that a repository of its own has to have.
	Missing []string
	Notes   []string
}

// Origin is where others can get the pack, as far as that is known.
type Origin struct {
	// Install is the argument of an installation, Repository the address for
	// people. Both may be empty.
	Install, Repository string
}

// Share lints the pack in dir and makes its row.
func Share(dir string, origin Origin) (Shared, error) {
	report, err := lint.Dir(dir)
	if err != nil {
		return Shared{}, err
	}
	s := Shared{PackID: report.PackID, Issues: report.Issues, Notes: report.Notes}
	if !report.OK() {
		return s, nil
	}
	p, err := pack.Load(dir)
	if err != nil {
		return Shared{}, err
	}
	if origin.Install == "" {
		if name := packageName(dir); name != "" {
			origin.Install = "npm:" + name
			s.Notes = append(s.Notes, "package.json names the package "+name+"; whether it is published is not looked up")
		} else {
			s.Notes = append(s.Notes, "the row names no place to install from; share it as github:owner/repo once it is public")
		}
	}
	row := catalog.RowOf(p, pack.Lead(p.Skill), origin.Install)
	row.Repository = origin.Repository
	s.Row = &row
	for _, name := range []string{"LICENSE", "README.md"} {
		if !present(dir, name) {
			s.Missing = append(s.Missing, name)
		}
	}
	if w := p.Manifest.Wrap; w != nil && !pack.IsPath(w.Bin) {
		s.Notes = append(s.Notes, fmt.Sprintf("%q is not part of the pack: whoever installs it needs that program on their PATH", w.Bin))
	}
	return s, nil
}

// present reports whether a file is there, with an ending or without.
func present(dir, name string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		have := strings.ToLower(e.Name())
		want := strings.ToLower(name)
		if e.Type().IsRegular() && (have == want || strings.TrimSuffix(have, filepath.Ext(have)) == want) {
			return true
		}
	}
	return false
}

// longestPackage bounds a package.json that is read.
const longestPackage = 1 << 20

// packageName is the npm name of a pack that says it is a package: one whose
// package.json names the pack's folder.
func packageName(dir string) string {
	path := filepath.Join(dir, "package.json")
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > longestPackage {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var doc struct {
		Name    string `json:"name"`
		Private bool   `json:"private"`
		HCP     *struct {
			Pack string `json:"pack"`
		} `json:"hcp"`
	}
	if _, err := canon.DecodeOpen(data, &doc, canon.Limits{MaxBytes: longestPackage}); err != nil || doc.HCP == nil || doc.Private {
		return ""
	}
	return doc.Name
}
