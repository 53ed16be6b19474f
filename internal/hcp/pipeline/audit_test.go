package pipeline

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/binding"
	"bridle/internal/kernel/fault"
)

func TestWriteLeavesItsDecisionBeforeAnythingHappens(t *testing.T) {
	w := newWorld(t)
	exit := 3
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		if len(w.audit.events) != 1 || !w.audit.durable[0] {
			t.Errorf("ran with %d lines, durable %v", len(w.audit.events), w.audit.durable)
		}
		return adapter.Outcome{Started: true, ExitCode: &exit, Failure: fault.New("command_failed", "exit 3")}
	}
	w.options.Labels = map[string]string{"attempt": "A_1"}
	w.exec("desk", "send", hcp.Args{"to": "ann"})
	decided, outcome := w.audit.events[0], w.audit.events[1]
	if len(w.audit.events) != 2 || decided.CallID == "" || decided.CallID != outcome.CallID {
		t.Fatalf("%+v", w.audit.events)
	}
	zero := int64(0)
	want := hcp.AuditEvent{
		Time: "2026-07-01T12:00:00.000Z", CallID: decided.CallID, Action: hcp.AuditExec, Stage: hcp.AuditDecided,
		TenantID: "acme", Principal: hcp.AuditPrincipal{ID: "user_42", Kind: hcp.PrincipalHuman}, ProjectID: "proj_7",
		Binding: &hcp.AuditBinding{Mode: hcp.BindingLocal, Family: "office"},
		PackID:  "desk", VerbKey: "send", Operation: hcp.OperationWrite, Land: hcp.LandPersonal,
		Decision: hcp.AuditAllow, Reason: `access mode "auto" runs a write without confirm`, Mode: "auto", ApprovedBy: "mode",
		ArgNames: []string{"to"}, ArgsDigest: decided.ArgsDigest, Labels: map[string]string{"attempt": "A_1"},
	}
	if !reflect.DeepEqual(decided, want) {
		t.Errorf("decision %+v\nwant     %+v", decided, want)
	}
	want.Stage, want.Ran, want.Code, want.ExitCode, want.DurationMS = hcp.AuditOutcome, true, "command_failed", &exit, &zero
	want.Binding = &hcp.AuditBinding{Mode: hcp.BindingLocal, Family: "office", Identity: "hub:office"}
	if !reflect.DeepEqual(outcome, want) {
		t.Errorf("outcome %+v\nwant    %+v", outcome, want)
	}
}

func TestReadLeavesOneLineWithoutASync(t *testing.T) {
	w := newWorld(t)
	if r := w.exec("desk", "list", nil); !r.OK {
		t.Fatalf("%+v", r)
	}
	if len(w.audit.events) != 1 || w.audit.durable[0] || w.audit.events[0].Stage != hcp.AuditWhole || !w.audit.events[0].Ran {
		t.Fatalf("%+v", w.audit.events)
	}
}

func TestEveryDenialIsRecordedWithItsReason(t *testing.T) {
	for _, o := range obstacles() {
		if o.step == "record" {
			continue
		}
		w := newWorld(t)
		if o.place != nil {
			o.place(w)
		}
		r := w.exec(o.call(), o.command(), o.args)
		if len(w.audit.events) != 1 {
			t.Errorf("%s: %d lines", o.name, len(w.audit.events))
			continue
		}
		e := w.audit.events[0]
		wantDecision := hcp.AuditDeny
		if o.code == "confirm_required" {
			wantDecision = hcp.AuditAsk
		}
		wantReason := r.Error
		if r.Access != nil {
			wantReason = r.Access.Reason // an ask says why it asks
		}
		if e.Decision != wantDecision || e.Code != r.Code || e.Reason != wantReason || e.Ran || e.OK || e.PackID != r.PackID || e.VerbKey != r.VerbKey {
			t.Errorf("%s: %+v", o.name, e)
		}
	}
}

func TestFailedMintOfAWriteIsItsOutcome(t *testing.T) {
	w := newWorld(t)
	w.hub.err = fault.New("not_connected", "pack desk not connected")
	w.exec("desk", "send", nil)
	if len(w.audit.events) != 2 || w.audit.events[1].Stage != hcp.AuditOutcome || w.audit.events[1].Ran || w.audit.events[1].Code != "not_connected" {
		t.Fatalf("%+v", w.audit.events)
	}
}

func TestNoValueOfAnArgumentReachesTheLog(t *testing.T) {
	const secret = "hunter2-value"
	for _, key := range []string{"list", "send", "pay", "share", "connect", "lst", "unruled"} {
		w := newWorld(t)
		for _, args := range []hcp.Args{{"to": secret}, {"to": secret, "confirm": true}, {"wrong": secret}, {"confirm": secret}} {
			w.exec("desk", key, args)
		}
		for _, e := range w.audit.events {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(line), secret) {
				t.Errorf("%s: %s", key, line)
			}
		}
	}
}

func TestArgumentsAreDigestedInCanonicalForm(t *testing.T) {
	digested := func(args hcp.Args) string {
		w := newWorld(t)
		w.options.Digest = func(canonical []byte) string { return "keyed " + string(canonical) }
		w.exec("desk", "list", args)
		return w.audit.events[0].ArgsDigest
	}
	for want, args := range map[string]hcp.Args{
		`keyed {"note":"x","to":"ann"}`: {"to": "ann", "note": "x"},
		`keyed {"note":2.8}`:            {"note": json.Number("2.80")},
		`keyed {}`:                      nil,
		``:                              {"note": make(chan int)},
	} {
		if got := digested(args); got != want {
			t.Errorf("%v: %q, want %q", args, got, want)
		}
	}
	w := newWorld(t)
	w.options.Digest = nil
	w.exec("desk", "list", hcp.Args{"to": "ann"})
	if w.audit.events[0].ArgsDigest != "" {
		t.Error("a digest without a key")
	}
}

func TestUnwritableLogStopsAWriteBeforeMint(t *testing.T) {
	w := newWorld(t)
	w.audit.failFrom = 1
	r := w.exec("desk", "send", nil)
	if r.Code != "audit_unavailable" || len(w.hub.minted) != 0 || len(w.runs) != 0 {
		t.Fatalf("%+v", r)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "audit log") {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestUnwritableLogWithholdsARead(t *testing.T) {
	w := newWorld(t)
	w.audit.failFrom = 1
	r := w.exec("desk", "list", nil)
	if r.OK || r.Code != "audit_unavailable" || r.Result != nil || r.Stdout != "" {
		t.Fatalf("%+v", r)
	}
}

func TestOutcomeThatCannotBeRecordedIsSaid(t *testing.T) {
	w := newWorld(t)
	w.audit.failFrom = 2
	r := w.exec("desk", "send", nil)
	if !r.OK || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "outcome") {
		t.Fatalf("%+v", r)
	}
}

func TestWithoutALogNothingIsRefused(t *testing.T) {
	w := newWorld(t)
	w.options.Audit = nil
	if r := w.exec("desk", "send", nil); !r.OK || len(r.Notes) != 0 {
		t.Fatalf("%+v", r)
	}
}

func TestLogOutlivesTheCaller(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	w.options.Audit = auditFunc(func(ctx context.Context, e hcp.AuditEvent) error {
		if ctx.Err() != nil {
			t.Errorf("the line %s was given a cancelled context", e.Stage)
		}
		return nil
	})
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		cancel()
		return adapter.Outcome{Started: true}
	}
	w.pipeline().Exec(ctx, Call{PackID: "desk", Key: "send"})
}

func TestNamesFromTheCallerAreBoundedInTheLog(t *testing.T) {
	w := newWorld(t)
	args := hcp.Args{}
	for i := range 200 {
		args[strings.Repeat("n", 200+i)] = "x"
	}
	w.exec(strings.Repeat("p", 5000), strings.Repeat("k", 5000), args)
	line, err := json.Marshal(w.audit.events[0])
	if err != nil || len(line) > 20000 {
		t.Fatalf("%d bytes, %v", len(line), err)
	}
}

func TestConnectIsGatedAndAttributed(t *testing.T) {
	for _, c := range []struct {
		name  string
		place func(w *world)
		id    string
		error string
		lines int
		hub   int
	}{
		{name: "connects", id: "desk", lines: 2, hub: 1},
		{name: "public asks no hub", id: "desk", place: func(w *world) { w.add("desk", hcp.BindingPublic); w.options.Hub = nil }, lines: 2},
		{name: "public without the grant", id: "desk", place: func(w *world) {
			w.add("desk", hcp.BindingPublic)
			w.scope.Grants = []hcp.Grant{{Capability: hcp.CapExecWrite}}
		}, error: "denied: missing pack.connect", lines: 1},
		{name: "unknown", id: "nope", error: "unknown pack nope", lines: 1},
		{name: "inactive", id: "desk", place: func(w *world) { w.active["desk"] = false }, error: "pack desk not activated", lines: 1},
		{name: "no grant", id: "desk", place: func(w *world) { w.scope.Grants = []hcp.Grant{{Capability: hcp.CapExecWrite}} }, error: "denied: missing pack.connect", lines: 1},
		{name: "no elevation", id: "desk", place: func(w *world) { w.add("desk", hcp.BindingMothership) }, error: "denied: binding mode mothership requires an elevated Principal", lines: 1},
		{name: "no hub", id: "desk", place: func(w *world) { w.options.Hub = nil }, error: "no hub mints local credentials in this runtime", lines: 1},
		{name: "hub refuses", id: "desk", place: func(w *world) { w.hub.err = fault.New("connect_failed", "connect failed") }, error: "connect failed", lines: 2, hub: 1},
		{name: "log full", id: "desk", place: func(w *world) { w.audit.failFrom = 1 }, error: "the audit log cannot be written: the log refused the entry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.place != nil {
				c.place(w)
			}
			err := w.pipeline().Connect(context.Background(), c.id)
			if got := errorText(err); got != c.error {
				t.Errorf("error %q, want %q", got, c.error)
			}
			if len(w.audit.events) != c.lines || len(w.hub.connected) != c.hub {
				t.Fatalf("%d lines, %d connects", len(w.audit.events), len(w.hub.connected))
			}
			for _, e := range w.audit.events {
				if e.Action != hcp.AuditConnect || e.Principal.ID != "user_42" || e.TenantID != "acme" || e.PackID != c.id {
					t.Errorf("attributed as %+v", e)
				}
			}
			if c.lines == 2 && (!w.audit.durable[0] || w.audit.events[1].OK != (err == nil)) {
				t.Errorf("%+v", w.audit.events)
			}
		})
	}
}

func TestInstallIsGatedAndAttributed(t *testing.T) {
	w := newWorld(t)
	installed := 0
	install := func() error { installed++; return nil }
	if err := w.pipeline().Install(context.Background(), "mail", install); err != nil || installed != 1 {
		t.Fatal(err)
	}
	if len(w.audit.events) != 2 || w.audit.events[0].Action != hcp.AuditInstall || w.audit.events[0].PackID != "mail" || !w.audit.events[1].OK {
		t.Fatalf("%+v", w.audit.events)
	}
	w.scope.Grants = nil
	err := w.pipeline().Install(context.Background(), "mail", install)
	if errorText(err) != "denied: missing pack.install" || installed != 1 || len(w.audit.events) != 3 {
		t.Fatal(err, installed)
	}
	w.scope.Grants, w.audit.failFrom = hcp.PermissiveGrants(), 1
	if err := w.pipeline().Install(context.Background(), "mail", install); fault.CodeOf(err) != "audit_unavailable" || installed != 1 {
		t.Fatal(err, installed)
	}
}

func TestBindingIdentityAndPrincipalAreSeparate(t *testing.T) {
	w := newWorld(t)
	w.hub.credential = binding.Credential{Identity: "account of someone else"}
	w.exec("desk", "list", nil)
	e := w.audit.events[0]
	if e.Principal.ID != "user_42" || e.Binding.Identity != "account of someone else" {
		t.Fatalf("%+v", e)
	}
}

type auditFunc func(context.Context, hcp.AuditEvent) error

func (f auditFunc) Record(ctx context.Context, e hcp.AuditEvent, _ bool) error { return f(ctx, e) }

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestWhatWasPutRightBesideACallIsInTheLog(t *testing.T) {
	w := newWorld(t)
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		return adapter.Outcome{Started: true, Found: "git_config_changed"}
	}
	if r := w.exec("desk", "list", nil); !r.OK || r.Code != "" {
		t.Fatalf("%+v", r)
	}
	if e := w.audit.events[len(w.audit.events)-1]; !e.OK || e.Code != "git_config_changed" {
		t.Fatalf("%+v", e)
	}
}
