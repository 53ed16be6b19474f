package main

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFuzzTargetsAreFoundWithTheirPackages(t *testing.T) {
	got := targets("FuzzA\nFuzzB\nok  \tbridle/x\t0.01s\nok  \tbridle/y\t0.01s\n?   \tbridle/z\t[no test files]\nFuzzC\nok  \tbridle/w\t0.1s\n")
	want := []target{{"bridle/x", "FuzzA"}, {"bridle/x", "FuzzB"}, {"bridle/w", "FuzzC"}}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestEventsAreCountedAndSkipsKeepTheirReason(t *testing.T) {
	events := `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: needs node\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"skip","Package":"q"}
`
	r := &runner{}
	if err := r.readEvents(bufio.NewScanner(strings.NewReader(events))); err != nil {
		t.Fatal(err)
	}
	if r.passed != 1 || r.failed != 1 || !slices.Equal(r.skipped, []string{"TestB in p: needs node"}) {
		t.Errorf("%+v", r)
	}
}

func TestWhatWasLeftOutFailsOnlyInCI(t *testing.T) {
	for _, c := range []struct {
		name           string
		strict, ok     bool
		failures, left []string
		skipped        []string
	}{
		{name: "all held", ok: true},
		{name: "all held in CI", strict: true, ok: true},
		{name: "failed", failures: []string{"vet: x"}},
		{name: "left out", left: []string{"race: no compiler"}, ok: true},
		{name: "left out in CI", left: []string{"race: no compiler"}, strict: true},
		{name: "skipped", skipped: []string{"TestB"}, ok: true},
		{name: "skipped in CI", skipped: []string{"TestB"}, strict: true},
	} {
		r := &runner{strict: c.strict, skipped: c.skipped}
		if got := r.report(c.failures, c.left); got != c.ok {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestUnknownStepIsRefused(t *testing.T) {
	if err := checkNames([]string{"vet", "nosuch"}); err == nil || !strings.Contains(err.Error(), `"nosuch"`) {
		t.Errorf("%v", err)
	}
}

func TestPackagesThatAreNotRacedAreThere(t *testing.T) {
	for _, pkg := range scripted {
		if _, err := os.Stat(filepath.Join("..", "..", strings.TrimPrefix(pkg, "bridle/"))); err != nil {
			t.Error(err)
		}
	}
	if got := raced([]string{"bridle/hop", scripted[0]}); !slices.Equal(got, []string{"bridle/hop"}) {
		t.Errorf("%q", got)
	}
}
