package lint

import (
	"maps"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pack"
)

// agreement compares the manifest and the Policy: coverage both ways (§4.4),
// triggers that only announce (§4.2), and confirm on writes alone (§4.5). A file
// that could not be read is not compared with.
func (f *findings) agreement(p *pack.Pack, hasManifest, hasPolicy bool) {
	if hasManifest && hasPolicy {
		f.coverage(&p.Manifest, &p.Policy)
	}
	if !hasPolicy {
		return
	}
	for _, ref := range slices.Sorted(maps.Keys(p.Policy.Stimuli)) {
		entry := p.Policy.Stimuli[ref]
		if entry.Operation == hcp.OperationWrite {
			f.add(hcp.LintWriteStimulus, ref, `policy stimulus %q is a write; a trigger announces a change and is always "read"`, ref)
		} else if entry.Confirm != hcp.ConfirmNone {
			f.add(hcp.LintInvalidPolicy, ref, "policy stimulus %q has confirm; only a write can ask", ref)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.Policy.Verbs)) {
		entry := p.Policy.Verbs[key]
		if entry.Operation == hcp.OperationRead && entry.Confirm != hcp.ConfirmNone {
			f.add(hcp.LintInvalidPolicy, key, "policy verb %q has confirm and is a read; only a write can ask", key)
		}
		if c, ok := p.Manifest.Verbs.Get(key); ok && c.Policy != "" && entry.Operation != "" && c.Policy != string(entry.Operation) {
			f.note("the manifest calls command %q a %s and the Policy, which decides, a %s", key, c.Policy, entry.Operation)
		}
	}
}

func (f *findings) coverage(m *hcp.Manifest, p *hcp.Policy) {
	for _, key := range m.Verbs.Keys() {
		if _, ok := p.Verbs[key]; !ok {
			f.add(hcp.LintMissingVerb, key, "verb %q missing from policy.json", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.Verbs)) {
		// A bootstrap's subcommands are its commands until it names some (§3.5).
		if _, ok := command.Lookup(m, key); !ok {
			f.add(hcp.LintExtraVerb, key, "policy verb %q not in pack manifest", key)
		}
	}
	for _, trigger := range m.StimulusTriggers {
		if _, ok := p.Stimuli[trigger.Ref]; !ok && trigger.Ref != "" {
			f.add(hcp.LintMissingStimulus, trigger.Ref, "stimulus %q missing from policy.json", trigger.Ref)
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(p.Stimuli)) {
		if !slices.Contains(m.StimulusTriggers, hcp.Trigger{Ref: ref}) {
			f.add(hcp.LintExtraStimulus, ref, "policy stimulus %q not in stimulusTriggers", ref)
		}
	}
}
