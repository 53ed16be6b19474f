package cli

import (
	"os"
	"testing"
)

func TestTheProcessAboveIsReadFromTheSystem(t *testing.T) {
	all := processAncestors()
	if len(all) == 0 || all[0].PID != os.Getppid() || all[0].Name == "" {
		t.Fatalf("%+v", all)
	}
	if got := AncestorsBelow(os.Getppid()); len(got) != 0 {
		t.Errorf("below the parent: %+v", got)
	}
	name, parent, ok := parentOf(os.Getpid())
	if !ok || parent != os.Getppid() || name == "" {
		t.Errorf("%q %d %v", name, parent, ok)
	}
	if environOf(os.Getpid()).Get("PATH") == "" {
		t.Error("the environment of this process cannot be read")
	}
}
