package scaffold

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bridle/internal/hcp/lint"
	"bridle/internal/kernel/fault"
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

func TestTemplatesLintCleanAndRunNothingOfTheirOwn(t *testing.T) {
	for _, template := range append(append([]string{}, Classes...), Golds...) {
		dir := filepath.Join(t.TempDir(), "new", "pack")
		begun, err := Init(dir, "my-weather", template)
		if err != nil {
			t.Fatal(template, err)
		}
		report, err := lint.Dir(dir)
		if err != nil || !report.OK() {
			t.Errorf("%s: %v %+v", template, err, report.Issues)
		}
		want := "my-weather"
		if slices.Contains(Golds, template) {
			want = template
		}
		if report.PackID != want || begun.PackID != want || begun.Template != template {
			t.Errorf("%s: %q, %+v", template, report.PackID, begun)
		}
		for _, name := range []string{"surface.json", "policy.json", "HARNESS.md", "README.md", "package.json"} {
			if !slices.Contains(begun.Files, name) {
				t.Errorf("%s lacks %s", template, name)
			}
		}
		shared, err := Share(dir, Origin{})
		if err != nil || shared.Row == nil || shared.Row.Install != "npm:hcp-pack-"+want {
			t.Errorf("%s: %+v %v", template, shared, err)
		}
		if slices.Contains(Classes, template) && shared.Row.Class != template {
			t.Errorf("%s has the class %s", template, shared.Row.Class)
		}
		left, err := os.ReadDir(filepath.Dir(dir))
		if err != nil || len(left) != 1 {
			t.Errorf("%s left %v, %v", template, left, err)
		}
		if _, err := Init(dir, "my-weather", template); !fault.Is(err, CodeDirExists) {
			t.Errorf("%s was written over: %v", template, err)
		}
	}
}

func TestBadIDsAndTemplatesAreRefused(t *testing.T) {
	for _, id := range []string{"", "..", "a/b", "Weather", "hcp", "hcpx", "hcp-cli", "con", "-x", "a b"} {
		dir := filepath.Join(t.TempDir(), "new")
		if _, err := Init(dir, id, Classes[0]); !fault.Is(err, CodeBadID) {
			t.Errorf("%q: %v", id, err)
		}
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("%q was written", id)
		}
	}
	for _, template := range []string{"", "../transit", "npm", "control"} {
		if _, err := Init(filepath.Join(t.TempDir(), "new"), "weather", template); !fault.Is(err, CodeBadTemplate) {
			t.Errorf("%q: %v", template, err)
		}
	}
}
