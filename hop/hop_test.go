package hop

import (
	"strings"
	"testing"
	"time"
)

func TestIDsSortByTimeAndParse(t *testing.T) {
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	first, second := NewID("P", at), NewID("P", at.Add(time.Millisecond))
	if first >= second {
		t.Fatalf("%q does not sort before %q", first, second)
	}
	prefix, when, ok := ParseID(first)
	if !ok || prefix != "P" || !when.Equal(at) {
		t.Fatalf("ParseID(%q) = %q, %v, %v", first, prefix, when, ok)
	}
	body := first[2:]
	for _, bad := range []string{
		"", "P", "P_", body, "p_" + body, "P_" + strings.ToLower(body), "Q_" + body, "P_" + body[1:], first + "0",
		"P_" + strings.Repeat("Z", 23), " " + first, "P_" + strings.Replace(body, body[:1], "I", 1),
	} {
		if _, _, ok := ParseID(bad); ok {
			t.Errorf("ParseID accepted %q", bad)
		}
	}
}

func TestKindOfNamesStatesOnly(t *testing.T) {
	at := time.Unix(0, 0)
	for _, kind := range []Kind{KindAccepted, KindPrompt, KindCheckpoint, KindProposal, KindFailed, KindCancelled} {
		if got, ok := KindOf(NewID(kind.Prefix(), at)); !ok || got != kind {
			t.Errorf("KindOf = %q, %v, want %q", got, ok, kind)
		}
	}
	for _, prefix := range []string{PrefixTask, PrefixAttempt, PrefixEvidence, PrefixEvent} {
		if _, ok := KindOf(NewID(prefix, at)); ok {
			t.Errorf("%s names a state", prefix)
		}
	}
}

// The expected sums were computed with another program over the documented
// text, so that a change of encoding cannot pass unseen.
func TestSumIsTheDocumentedDigest(t *testing.T) {
	s := State{
		ID: "C_06H2QKJ033E4FZFW77FFDWG", Kind: KindCheckpoint, TaskID: "T_1", AttemptID: "AT_1",
		SourceTree: "aa", GitCommit: "bb", Summary: "a<b & c", Digest: "anything",
		CreatedAt: time.Date(2026, 11, 30, 9, 34, 26, 840_029_946, time.UTC),
		Parents:   []Parent{{"P_2", RoleCanonicalAnchor, 1}, {"P_1", RoleRunParent, 0}},
	}
	const want = "sha256:492d934657ebaed2c47a9912a7fe525df1c64d0415008159b0163f2f7f3b3928"
	if got := s.Sum(); got != want {
		t.Fatalf("Sum = %s", got)
	}
	if s.Digest != "anything" || s.Parents[0].StateID != "P_2" {
		t.Fatal("Sum changed the state")
	}
	local := s
	local.CreatedAt = s.CreatedAt.In(time.FixedZone("CET", 3600))
	if local.Sum() != want {
		t.Fatal("the sum depends on the zone")
	}
}

func TestOpenStatuses(t *testing.T) {
	for status, want := range map[Status]bool{
		StatusActive: true, StatusProposed: true, StatusChangesRequested: true, StatusParked: true, StatusReconciling: true,
		StatusAccepted: false, StatusCompleted: false, StatusFailed: false, StatusCancelled: false, StatusRejected: false,
	} {
		if status.Open() != want {
			t.Errorf("%s.Open() = %v", status, !want)
		}
	}
}
