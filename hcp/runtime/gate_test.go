package hcpruntime

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"bridle/hcp"
)

// gated is a call of the ledger that asks, with a store.
func gated(t *testing.T) (GateInput, *Approvals) {
	approvals := NewFileApprovals(filepath.Join(t.TempDir(), "approvals.json"))
	return GateInput{
		Pack: loaded(t, "ledger"), VerbKey: "transfer", Args: fare, Access: Access{Approvals: "human"}, Approvals: approvals,
		Scope: hcp.AuthzContext{Principal: hcp.Principal{ID: "u1"}, TenantID: "t1"}, Dir: "/work",
	}, approvals
}

func TestAGatedCallIsKeptUntilAPersonAnswersAndTheirYesCountsOnce(t *testing.T) {
	in, approvals := gated(t)
	asked := GateCommand(t.Context(), in)
	if asked.Decision.Decision != "ask" || asked.ApprovalID == "" || asked.Request.ApprovalID != asked.ApprovalID ||
		asked.Request.ExpiresAt == "" || asked.Result.ApprovalID != asked.ApprovalID || asked.Result.Approval != asked.Request {
		t.Fatalf("%+v", asked)
	}
	if again := GateCommand(t.Context(), in); again.ApprovalID != asked.ApprovalID {
		t.Errorf("asked twice: %q and %q", asked.ApprovalID, again.ApprovalID)
	}
	if err := approvals.Approve(t.Context(), asked.ApprovalID); err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	var mu sync.Mutex
	allowed := 0
	for range 8 {
		calls.Go(func() {
			g := GateCommand(t.Context(), in)
			mu.Lock()
			defer mu.Unlock()
			if g.Decision.Decision == "allow" && g.By == "human" && g.ApprovalID == asked.ApprovalID {
				allowed++
			}
		})
	}
	calls.Wait()
	if allowed != 1 {
		t.Errorf("%d of 8 calls were let run", allowed)
	}
}

func TestAnApprovalOfAGatedCallCoversThatCallOnly(t *testing.T) {
	for name, change := range map[string]func(*GateInput){
		"argument":  func(in *GateInput) { in.Args = hcp.Args{"amount": "2.81", "payee": "demo-transit"} },
		"principal": func(in *GateInput) { in.Scope.Principal.ID = "u2" },
		"tenant":    func(in *GateInput) { in.Scope.TenantID = "t2" },
		"project":   func(in *GateInput) { in.Scope.ProjectID = "p" },
		"directory": func(in *GateInput) { in.Dir = "/elsewhere" },
		"pack": func(in *GateInput) {
			changed := *in.Pack
			changed.Manifest.Name += " and more"
			in.Pack = &changed
		},
		"policy": func(in *GateInput) {
			changed := *in.Pack
			changed.Policy.Verbs = map[string]hcp.PolicyEntry{}
			for key, entry := range in.Pack.Policy.Verbs {
				entry.Privacy.Land = hcp.LandBrain
				changed.Policy.Verbs[key] = entry
			}
			in.Pack = &changed
		},
	} {
		in, approvals := gated(t)
		asked := GateCommand(t.Context(), in)
		if err := approvals.Approve(t.Context(), asked.ApprovalID); err != nil {
			t.Fatal(err)
		}
		other := in
		change(&other)
		got := GateCommand(t.Context(), other)
		if got.Decision.Decision != "ask" || len(got.Request.Changed) == 0 || got.ApprovalID == asked.ApprovalID {
			t.Errorf("%s: %+v", name, got)
		}
		if got := GateCommand(t.Context(), in); got.Decision.Decision != "allow" {
			t.Errorf("%s: the approved call asks: %+v", name, got)
		}
	}
}

func TestANoStandsAgainstAGatedCallThatAnAgentConfirms(t *testing.T) {
	in, approvals := gated(t)
	in.Access = Access{}
	asked := GateCommand(t.Context(), in)
	if err := approvals.Reject(t.Context(), asked.ApprovalID); err != nil {
		t.Fatal(err)
	}
	in.Args = hcp.Args{"amount": "2.80", "payee": "demo-transit", "confirm": true}
	if got := GateCommand(t.Context(), in); got.Decision.Decision != "deny" || got.Code != "rejected" || got.Result.Code != "rejected" || got.ApprovalID != asked.ApprovalID {
		t.Errorf("%+v", got)
	}
	in.Args["amount"] = "1"
	if got := GateCommand(t.Context(), in); got.Decision.Decision != "allow" || got.By != "agent" {
		t.Errorf("another call: %+v", got)
	}
}

func TestAStoreThatCannotBeReadLetsNoGatedCallRun(t *testing.T) {
	in, _ := gated(t)
	in.Approvals = NewFileApprovals(t.TempDir()) // a folder
	in.Access = Access{}
	in.Args = hcp.Args{"amount": "2.80", "payee": "demo-transit", "confirm": true}
	if got := GateCommand(t.Context(), in); got.Decision.Decision != "deny" || got.Code != "bad_approvals" || got.Result == nil {
		t.Errorf("%+v", got)
	}
}

func TestRequestsAreMadeUsedUpAndCancelledByHand(t *testing.T) {
	in, approvals := gated(t)
	call := Call{Pack: in.Pack, VerbKey: in.VerbKey, Args: in.Args}
	request := &hcp.ApprovalRequest{PackID: "ledger", Command: "transfer"}
	id, err := approvals.Request(t.Context(), call, request)
	if err != nil || id == "" || request.ApprovalID != id || request.ExpiresAt == "" {
		t.Fatalf("%q %v %+v", id, err, request)
	}
	if a, err := approvals.Consume(t.Context(), call); err != nil || a.State != "" {
		t.Errorf("answered before a person did: %+v %v", a, err)
	}
	if err := approvals.Decide(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	other := call
	other.Args = hcp.Args{"amount": "9", "payee": "demo-transit"}
	if a, err := approvals.Consume(t.Context(), other); err != nil || a.State != "" || !slices.Equal(a.Changed, []string{`argument "amount"`}) {
		t.Errorf("another call: %+v %v", a, err)
	}
	if a, err := approvals.Consume(t.Context(), call); err != nil || a.State != ApprovalGiven || a.ID != id {
		t.Errorf("%+v %v", a, err)
	}
	if a, err := approvals.Consume(t.Context(), call); err != nil || a.State != "" {
		t.Errorf("used twice: %+v %v", a, err)
	}
	id, err = approvals.Request(t.Context(), call, request)
	if err != nil {
		t.Fatal(err)
	}
	if err := approvals.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := approvals.Approve(t.Context(), id); err == nil {
		t.Error("a cancelled request was approved")
	}
	call.Args = hcp.Args{"nosuch": 1}
	if _, err := approvals.Request(t.Context(), call, request); err == nil {
		t.Error("a call that cannot be made was asked about")
	}
}

func TestTheEnvironmentOfAnAgentIsKnownByItsMarkers(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    AccessEnv
	}{
		{nil, AccessEnv{}},
		{[]string{"HCP_MODE=run", "HCP_APPROVALS=human"}, AccessEnv{Mode: "run", Approvals: "human"}},
		{[]string{"HCP_MODE=run", "HCP_MODE=manual"}, AccessEnv{Mode: "manual"}},
		{[]string{"HCP_AGENT=1"}, AccessEnv{Agent: true}},
		{[]string{"HCP_MCP=1"}, AccessEnv{Agent: true}},
		{[]string{"CLAUDECODE=1"}, AccessEnv{Agent: true}},
	} {
		if got := EnvAccess(c.environ); got != c.want {
			t.Errorf("%q: %+v", c.environ, got)
		}
	}
}

func TestSettingsOfFilesThatCannotBeUsedAreNotLoaded(t *testing.T) {
	user, project := AccessFiles(t.TempDir(), t.TempDir())
	if a, ignored, err := LoadEffectiveAccess(user, project, AccessEnv{}); err != nil || a.Mode != "auto" || len(ignored) != 0 {
		t.Errorf("without files: %+v %v %v", a, ignored, err)
	}
	if _, _, err := LoadEffectiveAccess(filepath.Dir(user), project, AccessEnv{}); err == nil {
		t.Error("a folder was taken for settings of the user")
	}
	if _, _, err := LoadEffectiveAccess(user, filepath.Dir(user), AccessEnv{}); err == nil {
		t.Error("a folder was taken for settings of a project")
	}
	if d := DecideAccess(AccessRequest{PackID: "a", VerbKey: "b", Operation: hcp.OperationRead}, mustLoad(t, "", "", AccessEnv{Mode: "yolo"})); d.Decision != "deny" || d.Code != "bad_mode" {
		t.Errorf("%+v", d)
	}
}

func mustLoad(t *testing.T, user, project string, env AccessEnv) Access {
	t.Helper()
	a, _, err := LoadEffectiveAccess(user, project, env)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestALogUnderAKeyOfTheHostRecordsTheHashOfTheArguments(t *testing.T) {
	key, err := AuditKey(filepath.Join(t.TempDir(), "audit.key"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	audit, err := FileAudit(path)
	if err != nil {
		t.Fatal(err)
	}
	d := &counting{packs: []*Pack{loaded(t, "ledger")}}
	for _, o := range []Options{
		{Runtime: ProprietaryStub, Packs: d.packs, Audit: audit, AuditKey: key},
		{Driver: WithAccess(d, AccessOptions{Audit: audit, AuditKey: key})},
	} {
		open(t, o).Exec(t.Context(), "ledger", "transfer", fare)
		events, err := ReadAudit(path, nil, 1)
		if err != nil || len(events) != 1 || events[0].ArgsDigest != ArgsHash(key, fare) {
			t.Errorf("%+v %v", events, err)
		}
	}
	if ArgsHash(key, fare) == ArgsHash([]byte("another"), fare) || ArgsHash(key, nil) != ArgsHash(key, hcp.Args{}) || ArgsHash(key, hcp.Args{"a": func() {}}) != "" {
		t.Error("the hash")
	}
}

func TestAWrappedDriverKeepsItsOwnAuthoriserBelowARuntime(t *testing.T) {
	d := &counting{packs: []*Pack{loaded(t, "ledger")}}
	refuse := func(hcp.AuthzContext, hcp.AuthzRequest) hcp.AuthzDecision {
		return hcp.AuthzDecision{Reason: "closed today"}
	}
	r := open(t, Options{Driver: WithAccess(d, AccessOptions{Authorize: refuse})})
	if got := r.Exec(t.Context(), "ledger", "list", nil); got.OK || d.ran != 0 {
		t.Errorf("%+v, %d runs", got, d.ran)
	}
}
