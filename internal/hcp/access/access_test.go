package access

import (
	"fmt"
	"testing"

	"bridle/hcp"
)

// column is a column of the documented table.
type column struct {
	name    string
	op      hcp.Operation
	confirm hcp.Confirm
}

var columns = []column{
	{"read", hcp.OperationRead, hcp.ConfirmNone},
	{"write", hcp.OperationWrite, hcp.ConfirmNone},
	{"write with confirm", hcp.OperationWrite, hcp.ConfirmAsk},
	{"write with always", hcp.OperationWrite, hcp.ConfirmAlways},
}

// table is the documented table of modes: whether each column asks.
var table = map[Mode][4]bool{
	ModeManual: {true, true, true, true},
	ModeAuto:   {false, false, true, true},
	ModeRun:    {false, false, false, true},
}

func TestEveryRowOfTheModeTable(t *testing.T) {
	for mode, row := range table {
		for i, col := range columns {
			for _, approvals := range []Approvals{ApprovalsAgent, ApprovalsHuman} {
				for _, confirmed := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/%s/%v", mode, col.name, approvals, confirmed), func(t *testing.T) {
						v := Decide(Request{PackID: "ledger", Key: "transfer", Operation: col.op, Confirm: col.confirm, Confirmed: confirmed}, Settings{Mode: mode, Approvals: approvals})
						satisfied := confirmed && approvals == ApprovalsAgent
						switch {
						case !row[i]:
							check(t, v, Verdict{Decision: Allow, By: ByMode})
						case satisfied:
							check(t, v, Verdict{Decision: Allow, By: ByAgent, ReasonCode: reasonOf(mode, col)})
						default:
							check(t, v, Verdict{Decision: Ask, Code: "confirm_required", ReasonCode: reasonOf(mode, col)})
							if v.Hint == "" {
								t.Error("an ask without a hint")
							}
						}
						if v.Mode != mode || v.Approvals != approvals || v.Reason == "" {
							t.Errorf("verdict does not say what decided: %+v", v)
						}
					})
				}
			}
		}
	}
}

func reasonOf(mode Mode, c column) ReasonCode {
	switch c.confirm {
	case hcp.ConfirmAlways:
		return "confirm_always"
	case hcp.ConfirmAsk:
		return "confirm"
	case hcp.ConfirmNone:
	}
	return "mode_manual"
}

func check(t *testing.T, got, want Verdict) {
	t.Helper()
	if got.Decision != want.Decision || got.Code != want.Code || got.By != want.By || got.ReasonCode != want.ReasonCode {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
}

func TestUnsetSettingsMeanAutoAndAgent(t *testing.T) {
	v := Decide(Request{Operation: hcp.OperationWrite, Confirm: hcp.ConfirmAsk}, Settings{})
	if v.Decision != Ask || v.Mode != ModeAuto || v.Approvals != ApprovalsAgent {
		t.Fatalf("%+v", v)
	}
}

func TestAlwaysSaysSoInWords(t *testing.T) {
	v := Decide(Request{Operation: hcp.OperationWrite, Confirm: hcp.ConfirmAlways}, Settings{Mode: ModeRun, Approvals: ApprovalsHuman})
	want := hcp.AccessNote{Mode: "run", Reason: `Policy confirm "always": every mode asks`, Approvals: "human"}
	if got := *v.Note(); got != want {
		t.Fatalf("%+v, want %+v", got, want)
	}
}

func TestWhatNobodyDefinedIsDenied(t *testing.T) {
	good := Request{Operation: hcp.OperationRead, Confirmed: true}
	for _, c := range []struct {
		name string
		r    Request
		s    Settings
		code string
	}{
		{"mode", good, Settings{Mode: "yolo"}, "bad_mode"},
		{"mode in another case", good, Settings{Mode: "Run"}, "bad_mode"},
		{"approvals", good, Settings{Approvals: "nobody"}, "bad_mode"},
		{"operation", Request{Confirmed: true}, Settings{Mode: ModeRun}, "bad_policy"},
		{"confirm", Request{Operation: hcp.OperationWrite, Confirm: "never", Confirmed: true}, Settings{Mode: ModeRun}, "bad_policy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := Decide(c.r, c.s); v.Decision != Deny || v.Code != c.code || v.Reason == "" || v.By != "" {
				t.Fatalf("%+v", v)
			}
		})
	}
}

func TestConfirmOnAReadAsksLikeAWrite(t *testing.T) {
	for _, confirm := range []hcp.Confirm{hcp.ConfirmAsk, hcp.ConfirmAlways} {
		if v := Decide(Request{Operation: hcp.OperationRead, Confirm: confirm}, Settings{}); v.Decision != Ask {
			t.Errorf("confirm %q on a read: %s", confirm, v.Decision)
		}
	}
}

func TestStricterSettingsNeverLetMoreRun(t *testing.T) {
	order := []Mode{ModeRun, ModeAuto, ModeManual}
	for _, col := range columns {
		for _, confirmed := range []bool{false, true} {
			r := Request{Operation: col.op, Confirm: col.confirm, Confirmed: confirmed}
			for i := 1; i < len(order); i++ {
				for _, a := range []Approvals{ApprovalsAgent, ApprovalsHuman} {
					if Decide(r, Settings{Mode: order[i], Approvals: a}).Decision == Allow && Decide(r, Settings{Mode: order[i-1], Approvals: a}).Decision != Allow {
						t.Errorf("%s runs %s where %s asks", order[i], col.name, order[i-1])
					}
				}
			}
			for _, m := range order {
				if Decide(r, Settings{Mode: m, Approvals: ApprovalsHuman}).Decision == Allow && Decide(r, Settings{Mode: m, Approvals: ApprovalsAgent}).Decision != Allow {
					t.Errorf("human approvals run %s in %s where agent ones ask", col.name, m)
				}
			}
		}
	}
}
