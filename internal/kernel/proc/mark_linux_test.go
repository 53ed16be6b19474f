package proc_test

import (
	"testing"

	"bridle/internal/kernel/proc"
)

func TestConfinedChildrenCarryAChosenMarkOnly(t *testing.T) {
	s := confine(t, shell(`echo "$BRIDLE_RUN"`))
	if got := string(mustRun(t, s).Stdout.Head); got != "\n" {
		t.Fatalf("got %q", got)
	}
	s.Mark = proc.NewMark()
	if got := string(mustRun(t, s).Stdout.Head); got != s.Mark+"\n" {
		t.Fatalf("got %q, want %q", got, s.Mark)
	}
}
