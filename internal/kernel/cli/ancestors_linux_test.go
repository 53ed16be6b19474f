package cli

import (
	"os"
	"slices"
	"strings"
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
	name, parent, ok := parentOf(os.Getpid(), make([]byte, statLength))
	if !ok || parent != os.Getppid() || name == "" {
		t.Errorf("%q %d %v", name, parent, ok)
	}
}

func TestAnEnvironmentOfAnyLengthIsReadWhole(t *testing.T) {
	whole, err := os.ReadFile("/proc/self/environ")
	if err != nil || len(whole) < 3 {
		t.Fatalf("%d bytes, %v", len(whole), err)
	}
	want := strings.Split(string(whole), "\x00")
	for _, length := range []int{1, len(whole) / 2, len(whole) - 1, len(whole), len(whole) + 1, environLength} {
		if got := environOf(os.Getpid(), make([]byte, length)); !slices.Equal(got.vars, want) {
			t.Errorf("a buffer of %d bytes: %d entries, want %d", length, len(got.vars), len(want))
		}
	}
}
