package access

import (
	"testing"

	"pgregory.net/rapid"

	"bridle/hcp"
)

func TestLayersAndTheirOrigins(t *testing.T) {
	e := Merge(Layers{})
	if e.Mode != ModeAuto || e.ModeFrom != Default || e.Approvals != ApprovalsAgent || e.ApprovalsFrom != Default {
		t.Errorf("nothing set: %+v", e)
	}
	e = Merge(Layers{User: hcp.AccessConfig{Mode: "run", Approvals: "human", Packs: map[string]hcp.AccessPack{"transit": {Mode: "manual"}}}})
	if e.ModeOf("ledger") != (PackMode{ModeRun, User}) || e.ModeOf("transit") != (PackMode{ModeManual, User}) || e.Approvals != ApprovalsHuman || e.ApprovalsFrom != User {
		t.Errorf("the user's: %+v", e)
	}
	e = Merge(Layers{User: hcp.AccessConfig{Mode: "manual", Approvals: "human"}, Env: Variables{Mode: "run", Approvals: "agent"}})
	if e.Mode != ModeRun || e.ModeFrom != Environment || e.Approvals != ApprovalsAgent || e.ApprovalsFrom != Environment || len(e.Ignored) != 0 {
		t.Errorf("a person's environment: %+v", e)
	}
}

func TestProjectOnlyTightens(t *testing.T) {
	user := hcp.AccessConfig{Mode: "auto", Approvals: "human", Packs: map[string]hcp.AccessPack{"transit": {Mode: "run"}, "bank": {Mode: "manual"}}}
	e := Merge(Layers{User: user, Project: hcp.AccessConfig{
		Mode: "run", Approvals: "agent",
		Packs:    map[string]hcp.AccessPack{"transit": {Mode: "auto"}, "bank": {Mode: "run"}, "other": {Mode: "manual"}},
		Rules:    []hcp.AccessRule{{Match: "*", Decision: "allow"}, {Match: "a.b", Decision: "ask"}, {Match: "a.c", Decision: "deny"}},
		Projects: []string{"p"}, Stores: []string{"/s"},
	}})
	if e.Mode != ModeAuto || e.Approvals != ApprovalsHuman {
		t.Errorf("loosened: %+v", e)
	}
	for id, want := range map[string]PackMode{"transit": {ModeAuto, Project}, "bank": {ModeManual, User}, "other": {ModeManual, Project}, "x": {ModeAuto, User}} {
		if got := e.ModeOf(id); got != want {
			t.Errorf("%s: %+v, want %+v", id, got, want)
		}
	}
	if len(e.Rules) != 2 || e.Rules[0].Index != 1 || e.Rules[1].Index != 2 || e.Rules[0].Origin != Project {
		t.Errorf("rules %+v", e.Rules)
	}
	if len(e.Ignored) != 6 {
		t.Errorf("ignored %+v", e.Ignored)
	}
	e = Merge(Layers{User: hcp.AccessConfig{Packs: map[string]hcp.AccessPack{"transit": {Mode: "run"}}}, Project: hcp.AccessConfig{Mode: "manual", Approvals: "human"}})
	if e.Mode != ModeManual || e.ModeFrom != Project || e.ModeOf("transit") != (PackMode{ModeManual, Project}) || e.Approvals != ApprovalsHuman {
		t.Errorf("not tightened: %+v", e)
	}
}

func TestUnderAnAgentTheEnvironmentOnlyTightens(t *testing.T) {
	user := hcp.AccessConfig{Approvals: "human", Packs: map[string]hcp.AccessPack{"transit": {Mode: "run"}}}
	e := Merge(Layers{User: user, Env: Variables{Mode: "run", Approvals: "agent", Agent: true}})
	if e.Mode != ModeAuto || e.Approvals != ApprovalsHuman || len(e.Ignored) != 2 {
		t.Errorf("loosened: %+v", e)
	}
	e = Merge(Layers{User: user, Env: Variables{Mode: "manual", Approvals: "human", Agent: true}})
	if e.Mode != ModeManual || e.ModeOf("transit").Mode != ModeManual {
		t.Errorf("not tightened: %+v", e)
	}
}

func TestAPacksOwnModeGivesWayToTheEnvironmentOnlyWhereItIsStricter(t *testing.T) {
	user := hcp.AccessConfig{Packs: map[string]hcp.AccessPack{"bank": {Mode: "manual"}, "transit": {Mode: "run"}}}
	e := Merge(Layers{User: user, Env: Variables{Mode: "auto"}})
	if e.ModeOf("bank").Mode != ModeManual || e.ModeOf("transit").Mode != ModeAuto || len(e.Ignored) != 1 {
		t.Errorf("%+v", e)
	}
}

func TestVariablesThatNobodyDefinedDeny(t *testing.T) {
	for _, agent := range []bool{false, true} {
		for _, v := range []Variables{{Mode: "yolo", Agent: agent}, {Mode: "RUN", Agent: agent}, {Approvals: "none", Agent: agent}} {
			e := Merge(Layers{User: hcp.AccessConfig{Packs: map[string]hcp.AccessPack{"p": {Mode: "run"}}}, Env: v})
			got := Decide(Request{PackID: "p", Key: "k", Operation: hcp.OperationRead}, e.For("p"))
			if got.Decision != Deny || got.Code != "bad_mode" {
				t.Errorf("%+v: %+v", v, got)
			}
		}
	}
}

// Whatever a project says, and whatever the environment says under an agent,
// nothing runs that did not run without it.
func TestNothingThatMayOnlyTightenLetsMoreRun(t *testing.T) {
	mode := rapid.SampledFrom([]string{"", "manual", "auto", "run"})
	approvals := rapid.SampledFrom([]string{"", "human", "agent"})
	rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) hcp.AccessRule {
		return hcp.AccessRule{
			Match:    rapid.SampledFrom([]string{"*", "p.*", "p.k", "q.k"}).Draw(t, "match"),
			Decision: rapid.SampledFrom([]string{"allow", "ask", "deny"}).Draw(t, "decision"),
		}
	}), 0, 4)
	config := rapid.Custom(func(t *rapid.T) hcp.AccessConfig {
		c := hcp.AccessConfig{Mode: mode.Draw(t, "mode"), Approvals: approvals.Draw(t, "approvals"), Rules: rules.Draw(t, "rules")}
		if own := mode.Draw(t, "pack"); own != "" {
			c.Packs = map[string]hcp.AccessPack{"p": {Mode: own}}
		}
		return c
	})
	rank := map[Decision]int{Allow: 0, Ask: 1, Deny: 2}
	rapid.Check(t, func(t *rapid.T) {
		user, project := config.Draw(t, "user"), config.Draw(t, "project")
		env := Variables{Mode: mode.Draw(t, "HCP_MODE"), Approvals: approvals.Draw(t, "HCP_APPROVALS"), Agent: true}
		call := Request{
			PackID: "p", Key: "k",
			Operation: rapid.SampledFrom([]hcp.Operation{"read", "write"}).Draw(t, "op"),
			Confirm:   rapid.SampledFrom([]hcp.Confirm{"", "true", "always"}).Draw(t, "confirm"),
			Confirmed: rapid.Bool().Draw(t, "confirmed"),
		}
		alone := Merge(Layers{User: user})
		all := Merge(Layers{User: user, Env: env, Project: project, Outer: []OuterProject{{Config: config.Draw(t, "outer")}}})
		before, after := Decide(call, alone.For("p")), Decide(call, all.For("p"))
		if rank[after.Decision] < rank[before.Decision] {
			t.Fatalf("%s became %s", before.Decision, after.Decision)
		}
	})
}
