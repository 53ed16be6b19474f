package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
)

// The bounds of a Skill.
const (
	leadChars   = 480
	screenLines = 120
)

func heading(title string) Where { return Where{File: pack.SkillFile, Heading: title} }

// section is a part of a Skill under one heading.
type section struct {
	title string
	lines []string
	code  []bool
}

// sections takes a Skill apart at its headings; the first is what stands above
// any.
func sections(skill string) []section {
	all := []section{{}}
	fenced := false
	for line := range strings.Lines(skill) {
		line = strings.TrimRight(line, "\r\n")
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence {
			fenced = !fenced
		}
		if !fenced && !fence && strings.HasPrefix(line, "#") {
			all = append(all, section{title: strings.TrimSpace(line)})
			continue
		}
		last := &all[len(all)-1]
		last.lines, last.code = append(last.lines, line), append(last.code, fenced && !fence)
	}
	return all
}

// skill applies the rules S001 to S011.
func (f *finder) skill(p *pack.Pack) {
	if p.Skill == "" {
		return // lint says it
	}
	all := sections(p.Skill)
	f.top(p)
	f.hotPath(p, all)
	f.examples(p, all)
	f.antiPatterns(all)
	lines := strings.Count(p.Skill, "\n")
	if lines > screenLines {
		f.add("S009", Warn, heading(""), fmt.Sprintf("the Skill has %d lines, which is more than a screen", lines),
			"Keep what an agent needs to call the commands; the rest belongs into the program's own help.")
	}
	needs := p.Manifest.BindingMode() != hcp.BindingPublic
	if needs && !has(all, "setup") {
		f.add("S010", Warn, heading("## Setup"), "the pack needs a login and its Skill has no Setup section", "Add ## Setup with the commands that connect it.")
	}
	if len(p.Manifest.StimulusTriggers) == 0 && p.Kind != hcp.KindSenseOnly && has(all, "trigger", "sense") {
		f.add("S011", Info, heading("## Triggers"), "the Skill speaks of triggers, and none is declared", "Remove the section, or declare stimulusTriggers.")
	}
}

func has(all []section, words ...string) bool {
	return slices.ContainsFunc(all, func(s section) bool {
		title := strings.ToLower(s.title)
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(title, w) })
	})
}

// login are the words by which a lead says whether one is needed.
var login = []string{"login", "log in", "logged in", "sign in", "signed in", "account", "credential", "token", "connect", "auth", "key", "no setup"}

func (f *finder) top(p *pack.Pack) {
	title := ""
	for line := range strings.Lines(p.Skill) {
		if strings.HasPrefix(line, "# ") {
			title = strings.TrimSpace(line)
			break
		}
	}
	if name, ok := strings.CutPrefix(title, "# HCP — "); !ok || strings.TrimSpace(name) == "" {
		f.add("S001", Warn, heading(title), "the title is not \"# HCP — <Name>\"", "Write \"# HCP — "+displayName(p)+"\" as the first line.")
	}
	lead := pack.LeadUpTo(p.Skill, 1<<20)
	switch n := utf8.RuneCountInString(lead); {
	case n == 0:
		f.add("S002", Error, heading(title), "no lead follows the title", "Say under the title what the pack does, whether it needs a login, and the first command to run.")
		return
	case n > leadChars:
		f.add("S003", Warn, heading(title), fmt.Sprintf("the lead has %d characters, and hosts load about %d", n, leadChars), "Shorten it so that what matters stands in front.")
	}
	lower := strings.ToLower(lead)
	if !slices.ContainsFunc(login, func(w string) bool { return strings.Contains(lower, w) }) {
		f.add("S004", Warn, heading(title), "the lead does not say whether a login is needed", "Add \"No login.\", or what to connect first.")
	}
}

func displayName(p *pack.Pack) string {
	if p.Manifest.Name != "" {
		return p.Manifest.Name
	}
	return p.ID
}

// hotPath looks for a row of a table for each command.
func (f *finder) hotPath(p *pack.Pack, all []section) {
	var missing []string
	for _, key := range p.Keys() {
		if !slices.ContainsFunc(all, func(s section) bool {
			return slices.ContainsFunc(s.lines, func(line string) bool {
				return strings.HasPrefix(strings.TrimSpace(line), "|") && strings.Contains(line, "`"+key+"`")
			})
		}) {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		f.add("S005", Error, heading("## Hot path"), "no table row for "+quoteAll(missing), "Add ## Hot path with a table that has a row for each command, its name in backticks.")
	}
}

// examples looks at the lines of code that call the pack.
func (f *finder) examples(p *pack.Pack, all []section) {
	var without []string
	calls := 0
	starts := []string{"hcpx exec " + p.ID + " ", "hcp exec " + p.ID + " "}
	if p.Manifest.CLIBin != "" && p.ID != hcp.BootstrapPack {
		starts = append(starts, p.Manifest.CLIBin+" ")
	}
	if p.ID == hcp.BootstrapPack {
		starts = []string{"hcpx commands ", "hcpx exec "}
	}
	for _, s := range all {
		for i, line := range s.lines {
			line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
			if !s.code[i] || !slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(line, start) }) {
				continue
			}
			calls++
			if !strings.Contains(line, "--json") {
				without = append(without, line)
			}
		}
	}
	switch {
	case calls == 0:
		f.add("S006", Warn, heading("## Examples"), "the Skill has no example of a call", "Add ## Examples with a block of calls, each with --json.")
	case len(without) > 0:
		f.add("S006", Warn, heading("## Examples"), "examples without --json: "+quoteAll(without), "Add --json to them.")
	}
}

func (f *finder) antiPatterns(all []section) {
	const fewest, most = 3, 6
	for _, s := range all {
		if plain := strings.NewReplacer("-", "", " ", "", "#", "").Replace(strings.ToLower(s.title)); plain != "antipatterns" {
			continue
		}
		n := 0
		for _, line := range s.lines {
			if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") {
				n++
			}
		}
		if n < fewest || n > most {
			f.add("S008", Info, heading(s.title), fmt.Sprintf("%d anti-patterns; 3 to 6 are the rule", n), "Keep the mistakes that agents really make.")
		}
		return
	}
	f.add("S007", Warn, heading("## Anti-patterns"), "the Skill has no anti-patterns", "Add ## Anti-patterns with 3 to 6 mistakes that agents make with this program.")
}
