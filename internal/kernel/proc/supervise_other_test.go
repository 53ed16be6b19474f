//go:build !linux

package proc

import (
	"context"
	"os"
	"testing"
)

// Where there is no supervisor a run is what Run makes of it, and nothing is
// claimed of processes that left the group.
func TestSystemsWithoutASupervisorClaimNothing(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	result, proof, err := Supervise(context.Background(), Spec{Path: self, Args: []string{"-test.run=^$"}, Env: os.Environ(), Dir: t.TempDir()}, Supervision{Program: self})
	if err != nil || result.ExitCode != 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	if proof.Proven || proof.Method != ProcessGroup || proof.Reason == "" {
		t.Errorf("%+v", proof)
	}
	if code, handled := SupervisorMain([]string{self, "anything"}); handled {
		t.Errorf("a supervisor ended with %d", code)
	}
}
