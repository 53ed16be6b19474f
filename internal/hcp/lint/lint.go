// Package lint says why a pack is not fit to be installed. It reads and never
// runs anything.
//
// Dir looks at a directory, whatever state it is in, and reports as many issues
// as can be found, always in the same order: what is wrong with each file, what
// the manifest says about itself, Policy coverage (§4.4), the Skill against the
// manifest (§5, §12.4, RFC 0002), credentials (§5.2, §8.1) and the other files
// of the directory. Pack does the same for a pack that is in memory, as far as
// it has no files. Issues keep a pack from being installed; notes are for its
// author.
//
// The kinds, keys and words of issues are part of the protocol. Where the
// protocol has none, the nearest kind is used: invalid_policy for a Policy that
// does not parse and for a confirm on a read; invalid_meta for a manifest that
// does not parse, for text in it that cannot be seen, and for files that no pack
// may have, with the path as key; binding, with the key secret, for credentials
// outside the Skill; skill, with the key hidden, for text in the Skill that an
// agent reads and a person does not see.
//
// A finding never repeats the credential that it is about.
package lint

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
)

// Report is what lint says about a directory. PackID is empty where no file
// tells it.
type Report struct {
	PackID string          `json:"pack_id"`
	Issues []hcp.LintIssue `json:"issues"`
	Notes  []string        `json:"notes,omitempty"`
}

// OK reports whether the pack may be installed.
func (r Report) OK() bool { return len(r.Issues) == 0 }

// Dir lints the pack in dir. The error says that dir cannot be read at all.
func Dir(dir string) (Report, error) {
	d, err := pack.Examine(dir)
	if err != nil {
		return Report{}, err
	}
	f := &findings{issues: []hcp.LintIssue{}}
	for _, p := range d.Problems {
		f.issue(p.LintIssue)
	}
	f.notes = append(f.notes, d.Notes...)
	if !unsupported(d) {
		f.arguments(&d.Manifest)
		f.agreement(&d.Pack, d.HasManifest, d.HasPolicy)
		f.skill(&d.Pack, d.HasManifest)
		f.document(pack.SurfaceFile, d.Surface, hcp.LintInvalidMeta)
		f.document(pack.PolicyFile, d.PolicyText, hcp.LintInvalidPolicy)
		f.files(d)
	}
	return Report{PackID: d.ID, Issues: f.issues, Notes: f.notes}, nil
}

// Pack lints a pack that Load returned or that a program made.
func Pack(p *pack.Pack) []hcp.LintIssue {
	f := &findings{issues: []hcp.LintIssue{}}
	if !p.SkillPresent && p.Skill == "" {
		f.add(hcp.LintMissingHarness, pack.SkillFile, "HCP pack %q missing %s skill", p.ID, pack.SkillFile)
	}
	for _, issue := range pack.Structure(&p.Manifest) {
		f.issue(issue)
	}
	if p.Policy.SurfaceID != p.ID {
		f.add(hcp.LintMissingVerb, p.ID, "policy surface_id %q !== %q", p.Policy.SurfaceID, p.ID)
	}
	f.arguments(&p.Manifest)
	f.agreement(p, true, true)
	f.skill(p, true)
	f.value(pack.SurfaceFile, p.Manifest, hcp.LintInvalidMeta)
	f.value(pack.PolicyFile, p.Policy, hcp.LintInvalidPolicy)
	return f.issues
}

func unsupported(d *pack.Draft) bool {
	return len(d.Problems) == 1 && d.Problems[0].Code == pack.CodeUnsupportedVersion
}

// Bounds of a report: a file full of faults is no reason for one without end.
const (
	most      = 40  // issues with the same kind and key
	mostInAll = 500 // issues, and notes
)

// findings collects issues and notes.
type findings struct {
	issues []hcp.LintIssue
	notes  []string
	seen   map[hcp.LintIssue]bool
	alike  map[hcp.LintIssue]int // by kind and key
}

// issue adds an issue that is not there yet. Names of files are bytes and need
// not be text, which is all that a document can carry.
func (f *findings) issue(i hcp.LintIssue) {
	i.Key, i.Message = asText(i.Key), asText(i.Message)
	if f.seen == nil {
		f.seen, f.alike = map[hcp.LintIssue]bool{}, map[hcp.LintIssue]int{}
	}
	if f.seen[i] {
		return
	}
	f.seen[i] = true
	key := hcp.LintIssue{Kind: i.Kind, Key: i.Key}
	switch f.alike[key]++; {
	case len(f.issues) == mostInAll:
	case f.alike[key] <= most:
		f.issues = append(f.issues, i)
	case f.alike[key] == most+1:
		f.note("there are more issues of kind %s with key %q than the %d that are listed", i.Kind, i.Key, most)
	}
}

func (f *findings) add(kind hcp.LintKind, key, format string, args ...any) {
	f.issue(hcp.LintIssue{Kind: kind, Key: key, Message: fmt.Sprintf(format, args...)})
}

func (f *findings) note(format string, args ...any) {
	if len(f.notes) < mostInAll {
		f.notes = append(f.notes, asText(fmt.Sprintf(format, args...)))
	}
}

// asText writes bytes that are no UTF-8 as \xNN.
func asText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// value lints a value that is not in a file as if it were.
func (f *findings) value(file string, v any, kind hcp.LintKind) {
	text, err := canon.Marshal(v)
	if err != nil {
		f.add(kind, file, "%s cannot be written: %v", file, err)
		return
	}
	f.document(file, text, kind)
}
