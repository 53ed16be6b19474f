package kit

import (
	"os"
	"path/filepath"
	"testing"

	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// TestAServerMakesFoldersOnlyInItsProject names places in the project and all around
// it, also through a link, as an agent behind a server and as a person.
func TestAServerMakesFoldersOnlyInItsProject(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(base, "project")
	for _, dir := range []string{".git", "sub", ".claude"} {
		if err := os.MkdirAll(filepath.Join(project, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(base, filepath.Join(project, "out")); err != nil {
		t.Fatal(err)
	}
	call := func(environ ...string) *cli.Call {
		c := &cli.Call{}
		c.Dir, c.Env = filepath.Join(project, "sub"), cli.NewEnv(environ)
		return c
	}
	for named, allowed := range map[string]bool{
		"new": true, "packs/new": true, "../new": true, filepath.Join(project, "new"): true, "..new/x": false,
		"../../new": false, filepath.Join(base, "new"): false, "../out/new": false, "../out/project/new": true, "..": false, "../../..": false,
		"../.git/hooks/new": false, "../.claude/skills/new": false, ".hidden": false, "packs/../../../new": false, "/new": false,
	} {
		_, err := newFolder(call("HCP_MCP=1"), named)
		if allowed != (err == nil) || err != nil && !fault.Is(err, CodeOutsideProject) {
			t.Errorf("%q through a server: %v", named, err)
		}
		if _, err := newFolder(call(), named); err != nil {
			t.Errorf("%q on the command line: %v", named, err)
		}
	}
}
