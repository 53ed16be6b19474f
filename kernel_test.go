package bridle_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"bridle"
)

// The kernel's hash must cover everything of ours that guarded writes go
// through, and nothing beside it.
func TestKernelSourcesAreWhatTheGuardIsBuiltFrom(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./hound/guard")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var linked []string
	for _, pkg := range strings.Fields(string(out)) {
		if local, ours := strings.CutPrefix(pkg, module+"/"); ours {
			linked = append(linked, local)
		}
	}
	slices.Sort(linked)
	if !slices.Equal(linked, bridle.KernelPackages) {
		t.Errorf("KernelPackages is\n%s\nand the guard is built from\n%s", strings.Join(bridle.KernelPackages, "\n"), strings.Join(linked, "\n"))
	}
	for _, pkg := range bridle.KernelPackages {
		if entries, err := bridle.KernelSources.ReadDir(pkg); err != nil || len(entries) == 0 {
			t.Errorf("KernelSources does not hold %s: %v", pkg, err)
		}
	}
}
