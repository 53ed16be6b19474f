package hcpruntime

import (
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// Pack is a pack that was loaded. It is shared and must not be changed.
type Pack struct {
	ID           string
	Dir          string
	Kind         hcp.Kind
	Manifest     hcp.Manifest
	Policy       hcp.Policy
	Skill        string
	SkillPresent bool
	VerbKeys     []string
	// Notes are what a reader should know though it is no fault, such as
	// unknown fields.
	Notes []string
}

// LoadPack reads the three files of a pack. It does not lint.
func LoadPack(dir string) (*Pack, error) {
	p, err := pack.Load(dir)
	if err != nil {
		return nil, public(err)
	}
	return outward(p), nil
}

// Lint reports what keeps the pack in dir from being installed.
func Lint(dir string) ([]hcp.LintIssue, error) {
	report, err := lint.Dir(dir)
	return report.Issues, public(err)
}

func outward(p *pack.Pack) *Pack {
	return &Pack{
		ID: p.ID, Dir: p.Dir, Kind: p.Kind, Manifest: p.Manifest, Policy: p.Policy,
		Skill: p.Skill, SkillPresent: p.SkillPresent, VerbKeys: p.Keys(), Notes: slices.Clone(p.Notes),
	}
}

func inward(p *Pack) *pack.Pack {
	kind := p.Kind
	if kind == "" {
		kind = p.Manifest.EffectiveKind()
	}
	return &pack.Pack{
		ID: p.ID, Dir: p.Dir, Kind: kind, Manifest: p.Manifest, Policy: p.Policy,
		Skill: p.Skill, SkillPresent: p.SkillPresent || p.Skill != "", Notes: p.Notes,
	}
}

// linted refuses a pack with any issue (§11.1.2).
func linted(issues []hcp.LintIssue) error {
	if len(issues) == 0 {
		return nil
	}
	messages := make([]string, len(issues))
	for i, issue := range issues {
		messages[i] = issue.Message
	}
	return fault.New("lint_failed", "lint failed: "+strings.Join(messages, "; ")).
		WithHint("fix every issue of the pack; nothing of it was loaded")
}
