package sandbox

import (
	"errors"
	"strings"
	"testing"

	"bridle/internal/kernel/fault"
)

func TestWhatASystemCannotDoIsRefusedWithAHint(t *testing.T) {
	for _, c := range []struct {
		name    string
		support Support
		reason  string // "" when it can
	}{
		{"nothing known", Support{}, "no Landlock"},
		{"said why", Support{Reason: "it is switched off"}, "it is switched off"},
		{"no filter", Support{ABI: 7, Reason: "the kernel has no seccomp filters"}, "seccomp"},
		{"too old", Support{ABI: 1, Seccomp: true}, "too old"},
		{"old enough", Support{ABI: 2, Seccomp: true}, ""},
		{"new", Support{ABI: 12, Seccomp: true}, ""},
	} {
		for _, p := range []Profile{{}, Base(), {Network: NetworkNone, Unix: true}} {
			err := c.support.Require(p)
			if (err == nil) != (c.reason == "") {
				t.Fatalf("%s: %v", c.name, err)
			}
			if err == nil {
				continue
			}
			f := fault.From(err)
			if f.Code != CodeUnavailable || f.Hint == "" || !strings.Contains(f.Message, c.reason) {
				t.Errorf("%s: %s: %s", c.name, f.Code, f.Message)
			}
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s: the cause is lost", c.name)
			}
		}
	}
}

func TestGapsOfOlderKernelsAreSaid(t *testing.T) {
	for _, c := range []struct {
		abi   int
		unix  bool
		count int
	}{{0, true, 0}, {2, false, 1}, {2, true, 2}, {5, true, 2}, {6, true, 0}, {7, false, 0}} {
		gaps := Support{ABI: c.abi, Seccomp: true}.Gaps(Profile{Unix: c.unix})
		if len(gaps) != c.count {
			t.Errorf("ABI %d, unix sockets %v: %q", c.abi, c.unix, gaps)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	p := Profile{
		ReadExec: []string{"a"}, ReadOnly: []string{"b"}, ReadWrite: []string{"c"},
		Devices: []string{"d"}, Required: []string{"e"}, Network: NetworkNone, Unix: true,
	}
	q := p.Clone()
	for _, list := range [][]string{q.ReadExec, q.ReadOnly, q.ReadWrite, q.Devices, q.Required} {
		list[0] = "changed"
	}
	for _, list := range [][]string{p.ReadExec, p.ReadOnly, p.ReadWrite, p.Devices, p.Required} {
		if list[0] == "changed" {
			t.Fatal("a list is shared")
		}
	}
	if q.Network != NetworkNone || !q.Unix {
		t.Fatal("a grant is lost")
	}
}
