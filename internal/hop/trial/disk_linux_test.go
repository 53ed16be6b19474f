//go:build amd64 || arm64

package trial

import (
	"slices"
	"testing"
)

// TestADiskThatTakesNothing: where the disk is full, or the repository read-only,
// a command says so and changes nothing, and works when it has room again.
func TestADiskThatTakesNothing(t *testing.T) {
	bin := programs(t)
	if why := canCut(t, bin); why != "" {
		t.Log("left out, since processes cannot be traced here: " + why)
		return
	}
	wanted := []string{"begin again", "checkpoint", "check", "propose", "land", "undo", "sync"}
	for _, o := range operations() {
		if !slices.Contains(wanted, o.name) {
			continue
		}
		c := &course{project: newProject(t, bin), operation: o}
		c.args = o.prepare(c.project)
		before := c.look()
		for kind, codes := range map[string][]string{
			"full":   {"disk_full", "not_permitted"},
			"frozen": {"read_only", "bad_worktree", "git_failed", "not_permitted"},
		} {
			a, _ := c.cutAt(kind, 1)
			if a.exit == 0 && o.name == "sync" && kind == "frozen" {
				continue // it needs nothing of the repository's
			}
			if a.exit != 1 || a.text("hint") == "" || !slices.Contains(codes, a.code()) {
				t.Errorf("%s, %s: exit %d, %s%s", o.name, kind, a.exit, a.stdout, a.stderr)
			}
			if now := c.look(); !slices.Equal(now.ids, before.ids) || now.accepted != before.accepted {
				t.Errorf("%s, %s: it recorded %q", o.name, kind, now.operations)
			}
			c.done("doctor")
		}
		c.done(c.args...)
	}
}
