package access

import (
	"fmt"
	"testing"

	"bridle/hcp"
)

// A rule of the table: what it matches, whether it has a condition that holds,
// and what it decides. The table below tries every set of up to three of them.
type tableRule struct {
	match    string
	when     bool
	decision Decision
	scope    int
}

func tableRules() []tableRule {
	var all []tableRule
	for scope, match := range []string{"*", "ledger.*", "ledger.transfer"} {
		for _, when := range []bool{false, true} {
			for _, d := range []Decision{Allow, Ask, Deny} {
				all = append(all, tableRule{match: match, when: when, decision: d, scope: scope + 1})
			}
		}
	}
	return all
}

func (r tableRule) rule(i int) Rule {
	rule := Rule{AccessRule: hcp.AccessRule{Match: r.match, Decision: string(r.decision)}, Origin: User, Index: i}
	if r.when {
		rule.When = &hcp.AccessWhen{Args: map[string]any{"payee": "demo"}}
	}
	return rule
}

// expected is the documented precedence, written down a second time: deny
// anywhere, then the highest scope, then conditions, then ask; and "always"
// yields to an exact allow alone.
func expected(rules []tableRule, mode Mode, col column) (decision Decision, by By) {
	best := -1
	for i, r := range rules {
		if r.decision == Deny {
			return Deny, ""
		}
		if best < 0 {
			best = i
			continue
		}
		b := rules[best]
		switch {
		case r.scope != b.scope:
			if r.scope > b.scope {
				best = i
			}
		case r.when != b.when:
			if r.when {
				best = i
			}
		case r.decision == Ask:
			best = i
		}
	}
	always := col.confirm == hcp.ConfirmAlways
	if best >= 0 && rules[best].decision == Allow && (!always || rules[best].scope == 3) {
		return Allow, ByRule
	}
	if best >= 0 && rules[best].decision == Ask {
		return Ask, ""
	}
	if table[mode][columnIndex(col)] {
		return Ask, ""
	}
	return Allow, ByMode
}

func columnIndex(c column) int {
	for i := range columns {
		if columns[i] == c {
			return i
		}
	}
	return -1
}

// sets returns every set of up to three rules, in every order of two.
func sets() [][]tableRule {
	all := tableRules()
	out := [][]tableRule{nil}
	for i := range all {
		out = append(out, []tableRule{all[i]})
		for j := range all {
			if j == i {
				continue
			}
			out = append(out, []tableRule{all[i], all[j]})
			for k := j + 1; k < len(all); k++ {
				if k != i {
					out = append(out, []tableRule{all[i], all[j], all[k]})
				}
			}
		}
	}
	return out
}

// Every combination of mode, Policy confirm, rule set, approvals and what the
// invoker says, generated.
func TestTruthTableOfModesConfirmRulesApprovalsAndInvoker(t *testing.T) {
	rows := 0
	for _, set := range sets() {
		rules := make([]Rule, len(set))
		for i, r := range set {
			rules[i] = r.rule(i)
		}
		for _, mode := range []Mode{ModeManual, ModeAuto, ModeRun} {
			for _, col := range columns {
				want, by := expected(set, mode, col)
				for _, approvals := range []Approvals{ApprovalsAgent, ApprovalsHuman} {
					for _, confirmed := range []bool{false, true} {
						rows++
						got := Decide(Request{
							PackID: "ledger", Key: "transfer", Operation: col.op, Confirm: col.confirm,
							Args: hcp.Args{"payee": "demo"}, Confirmed: confirmed,
						}, Settings{mode, approvals, rules, nil})
						want, by := want, by
						if want == Ask && confirmed && approvals == ApprovalsAgent {
							want, by = Allow, ByAgent
						}
						if got.Decision != want || got.By != by {
							t.Fatalf("%s %s %s confirmed=%v %+v: got %s by %q, want %s by %q", mode, col.name, approvals, confirmed, set, got.Decision, got.By, want, by)
						}
						if want == Deny && got.Code != "denied_by_rule" || want == Ask && got.Code != "confirm_required" || got.Reason == "" {
							t.Fatalf("%+v", got)
						}
					}
				}
			}
		}
	}
	if rows < 100_000 {
		t.Fatalf("only %d rows", rows)
	}
}

func TestAnAskSaysWhyInACode(t *testing.T) {
	ask := []Rule{{AccessRule: hcp.AccessRule{Match: "*", Decision: "ask"}}}
	for _, c := range []struct {
		r    Request
		s    Settings
		want ReasonCode
	}{
		{Request{Operation: hcp.OperationWrite, Confirm: hcp.ConfirmAlways}, Settings{Mode: ModeRun}, "confirm_always"},
		{Request{Operation: hcp.OperationWrite, Confirm: hcp.ConfirmAsk}, Settings{}, "confirm"},
		{Request{Operation: hcp.OperationRead}, Settings{Mode: ModeManual}, "mode_manual"},
		{Request{Operation: hcp.OperationRead}, Settings{Mode: ModeRun, Rules: ask}, "rule_ask"},
		{Request{Operation: hcp.OperationWrite, Confirm: hcp.ConfirmAsk}, Settings{Mode: ModeRun, Rules: ask}, "rule_ask"},
		{Request{Operation: hcp.OperationWrite, Confirm: hcp.ConfirmAlways}, Settings{Rules: ask}, "confirm_always"},
	} {
		if v := Decide(c.r, c.s); v.ReasonCode != c.want || v.Decision != Ask {
			t.Errorf("%+v %+v: %+v", c.r, c.s, v)
		}
	}
}

func BenchmarkDecideWithAThousandRules(b *testing.B) {
	var rules []Rule
	for i := range 1000 {
		r := hcp.AccessRule{Match: fmt.Sprintf("pack%d.command", i), Decision: "ask"}
		switch i % 4 {
		case 0:
			r = hcp.AccessRule{Match: "ledger.transfer", Decision: "allow", When: &hcp.AccessWhen{Max: map[string]jsonNumber{"amount": "1"}}}
		case 1:
			r = hcp.AccessRule{Match: "ledger.*", Decision: "ask", When: &hcp.AccessWhen{Args: map[string]any{"payee": "someone"}}}
		}
		rules = append(rules, NewRule(r, User, i))
	}
	call := Request{PackID: "ledger", Key: "transfer", Operation: hcp.OperationWrite, Confirm: hcp.ConfirmAlways, Args: hcp.Args{"amount": "2.80", "payee": "demo"}}
	index := NewIndex(rules)
	for b.Loop() {
		if Decide(call, Settings{Rules: rules, Index: index}).Decision != Ask {
			b.Fatal("did not ask")
		}
	}
}
