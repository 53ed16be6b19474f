package clock

import "testing"

func TestTheRunOfTheMachineOnlyGrows(t *testing.T) {
	runner, ok := System().(Runner)
	if !ok {
		t.Fatal("the machine's clock does not tell how long it runs")
	}
	boot, first, ok := runner.Running()
	again, second, okAgain := runner.Running()
	if !ok || !okAgain || boot == "" || again != boot || first <= 0 || second < first {
		t.Errorf("%q %v %v, %q %v %v", boot, first, ok, again, second, okAgain)
	}
	if _, ok := Fixed(System().Now()).(Runner); ok {
		t.Error("a fixed clock runs")
	}
}
