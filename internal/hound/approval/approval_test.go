package approval

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"bridle/hound"
	"bridle/internal/hound/plan"
	"bridle/internal/kernel/fault"
	houndspec "bridle/spec/hound"
)

func elsewhere(t testing.TB, name string) []byte {
	t.Helper()
	data, err := houndspec.Interop.ReadFile("interop/elsewhere/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func thePlan(t testing.TB) *plan.Plan {
	t.Helper()
	p, err := plan.Parse(elsewhere(t, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestApprovalMadeElsewhereCounts(t *testing.T) {
	a, err := Parse(elsewhere(t, "approval.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(thePlan(t), a, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Error(err)
	}
}

func TestGivenApprovalIsTheOneThatOthersGive(t *testing.T) {
	expires := "2099-01-01T00:00:00+02:00"
	a, err := Give(thePlan(t), Request{Reviewer: "A. Reviewer", ApprovedAt: "2026-01-02T04:00:00Z", ExpiresAt: &expires})
	if err != nil || string(a.Canonical)+"\n" != string(elsewhere(t, "approval.json")) {
		t.Errorf("%v\n%s", err, a.Canonical)
	}
}

func TestApprovalCountsForOnePlanOnly(t *testing.T) {
	p := thePlan(t)
	a, err := Give(p, Request{Reviewer: "R", ApprovedAt: "2026-01-02T04:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	for name, change := range map[string]func(*hound.Plan){
		"plan_id":            func(p *hound.Plan) { p.PlanID = strings.Repeat("0", 64) },
		"driver_id":          func(p *hound.Plan) { p.DriverID = "x" },
		"operation":          func(p *hound.Plan) { p.Operation = "x" },
		"write_scope_sha256": func(p *hound.Plan) { p.WriteScopeSHA256 = strings.Repeat("0", 64) },
	} {
		other := *p
		change(&other.Plan)
		if err := Check(&other, a, now); !fault.Is(err, hound.CodeHeld) || !strings.Contains(err.Error(), name) || fault.From(err).Exit != hound.ExitHeld {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Check(p, nil, now); !fault.Is(err, hound.CodeHeld) {
		t.Errorf("no approval: %v", err)
	}
	free := *p
	free.Gate = hound.GateNone
	if err := Check(&free, nil, now); err != nil {
		t.Errorf("a plan without a gate: %v", err)
	}
}

func TestApprovalCountsFromItsDateToItsExpiry(t *testing.T) {
	p := thePlan(t)
	expires := "2026-01-02T06:00:00+01:00"
	a, err := Give(p, Request{Reviewer: "R", ApprovedAt: "2026-01-02T04:00:00Z", ExpiresAt: &expires})
	if err != nil {
		t.Fatal(err)
	}
	for at, ok := range map[string]bool{
		"2026-01-02T03:59:59Z": false, "2026-01-02T04:00:00Z": true, "2026-01-02T04:59:59Z": true, "2026-01-02T05:00:00Z": false, "2030-01-01T00:00:00Z": false,
	} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(p, a, now); (err == nil) != ok {
			t.Errorf("%s: %v", at, err)
		}
	}
}

func TestTimesOfApprovalsNeedAZoneAndAnOrder(t *testing.T) {
	text := func(s string) *string { return &s }
	for name, r := range map[string]Request{
		"no zone":         {Reviewer: "R", ApprovedAt: "2026-01-02T04:00:00"},
		"no date":         {Reviewer: "R", ApprovedAt: "now"},
		"expiry no zone":  {Reviewer: "R", ApprovedAt: "2026-01-02T04:00:00Z", ExpiresAt: text("2026-01-03T04:00:00")},
		"expiry before":   {Reviewer: "R", ApprovedAt: "2026-01-02T04:00:00Z", ExpiresAt: text("2026-01-02T03:00:00Z")},
		"expiry at once":  {Reviewer: "R", ApprovedAt: "2026-01-02T04:00:00Z", ExpiresAt: text("2026-01-02T05:00:00+01:00")},
		"blank reviewer":  {Reviewer: "\t ", ApprovedAt: "2026-01-02T04:00:00Z"},
		"nobody":          {ApprovedAt: "2026-01-02T04:00:00Z"},
		"not UTF-8":       {Reviewer: "R\xff", ApprovedAt: "2026-01-02T04:00:00Z"},
		"times not UTF-8": {Reviewer: "R", ApprovedAt: "2026-01-02T04:00:00Z\xff"},
		"an empty expiry": {Reviewer: "R", ApprovedAt: "2026-01-02T04:00:00Z", ExpiresAt: text("")},
	} {
		_, err := Give(thePlan(t), r)
		if !fault.Is(err, hound.CodeBadApproval) || fault.From(err).Exit != hound.ExitRefused || strings.Contains(err.Error(), "jsontext") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEveryMemberOfAnApprovalIsBound(t *testing.T) {
	var members map[string]any
	if err := json.Unmarshal(elsewhere(t, "approval.json"), &members); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		for _, change := range []any{"x", nil, 1} {
			other := maps.Clone(members)
			other[name] = change
			data, err := json.Marshal(other)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Parse(data); !fault.Is(err, hound.CodeBadApproval) {
				t.Errorf("%s = %v: %v", name, change, err)
			}
		}
	}
	members["more"] = 1
	data, _ := json.Marshal(members)
	if _, err := Parse(data); !fault.Is(err, hound.CodeBadApproval) {
		t.Errorf("a member more: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(elsewhere(f, "approval.json"))
	f.Add([]byte(`{"schema_version":"hound.approval.v1","expires_at":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Parse(data)
		if err != nil {
			return
		}
		if again, err := Parse(a.Canonical); err != nil || again.ApprovalID != a.ApprovalID {
			t.Errorf("the canonical form is not a fixed point: %v", err)
		}
	})
}
