package lint_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/lint"
)

// The name of a file is bytes, a report is text.
func TestNamesThatAreNoTextAreEscaped(t *testing.T) {
	dir := clean().plant(t)
	if err := os.Symlink("/etc", filepath.Join(dir, "a\xffb")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "\xfe"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "\xfe", ".env"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := lint.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(report.Issues, func(i hcp.LintIssue) bool { return i.Key == `a\xffb` }) {
		t.Errorf("%+v", report.Issues)
	}
	text, err := json.Marshal(report)
	if err != nil || strings.Contains(string(text), "\\ufffd") {
		t.Errorf("%s, %v", text, err)
	}
}
