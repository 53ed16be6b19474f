package check

import (
	"cmp"
	"slices"
	"strings"
)

// Severity says how much a finding matters.
type Severity string

// The severities. An info never fails a pack.
const (
	Error Severity = "error"
	Warn  Severity = "warn"
	Info  Severity = "info"
)

// Where is the place of a finding: a file with a JSON pointer, or with a heading.
type Where struct {
	File    string `json:"file"`
	Pointer string `json:"pointer,omitempty"`
	Heading string `json:"heading,omitempty"`
}

// Finding is one thing to look at.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Where    Where    `json:"where"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
	Docs     string   `json:"docs"`
}

// Summary counts findings.
type Summary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Info     int `json:"info"`
}

// Category is the score of one part.
type Category struct {
	Score int `json:"score"`
	Summary
}

// Report is the whole result.
type Report struct {
	OK         bool                `json:"ok"`
	PackID     string              `json:"pack_id"`
	Dir        string              `json:"dir"`
	Score      int                 `json:"score"`
	Grade      string              `json:"grade"`
	Ready      bool                `json:"ready"`
	Summary    Summary             `json:"summary"`
	Categories map[string]Category `json:"categories"`
	Findings   []Finding           `json:"findings"`
	Probes     []Probe             `json:"probes"`
	Evals      *Evals              `json:"evals,omitempty"`
	Layers     []string            `json:"layers"`
	Next       []string            `json:"next"`
}

// What a finding costs, and from which score on a pack is ready to be shared.
const (
	errorCost, warnCost = 12, 4
	readyScore          = 90
)

func (s Summary) score() int { return max(0, 100-errorCost*s.Errors-warnCost*s.Warnings) }

func (s *Summary) count(severity Severity) {
	switch severity {
	case Error:
		s.Errors++
	case Warn:
		s.Warnings++
	case Info:
		s.Info++
	}
}

// grade turns a score into a letter; with an error it is D at best.
func (s Summary) grade() string {
	score := s.score()
	switch {
	case score >= 90 && s.Errors == 0:
		return "A"
	case score >= 80 && s.Errors == 0:
		return "B"
	case score >= 70 && s.Errors == 0:
		return "C"
	case score >= 60:
		return "D"
	}
	return "F"
}

// The categories by the letter that ids begin with.
var categories = map[byte]string{'L': "structure", 'M': "manifest", 'P': "policy", 'S': "skill", 'R': "probe", 'E': "eval"}

// docsBase is where the rules are explained.
const docsBase = "https://harnesscontextprotocol.io/docs/packs/check#"

func docsOf(id string) string {
	if id[0] == 'L' {
		return docsBase + "lint"
	}
	return docsBase + categories[id[0]]
}

// close sorts the findings and works out what follows from them.
func (r *Report) close() {
	order := []Severity{Error, Warn, Info}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Severity), slices.Index(order, b.Severity)), strings.Compare(a.ID, b.ID))
	})
	parts := map[string]*Summary{}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Docs = docsOf(f.ID)
		name := categories[f.ID[0]]
		if parts[name] == nil {
			parts[name] = &Summary{}
		}
		parts[name].count(f.Severity)
		r.Summary.count(f.Severity)
	}
	r.Categories = map[string]Category{}
	for _, layer := range r.Layers {
		for _, name := range layers[layer] {
			part := parts[name]
			if part == nil {
				part = &Summary{}
			}
			r.Categories[name] = Category{part.score(), *part}
		}
	}
	r.Score, r.Grade = r.Summary.score(), r.Summary.grade()
	r.OK = r.Summary.Errors == 0
	r.Ready = r.OK && r.Score >= readyScore
}

// layers lists the categories of each layer.
var layers = map[string][]string{"structure": {"structure"}, "static": {"manifest", "policy", "skill"}, "probe": {"probe"}, "eval": {"eval"}}

// finder collects findings.
type finder struct{ findings []Finding }

func (f *finder) add(id string, severity Severity, where Where, message, fix string) {
	f.findings = append(f.findings, Finding{ID: id, Severity: severity, Where: where, Message: message, Fix: fix})
}

// quoteAll lists names for a sentence.
func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = `"` + name + `"`
	}
	return strings.Join(quoted, ", ")
}
