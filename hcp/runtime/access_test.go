package hcpruntime

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"bridle/hcp"
)

func loaded(t testing.TB, id string) *Pack {
	t.Helper()
	p, err := LoadPack(gold(id)[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var fare = hcp.Args{"amount": "2.80", "payee": "demo-transit"}

func TestStoredApprovalsCoverOneRunOfAGoRuntime(t *testing.T) {
	for name, approvals := range map[string]*Approvals{
		"memory": NewMemoryApprovals(),
		"file":   NewFileApprovals(filepath.Join(t.TempDir(), "approvals.json")),
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, Options{Runtime: ProprietaryStub, Packs: []*Pack{loaded(t, "ledger")}, Access: Access{Approvals: "human"}, Approvals: approvals})
			asked := r.Exec(t.Context(), "ledger", "transfer", fare)
			if asked.Code != "confirm_required" || asked.ApprovalID == "" || asked.Approval.ExpiresAt == "" {
				t.Fatalf("%+v", asked)
			}
			waiting, err := approvals.Waiting(t.Context())
			if err != nil || len(waiting) != 1 || waiting[0].ApprovalID != asked.ApprovalID {
				t.Fatalf("%+v %v", waiting, err)
			}
			if err := approvals.Approve(t.Context(), asked.ApprovalID); err != nil {
				t.Fatal(err)
			}
			if got := r.Exec(t.Context(), "ledger", "transfer", fare); !got.OK {
				t.Fatalf("%+v", got)
			}
			again := r.Exec(t.Context(), "ledger", "transfer", fare)
			if again.Code != "confirm_required" {
				t.Fatalf("%+v", again)
			}
			if err := approvals.Reject(t.Context(), again.ApprovalID); err != nil {
				t.Fatal(err)
			}
			if got := r.Exec(t.Context(), "ledger", "transfer", fare); got.Code != "rejected" {
				t.Fatalf("%+v", got)
			}
			err = approvals.Approve(t.Context(), "00000000")
			if e, ok := err.(*Error); !ok || e.Code != "bad_approval" {
				t.Errorf("%v", err)
			}
		})
	}
}

// counting is a driver that counts what reaches it.
type counting struct {
	packs []*Pack
	ran   int
}

func (d *counting) ID() string                                 { return "own" }
func (d *counting) Kind() string                               { return "test" }
func (d *counting) ListPacks(context.Context) ([]*Pack, error) { return d.packs, nil }
func (d *counting) GetPack(_ context.Context, id string) (*Pack, error) {
	for _, p := range d.packs {
		if p.ID == id {
			return p, nil
		}
	}
	return nil, nil
}

func (d *counting) Exec(context.Context, DriverCall) hcp.ExecResult {
	d.ran++
	return hcp.ExecResult{OK: true, Result: json.RawMessage(`{"ok":true}`)}
}

func TestWrappedDriverIsGatedOnceHoweverOftenItIsWrapped(t *testing.T) {
	d := &counting{packs: []*Pack{loaded(t, "ledger")}}
	var events []hcp.AuditEvent
	o := AccessOptions{Audit: func(_ context.Context, e hcp.AuditEvent, _ bool) error { events = append(events, e); return nil }}
	g := WithAccess(d, o)
	if WithAccess(g, AccessOptions{Access: Access{Mode: "run"}}) != g {
		t.Error("wrapping twice is another driver")
	}
	scope := hcp.AuthzContext{Principal: hcp.Principal{ID: "u", Kind: hcp.PrincipalHuman}, TenantID: "t", Grants: hcp.PermissiveGrants()}
	call := func(key string, args hcp.Args, confirmed bool, s hcp.AuthzContext) hcp.ExecResult {
		return g.Exec(t.Context(), DriverCall{PackID: "ledger", VerbKey: key, Args: args, Confirmed: confirmed, Scope: s})
	}
	for _, c := range []struct {
		name      string
		key       string
		args      hcp.Args
		confirmed bool
		scope     hcp.AuthzContext
		code      string
	}{
		{"asks", "transfer", fare, false, scope, "confirm_required"},
		{"confirmed", "transfer", fare, true, scope, ""},
		{"read", "list", nil, false, scope, ""},
		{"argument", "list", hcp.Args{"limt": 1}, false, scope, "unknown_argument"},
		{"grants", "list", nil, false, hcp.AuthzContext{Principal: scope.Principal, TenantID: "t"}, "denied"},
		{"nobody", "list", nil, false, hcp.AuthzContext{}, "denied"},
	} {
		before := d.ran
		r := call(c.key, c.args, c.confirmed, c.scope)
		if r.Code != c.code || (d.ran > before) != (c.code == "") {
			t.Errorf("%s: %+v, %d runs", c.name, r, d.ran-before)
		}
	}
	before := len(events)
	r := open(t, Options{Driver: g})
	if got := r.Exec(t.Context(), "ledger", "list", nil); !got.OK || len(events) != before+1 {
		t.Errorf("%+v, %d lines", got, len(events)-before)
	}
}

func TestGateCommandDecidesForAHostThatRunsCommandsItself(t *testing.T) {
	p := loaded(t, "ledger")
	for _, c := range []struct {
		name     string
		key      string
		args     hcp.Args
		access   Access
		approval *hcp.HostApproval
		decision string
		code, by string
	}{
		{"read", "list", nil, Access{}, nil, "allow", "", "mode"},
		{"ask", "transfer", fare, Access{}, nil, "ask", "confirm_required", ""},
		{"agent", "transfer", hcp.Args{"amount": "2.80", "payee": "x", "confirm": true}, Access{}, nil, "allow", "", "agent"},
		{"person", "transfer", fare, Access{Approvals: "human"}, &hcp.HostApproval{By: "human"}, "allow", "", "human"},
		{"rule", "transfer", fare, Access{Rules: []hcp.AccessRule{{Match: "ledger.transfer", Decision: "allow"}}}, nil, "allow", "", "rule"},
		{"deny beats a person", "transfer", fare, Access{Rules: []hcp.AccessRule{{Match: "*", Decision: "deny"}}}, &hcp.HostApproval{By: "human"}, "deny", "denied_by_rule", ""},
		{"bad settings", "list", nil, Access{Rules: []hcp.AccessRule{{Match: "Ledger.list", Decision: "deny"}}}, nil, "deny", "bad_settings", ""},
		{"bad mode", "list", nil, Access{Mode: "yolo"}, nil, "deny", "bad_mode", ""},
		{"argument", "list", hcp.Args{"nosuch": 1}, Access{}, nil, "deny", "unknown_argument", ""},
		{"command", "nosuch", nil, Access{}, nil, "deny", "no_policy", ""},
	} {
		g := GateCommand(t.Context(), GateInput{Pack: p, VerbKey: c.key, Args: c.args, Access: c.access, Approval: c.approval})
		if g.Decision.Decision != c.decision || g.Code != c.code || g.By != c.by || (g.Result == nil) != (c.decision == "allow") || (g.Request != nil) != (c.decision == "ask") {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
}

func TestMergedSettingsDecideAsTheLayersDo(t *testing.T) {
	merged, ignored := MergeAccess(AccessLayers{
		User:    Access{Mode: "auto", Rules: []hcp.AccessRule{{Match: "a.b", Decision: "allow"}}},
		Project: Access{Mode: "run", Approvals: "human", Rules: []hcp.AccessRule{{Match: "*", Decision: "allow"}, {Match: "a.c", Decision: "deny"}}},
		Env:     AccessEnv{Mode: "run", Agent: true},
	})
	if merged.Mode != "auto" || merged.Approvals != "human" || len(merged.Rules) != 2 || len(ignored) != 3 {
		t.Errorf("%+v\n%+v", merged, ignored)
	}
	if d := DecideAccess(AccessRequest{PackID: "a", VerbKey: "c", Operation: hcp.OperationRead}, merged); d.Decision != "deny" || d.Code != "denied_by_rule" {
		t.Errorf("%+v", d)
	}
}

func TestAnAnswerForTheSessionRunsTheCommandAgainAndADenyStillWins(t *testing.T) {
	r := open(t, Options{Runtime: ProprietaryStub, Packs: []*Pack{loaded(t, "echo")}, Access: Access{Mode: "manual"}})
	asked := r.Exec(t.Context(), "echo", "echo.say", hcp.Args{"message": "a"})
	if n := len(asked.Approval.Options); n != 3 {
		t.Fatalf("%d answers: %+v", n, asked.Approval.Options)
	}
	if err := r.AllowSession(asked.Approval.Options[0]); err == nil {
		t.Error("allow_once stood for the session")
	}
	if err := r.AllowSession(asked.Approval.Options[2]); err != nil {
		t.Fatal(err)
	}
	if got := r.Exec(t.Context(), "echo", "echo.say", hcp.Args{"message": "b"}); !got.OK {
		t.Fatalf("%+v", got)
	}
	if got := r.Exec(t.Context(), "echo", "echo.ping", nil); got.Code != "confirm_required" {
		t.Fatalf("another command: %+v", got)
	}
	r.SetAccess(Access{Rules: []hcp.AccessRule{{Match: "echo.*", Decision: "deny"}}})
	if err := r.AllowSession(asked.Approval.Options[2]); err != nil {
		t.Fatal(err)
	}
	if got := r.Exec(t.Context(), "echo", "echo.say", hcp.Args{"message": "c"}); got.Code != "denied_by_rule" {
		t.Fatalf("%+v", got)
	}
}

func TestSettingsThatCannotBeUsedRefuseEveryCall(t *testing.T) {
	r := open(t, Options{PackDirs: gold("echo"), Access: Access{Rules: []hcp.AccessRule{{Match: "no pattern", Decision: "deny"}}}})
	if got := r.Exec(t.Context(), "echo", "echo.ping", nil); got.Code != "bad_settings" || !strings.Contains(got.Error, "/0/match") && !strings.Contains(got.Error, "/rules/0/match") {
		t.Fatalf("%+v", got)
	}
}

func TestAuditFileIsReadAndVerified(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if events, err := ReadAudit(path, nil, 0); err != nil || events != nil {
		t.Errorf("%v %v", events, err)
	}
	audit, err := FileAudit(path)
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, Options{Runtime: ProprietaryStub, Packs: []*Pack{loaded(t, "ledger")}, Audit: audit})
	r.Exec(t.Context(), "ledger", "list", nil)
	r.Exec(t.Context(), "ledger", "transfer", fare)
	events, err := ReadAudit(path, func(e hcp.AuditEvent) bool { return e.Decision == hcp.AuditAsk }, 5)
	if err != nil || len(events) != 1 || events[0].VerbKey != "transfer" || !strings.Contains(events[0].Reason, "always") {
		t.Errorf("%+v %v", events, err)
	}
	if err := VerifyAudit(path); err != nil {
		t.Error(err)
	}
}

func TestAccessFilesAreWrittenAndRead(t *testing.T) {
	user, project := AccessFiles(t.TempDir(), "/repo")
	if !strings.HasSuffix(filepath.ToSlash(project), "/repo/.hcp/access.json") {
		t.Error(project)
	}
	want := Access{Mode: "manual", Rules: []hcp.AccessRule{{Match: "a.b", Decision: "ask"}}}
	if err := WriteAccessFile(t.Context(), user, want); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadAccessFile(user); err != nil || got.Mode != "manual" || len(got.Rules) != 1 {
		t.Errorf("%+v %v", got, err)
	}
	if err := WriteAccessFile(t.Context(), user, Access{Mode: "yolo"}); err == nil {
		t.Error("written")
	}
}
