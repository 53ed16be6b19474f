package pipeline

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/approval"
	"bridle/internal/kernel/fault"
)

func TestAskCarriesEverythingAPersonNeeds(t *testing.T) {
	w := newWorld(t)
	w.options.Views = hcp.ViewOptions{Signals: []hcp.SignalRule{{Text: "House rule"}}}
	r := w.exec("desk", "pay", hcp.Args{"to": "ann", "note": "rent", "confirm": false})
	if r.Error != "confirm required" || r.Code != "confirm_required" || r.Hint == "" {
		t.Fatalf("%+v", r)
	}
	wantPreview := &hcp.CallPreview{Command: "pay", Args: hcp.Args{"to": "ann", "note": "rent"}}
	if !reflect.DeepEqual(r.Preview, wantPreview) {
		t.Errorf("preview %+v", r.Preview)
	}
	wantNote := &hcp.AccessNote{Mode: "auto", Reason: `Policy confirm "always": every mode asks`, Approvals: "agent"}
	if !reflect.DeepEqual(r.Access, wantNote) {
		t.Errorf("access %+v", r.Access)
	}
	want := &hcp.ApprovalRequest{
		PackID: "desk", PackName: "Desk", Command: "pay", Summary: "What pay does.",
		Operation: hcp.OperationWrite, Confirm: hcp.ConfirmAlways,
		Args:   []hcp.CallArg{{Name: "to", Value: "ann", Description: "Who gets it"}, {Name: "note", Value: "rent"}},
		Reason: wantNote.Reason, ReasonCode: "confirm_always", Mode: "auto", Approvals: "agent",
	}
	if v := r.Approval.View; v == nil || v.Title != "Pay with Desk" || !slices.Equal(v.Signals, []string{"House rule"}) || v.Fields.Len() != 2 {
		t.Errorf("view %+v", v)
	}
	if o := r.Approval.Options; len(o) != 2 || o[0].Kind != "allow_once" || o[1].Kind != "reject_once" {
		t.Errorf("options %+v", o)
	}
	r.Approval.View, r.Approval.Options = nil, nil
	if !reflect.DeepEqual(r.Approval, want) {
		t.Errorf("approval %+v\nwant     %+v", r.Approval, want)
	}
}

func TestWhoSatisfiesAnAsk(t *testing.T) {
	human := &hcp.HostApproval{By: "human", ID: "ui-7"}
	for _, c := range []struct {
		name      string
		approvals access.Approvals
		args      hcp.Args
		host      *hcp.HostApproval
		stored    string
		by, id    string // empty by: the call is refused
	}{
		{name: "nobody"},
		{name: "agent with confirm", args: hcp.Args{"confirm": true}, by: "agent"},
		{name: "agent with apply", args: hcp.Args{"apply": true}, by: "agent"},
		{name: "agent with confirm false", args: hcp.Args{"confirm": false}},
		{name: "agent where a person must", approvals: access.ApprovalsHuman, args: hcp.Args{"confirm": true}},
		{name: "person in the host", approvals: access.ApprovalsHuman, host: human, by: "human", id: "ui-7"},
		{name: "host statement about an agent", approvals: access.ApprovalsHuman, host: &hcp.HostApproval{By: "agent"}},
		{name: "stored approval", approvals: access.ApprovalsHuman, stored: "5ea7eb29", by: "human", id: "5ea7eb29"},
		{name: "person before agent", args: hcp.Args{"confirm": true}, stored: "5ea7eb29", by: "human", id: "5ea7eb29"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.access.Approvals = c.approvals
			store := &approvalsDouble{stored: c.stored}
			w.options.Approvals = store
			r := w.pipeline().Exec(context.Background(), Call{PackID: "desk", Key: "pay", Args: c.args, Approval: c.host})
			if r.OK != (c.by != "") {
				t.Fatalf("%+v", r)
			}
			if c.by == "" {
				if r.ApprovalID != "asked-1" || len(w.runs) != 0 {
					t.Errorf("approval id %q, %d runs", r.ApprovalID, len(w.runs))
				}
				return
			}
			e := w.audit.events[0]
			if e.Stage != hcp.AuditDecided || e.ApprovedBy != c.by || e.ApprovalID != c.id {
				t.Errorf("audit says %q %q", e.ApprovedBy, e.ApprovalID)
			}
		})
	}
}

func TestHostApprovalIsNotNeededWhereNothingAsks(t *testing.T) {
	w := newWorld(t)
	w.options.Approvals = &approvalsDouble{stored: "5ea7eb29"}
	if r := w.exec("desk", "send", nil); !r.OK || w.audit.events[0].ApprovedBy != "mode" {
		t.Fatalf("%+v, %+v", r, w.audit.events)
	}
	if d := w.options.Approvals.(*approvalsDouble); len(d.consumed) != 0 {
		t.Fatal("an approval was used up for a call that asks nothing")
	}
}

func TestApprovalIsBoundToEverythingThatRuns(t *testing.T) {
	w := newWorld(t)
	store := &approvalsDouble{}
	w.options.Approvals, w.options.Dir = store, "/src/here"
	w.exec("desk", "pay", hcp.Args{"to": "ann", "mode": "mock"})
	want := Subject{
		PackID: "desk", PackDigest: "pack-digest", Key: "pay", Args: hcp.Args{"to": "ann"}, Argv: []string{},
		BinDigest: "bin-digest", Dir: "/src/here", Principal: "user_42", TenantID: "acme", ProjectID: "proj_7",
		Mode: hcp.Sandboxed, Mock: true,
	}
	if !reflect.DeepEqual(store.consumed, []Subject{want}) || !reflect.DeepEqual(store.asked, []Subject{want}) {
		t.Fatalf("consumed %+v\nasked %+v\nwant %+v", store.consumed, store.asked, want)
	}
}

func TestBrokenApprovalStoreRefuses(t *testing.T) {
	for name, store := range map[string]*approvalsDouble{
		"consume": {consumeErr: fault.New("locked", "the approvals are locked")},
		"request": {requestErr: fault.New("locked", "the approvals are locked")},
	} {
		w := newWorld(t)
		w.options.Approvals = store
		if r := w.exec("desk", "pay", nil); r.OK || r.Code != "locked" || len(w.runs) != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	w := newWorld(t)
	w.options.Approvals = &approvalsDouble{consumeErr: errors.New("broken")}
	if r := w.exec("desk", "pay", hcp.Args{"confirm": true}); r.OK {
		t.Error("a confirm stood in for a broken store")
	}
}

func TestHumanApprovalsNameTheCommandForThePerson(t *testing.T) {
	w := newWorld(t)
	w.access.Approvals = access.ApprovalsHuman
	w.options.Approvals = &approvalsDouble{}
	if r := w.exec("desk", "pay", nil); !strings.Contains(r.Hint, "hcpx approve asked-1") {
		t.Fatalf("hint %q", r.Hint)
	}
}

func TestAPersonsNoStandsAgainstAnAgentsConfirm(t *testing.T) {
	w := newWorld(t)
	w.options.Approvals = &approvalsDouble{rejected: "5ea7eb29"}
	r := w.exec("desk", "pay", hcp.Args{"confirm": true})
	if r.OK || r.Code != "rejected" || !strings.Contains(r.Error, "5ea7eb29") || r.Access == nil || len(w.runs) != 0 {
		t.Fatalf("%+v", r)
	}
	if e := w.audit.events[0]; e.Decision != hcp.AuditDeny || e.ApprovalID != "5ea7eb29" || e.ApprovedBy != "" {
		t.Errorf("%+v", e)
	}
}

func TestAnAskSaysWhatChangedSinceAnApproval(t *testing.T) {
	w := newWorld(t)
	w.options.Approvals = &approvalsDouble{changed: []string{`argument "to"`}}
	r := w.exec("desk", "pay", hcp.Args{"to": "ann"})
	if !slices.Equal(r.Approval.Changed, []string{`argument "to"`}) || !strings.Contains(r.Hint, `argument "to"`) {
		t.Fatalf("%+v", r)
	}
}

func TestRulesDecideAndTheLogNamesThem(t *testing.T) {
	rule := func(match string, d access.Decision) access.Settings {
		return access.Settings{Rules: []access.Rule{access.NewRule(hcp.AccessRule{Match: match, Decision: string(d), Note: "why"}, access.User, 0)}}
	}
	for _, c := range []struct {
		name, key string
		s         access.Settings
		code, by  string
		decision  hcp.AuditDecision
	}{
		{"allow", "pay", rule("desk.pay", access.Allow), "", "rule", hcp.AuditAllow},
		{"wildcard allow", "pay", rule("desk.*", access.Allow), "confirm_required", "", hcp.AuditAsk},
		{"ask", "list", rule("desk.*", access.Ask), "confirm_required", "", hcp.AuditAsk},
		{"deny", "list", rule("*", access.Deny), "denied_by_rule", "", hcp.AuditDeny},
	} {
		w := newWorld(t)
		w.access = c.s
		r := w.exec("desk", c.key, hcp.Args{"to": "ann"})
		e := w.audit.events[0]
		if r.Code != c.code || e.ApprovedBy != c.by || e.Decision != c.decision || (c.code == "") != (len(w.runs) == 1) {
			t.Errorf("%s: %+v\n%+v", c.name, r, e)
		}
		if c.code == "denied_by_rule" && (r.Access == nil || !strings.Contains(r.Error, `user rule 0 "*" (why)`)) {
			t.Errorf("%+v", r)
		}
		if c.by == "rule" && !strings.Contains(e.Reason, "desk.pay") {
			t.Errorf("the log does not name the rule: %q", e.Reason)
		}
	}
}

type approvalsDouble struct {
	stored, rejected       string
	changed                []string
	cancelled              []string
	consumed, asked        []Subject
	consumeErr, requestErr error
	asking                 func() // called when a request is made
}

func (d *approvalsDouble) Consume(_ context.Context, s Subject) (approval.Answer, error) {
	d.consumed = append(d.consumed, s)
	switch {
	case d.stored != "":
		return approval.Answer{ID: d.stored, State: approval.Approved}, d.consumeErr
	case d.rejected != "":
		return approval.Answer{ID: d.rejected, State: approval.Rejected}, d.consumeErr
	}
	return approval.Answer{Changed: d.changed}, d.consumeErr
}

func (d *approvalsDouble) Request(_ context.Context, s Subject, _ *hcp.ApprovalRequest) (string, error) {
	d.asked = append(d.asked, s)
	if d.asking != nil {
		d.asking()
	}
	return "asked-1", d.requestErr
}

func (d *approvalsDouble) Cancel(_ context.Context, id string) error {
	d.cancelled = append(d.cancelled, id)
	return nil
}
