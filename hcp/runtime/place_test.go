package hcpruntime

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Without a state directory the runtime keeps its things in a temporary one, and
// a project around that would open it to every program.
func TestWhatTheRuntimeKeepsIsClosedToPrograms(t *testing.T) {
	around := t.TempDir()
	t.Setenv("TMPDIR", around)
	if _, err := Create(t.Context(), Options{PackDirs: gold("echo"), ProjectDir: around}); codeOf(err) != "no_project" {
		t.Fatalf("%v", err)
	}
	if left, err := os.ReadDir(around); err != nil || len(left) != 0 {
		t.Fatalf("left %v, %v", left, err)
	}
	if _, err := Create(t.Context(), Options{PackDirs: gold("echo"), ProjectDir: around, StateDir: filepath.Join(around, "state")}); codeOf(err) != "no_project" {
		t.Fatalf("%v", err)
	}
}

func codeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}
