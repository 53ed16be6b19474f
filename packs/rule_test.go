package packs

import (
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
)

// Five to twelve commands are the rule (§2.3.3); who departs from it has a
// reason here.
func TestNumberOfCommandsFollowsTheRule(t *testing.T) {
	reasons := map[string]string{
		"echo":    "the smallest composite pack there is",
		"hcp-cli": "the lifecycle commands are published as one pack",
	}
	eachPack(t, func(t *testing.T, p loaded) {
		n := len(p.manifest.Verbs.Keys())
		if usual := n >= 5 && n <= 12; usual == (reasons[p.id] != "") {
			t.Errorf("%d commands, with the reason %q", n, reasons[p.id])
		}
	})
}

// A command that establishes a Binding is a write (§8.5.1).
func TestConnectCommandsAreWrites(t *testing.T) {
	found := 0
	eachPack(t, func(t *testing.T, p loaded) {
		for key, row := range p.policy.Verbs {
			if words := strings.Split(key, "."); words[len(words)-1] != "connect" {
				continue
			}
			found++
			if row.Operation != hcp.OperationWrite {
				t.Errorf("%s is a %s", key, row.Operation)
			}
		}
	})
	if found < 2 {
		t.Errorf("only %d connect commands were looked at", found)
	}
}

func TestEveryPackDeclaresItsBinding(t *testing.T) {
	eachPack(t, func(t *testing.T, p loaded) {
		if p.manifest.Binding == nil || p.manifest.Binding.Mode == "" || p.manifest.Binding.Hub == "" {
			t.Errorf("binding %+v", p.manifest.Binding)
		}
	})
}

// A pack with a login declares that the login may end (§7.7.1). The bootstrap
// pack's Binding is the store that the runtime itself keeps.
func TestPacksWithALoginAnnounceItsEnd(t *testing.T) {
	eachPack(t, func(t *testing.T, p loaded) {
		login := p.manifest.BindingMode() != hcp.BindingPublic && p.id != hcp.BootstrapPack
		announced := slices.ContainsFunc(p.manifest.StimulusTriggers, func(s hcp.Trigger) bool { return s.Ref == "binding.degraded" })
		if login != announced {
			t.Errorf("Binding %s, announced %v", p.manifest.BindingMode(), announced)
		}
	})
}

// Examples of a Skill are command lines of the pack, with --json (§5.2.8).
func TestSkillExamplesAskForJSON(t *testing.T) {
	plain := []string{
		"hcpx skill transit", // prints a text for reading
	}
	eachPack(t, func(t *testing.T, p loaded) {
		lines := 0
		for line := range strings.Lines(p.skill) {
			line = strings.TrimSpace(line)
			if cells := strings.Split(line, " | "); len(cells) == 3 && strings.HasPrefix(line, "| `") {
				line = strings.Trim(cells[1], "`")
			}
			if !strings.HasPrefix(line, p.manifest.CLIBin+" ") {
				continue
			}
			lines++
			if !strings.Contains(line, "--json") && !slices.Contains(plain, line) {
				t.Errorf("%q", line)
			}
		}
		if lines < len(p.manifest.Verbs.Keys()) {
			t.Errorf("only %d examples were found", lines)
		}
	})
}
