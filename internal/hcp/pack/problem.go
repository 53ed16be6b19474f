package pack

import (
	"fmt"

	"bridle/hcp"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Fault codes of this package.
const (
	CodeNoPack             = "no_pack"
	CodeBadPack            = "bad_pack"
	CodeUnsafePack         = "unsafe_pack"
	CodeUnsupportedVersion = "unsupported_version"
	// CodeManyFiles says nothing about the pack: the machine has no descriptor
	// left to read it.
	CodeManyFiles = durable.CodeManyFiles
)

// Names of the three files.
const (
	SurfaceFile = "surface.json"
	PolicyFile  = "policy.json"
	SkillFile   = "HARNESS.md"
)

// Problem is one reason why a pack does not load.
type Problem struct {
	hcp.LintIssue
	Code    string // of the fault that Load returns
	File    string // one of the three, or empty
	Pointer string // JSON Pointer into File
	// Stricter marks what the published schemas accept: the specification's
	// text or safety refuses it.
	Stricter bool
}

// fault returns the problem to report first, or nil. An unknown major of the
// protocol goes before everything else that its files may break.
func (d *Draft) fault() error {
	if len(d.Problems) == 0 {
		return nil
	}
	first := d.Problems[0]
	f := fault.New(first.Code, first.Message)
	switch {
	case first.Code == CodeUnsupportedVersion:
		return f.WithHint("this runtime implements %s, which is major %d", hcp.ProtocolVersion, hcp.Version)
	case first.Code == CodeManyFiles:
		return f.WithHint("close programs or raise the limit with ulimit -n, then run the command again; nothing is known to be wrong with the pack")
	case first.Code == CodeNoPack:
		return f.WithHint("point at the directory that holds %s", SurfaceFile)
	case len(d.Problems) > 1:
		return f.WithHint("the pack has %d more problems; \"hcpx lint\" lists them", len(d.Problems)-1)
	}
	return f
}

func (d *Draft) add(kind hcp.LintKind, key, file, code, format string, args ...any) {
	d.Problems = append(d.Problems, Problem{
		LintIssue: hcp.LintIssue{Kind: kind, Key: key, Message: fmt.Sprintf(format, args...)},
		Code:      code, File: file, Stricter: true,
	})
}

func (d *Draft) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}
