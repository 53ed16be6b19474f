package scaffold

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bridle/packs"
)

// copied lays a gold pack out with more files.
func copied(t *testing.T, id string, files map[string]string) string {
	t.Helper()
	tree, ok := packs.Pack(id)
	if !ok {
		t.Fatal(id)
	}
	dir := filepath.Join(t.TempDir(), id)
	if err := os.CopyFS(dir, tree); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRowSaysWhereThePackIs(t *testing.T) {
	for name, c := range map[string]struct {
		files   map[string]string
		origin  Origin
		install string
		missing []string
	}{
		"nowhere":  {nil, Origin{}, "", []string{"LICENSE", "README.md"}},
		"github":   {map[string]string{"LICENSE.txt": "x", "readme.md": "x"}, Origin{Install: "github:o/r", Repository: "https://github.com/o/r"}, "github:o/r", nil},
		"package":  {map[string]string{"package.json": `{"name":"@s/p","hcp":{"pack":"."},"version":"1.0.0"}`}, Origin{}, "npm:@s/p", []string{"LICENSE", "README.md"}},
		"private":  {map[string]string{"package.json": `{"name":"@s/p","hcp":{"pack":"."},"private":true}`}, Origin{}, "", []string{"LICENSE", "README.md"}},
		"no pack":  {map[string]string{"package.json": `{"name":"@s/p"}`}, Origin{}, "", []string{"LICENSE", "README.md"}},
		"not JSON": {map[string]string{"package.json": `{`}, Origin{}, "", []string{"LICENSE", "README.md"}},
	} {
		s, err := Share(copied(t, "transit", c.files), c.origin)
		if err != nil || s.Row == nil {
			t.Fatal(name, err, s.Issues)
		}
		if s.Row.Install != c.install || s.Row.Repository != c.origin.Repository || s.Row.Class != "public-read" || len(s.Row.Commands) != 5 {
			t.Errorf("%s: %+v", name, s.Row)
		}
		if diff := cmp.Diff(c.missing, s.Missing); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestPackWithIssuesHasNoRow(t *testing.T) {
	s, err := Share(copied(t, "ledger", map[string]string{"policy.json": `{"surface_id":"ledger","version":1,"verbs":{},"stimuli":{}}`}), Origin{})
	if err != nil || s.Row != nil || len(s.Issues) == 0 || s.PackID != "ledger" {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := Share(filepath.Join(t.TempDir(), "none"), Origin{}); err == nil {
		t.Error("a folder that is not there was shared")
	}
}
