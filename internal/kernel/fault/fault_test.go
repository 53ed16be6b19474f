package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestFaultSurvivesWrapping(t *testing.T) {
	base := New("not_installed", `pack "x" is not installed`).WithHint("install it first").Because(fs.ErrNotExist)
	wrapped := fmt.Errorf("activate: %w", base)
	if got := CodeOf(wrapped); got != "not_installed" {
		t.Fatalf("CodeOf = %q", got)
	}
	if !errors.Is(wrapped, fs.ErrNotExist) {
		t.Fatal("the cause is lost")
	}
	if got := From(wrapped); got != base {
		t.Fatalf("From = %#v, want the fault inside", got)
	}
}

func TestUnforeseenErrorBecomesInternalAndKeepsItsText(t *testing.T) {
	got := From(errors.New("disk on fire"))
	if got.Code != CodeInternal || got.Message != "disk on fire" || got.Exit != ExitFailure {
		t.Fatalf("From = %#v", got)
	}
	if From(nil) != nil {
		t.Fatal("no error became a fault")
	}
}

func TestMessageDoesNotCarryTheCause(t *testing.T) {
	secret := errors.New("token=abc")
	if got := New("denied", "denied").Because(secret).Error(); got != "denied" {
		t.Fatalf("Error() = %q", got)
	}
}

func TestClosest(t *testing.T) {
	candidates := []string{"transit", "ledger", "echo", "hcp-cli", "mail.list"}
	for _, c := range []struct{ name, want string }{
		{"ledgr", "ledger"},
		{"leger", "ledger"},
		{"LEDGER", "ledger"},
		{"trasnit", "transit"},
		{"tran", "transit"},
		{"hcpcli", "hcp-cli"},
		{"mail_list", "mail.list"},
		{"kubernetes", ""},
		{"", ""},
		{"zz", ""},
	} {
		if got := Closest(c.name, candidates); got != c.want {
			t.Errorf("Closest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}
