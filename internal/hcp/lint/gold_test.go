package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/pack"
	"bridle/packs"
)

// The vectors pack.lint.transit, pack.lint.ledger and pack.lint.echo, and the
// bootstrap pack.
func TestTheGoldPacksAreClean(t *testing.T) {
	for _, id := range packs.IDs() {
		dir := filepath.Join(t.TempDir(), id)
		files, ok := packs.Pack(id)
		if !ok {
			t.Fatalf("no pack %q", id)
		}
		if err := os.CopyFS(dir, files); err != nil {
			t.Fatal(err)
		}
		report, err := lint.Dir(dir)
		if err != nil || report.PackID != id || !report.OK() || len(report.Notes) > 0 {
			t.Errorf("%s: %v\n%+v", id, err, report)
		}
		p, err := pack.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if issues := lint.Pack(p); len(issues) > 0 {
			t.Errorf("%s in memory: %+v", id, issues)
		}
		content, err := pack.Hash(dir)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		if err := fs.WalkDir(files, ".", func(_ string, d fs.DirEntry, err error) error {
			if !d.IsDir() {
				count++
			}
			return err
		}); err != nil || count != len(content.Files) {
			t.Errorf("%s: %d files are hashed, %d are there, %v", id, len(content.Files), count, err)
		}
	}
}
