package lint

import (
	"slices"
	"strings"
	"unicode"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/ids"
)

// skill compares the Skill with the manifest and looks for what no Skill may
// say (§5.2, §12.4, RFC 0002).
func (f *findings) skill(p *pack.Pack, hasManifest bool) {
	if p.Skill == "" && !p.SkillPresent {
		return
	}
	md := parseMarkdown(p.Skill)
	if hasManifest {
		f.namedCommands(md, &p.Manifest)
		f.taughtCommands(md, &p.Manifest)
		f.triggers(md, &p.Manifest)
	}
	f.hostPaths(md)
	f.skillSecrets(md)
	f.mcp(md)
	f.hidden(md, p.Skill)
}

// namedCommands: each command stands somewhere in the Skill as `verb_key`, where
// a person sees it.
func (f *findings) namedCommands(md markdown, m *hcp.Manifest) {
	named := map[string]bool{}
	for _, l := range md.lines {
		if !l.fenced {
			for _, span := range codeSpans(l.seen) {
				named[span] = true
			}
		}
	}
	for _, key := range m.Verbs.Keys() {
		if !named[key] {
			f.add(hcp.LintSkill, key, "%s never names the command %q in backticks", pack.SkillFile, key)
		}
	}
}

// commandHeaders head a first column that lists commands, otherHeaders one that
// lists something else that may look like a command.
var (
	commandHeaders = []string{"command", "commands", "verb", "verbs", "verb_key"}
	otherHeaders   = []string{
		"argument", "arguments", "arg", "args", "parameter", "parameters", "option", "options", "flag", "flags",
		"field", "fields", "property", "value", "values", "variable", "variables", "env", "environment", "setting", "settings",
		"code", "error", "exit", "exit code", "event", "events", "state", "states", "status", "format", "file", "files",
		"provider", "providers", "key", "keys", "column", "columns", "term",
	}
	triggerHeaders = []string{"trigger", "triggers", "stimulus", "stimuli"}
)

// taughtCommands: the first column of a table above the anti-patterns names
// declared commands only. That a table of commands leaves one out is worth a
// note (§5.5), but for those that belong to the setup.
func (f *findings) taughtCommands(md markdown, m *hcp.Manifest) {
	taught, hasTable := map[string]bool{}, false
	for _, r := range md.rows() {
		hasTable = hasTable || r.teaching && slices.Contains(commandHeaders, r.header)
		if !r.teaching || slices.Contains(otherHeaders, r.header) || slices.Contains(triggerHeaders, r.header) {
			continue
		}
		for _, key := range cellKeys(r) {
			taught[key] = true
			if _, ok := m.Verbs.Get(key); !ok && !declaresTrigger(m, key) {
				f.add(hcp.LintSkill, key, "%s teaches the command %q, which %s does not declare", pack.SkillFile, key, pack.SurfaceFile)
			}
		}
	}
	for _, key := range m.Verbs.Keys() {
		if hasTable && !taught[key] && !isSetup(key) {
			f.note("the table of commands in %s leaves out %q", pack.SkillFile, key)
		}
	}
}

// isSetup knows the commands that a Skill teaches under a heading of their own.
func isSetup(key string) bool {
	family, _, _ := strings.Cut(key, ".")
	return family == "setup" || key == "connect" || strings.HasSuffix(key, ".connect")
}

// cellKeys returns the command keys that a first cell names: in backticks, or
// bare in a column of commands.
func cellKeys(r row) []string {
	var keys []string
	ofCommands := slices.Contains(commandHeaders, r.header)
	names := codeSpans(r.cell)
	if len(names) == 0 && ofCommands {
		names = []string{strings.Trim(r.cell, "*_ ")}
	}
	for _, name := range names {
		if ids.IsCommandKey(name) || ofCommands && ids.IsLooseCommandKey(name) && (unicode.IsLetter(rune(name[0])) || unicode.IsDigit(rune(name[0]))) {
			keys = append(keys, name)
		}
	}
	return keys
}

func declaresTrigger(m *hcp.Manifest, ref string) bool {
	return slices.Contains(m.StimulusTriggers, hcp.Trigger{Ref: ref})
}

// degraded is the one ref whose name the protocol gives (§8.6).
const degraded = "binding.degraded"

// triggers: the Skill describes declared triggers only. That is told where it is
// certain: in a table of triggers, in the list of a section about them, and for
// the ref that the protocol names.
func (f *findings) triggers(md markdown, m *hcp.Manifest) {
	check := func(ref string) {
		_, isCommand := m.Verbs.Get(ref)
		if ref != "" && isRef(ref) && !isCommand && !declaresTrigger(m, ref) {
			f.add(hcp.LintSkill, ref, "%s describes the trigger %q, which stimulusTriggers does not declare", pack.SkillFile, ref)
		}
	}
	for _, r := range md.rows() {
		if r.teaching && slices.Contains(triggerHeaders, r.header) {
			for _, span := range codeSpans(r.cell) {
				check(span)
			}
		}
	}
	for _, l := range md.lines {
		if !l.teaching || l.fenced {
			continue
		}
		if slices.Contains(codeSpans(l.seen), degraded) {
			check(degraded)
		}
		about := aboutTriggers(l.section)
		if l.level > 0 && about && len(m.StimulusTriggers) == 0 {
			f.note("%s line %d has a section on triggers, and the manifest declares none", pack.SkillFile, l.number)
		}
		item := strings.TrimLeft(l.seen, " \t")
		if about && (strings.HasPrefix(item, "- `") || strings.HasPrefix(item, "* `")) {
			for _, span := range codeSpans(item)[:min(1, len(codeSpans(item)))] {
				check(span)
			}
		}
	}
}

func aboutTriggers(section string) bool {
	for word := range strings.FieldsSeq(section) {
		if word == "sense" || slices.Contains(triggerHeaders, strings.Trim(word, ":,()")) {
			return true
		}
	}
	return false
}

func isRef(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '_')
	})
}
