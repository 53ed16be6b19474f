package access

import (
	"fmt"
	"testing"

	"bridle/hcp"
)

// call is the call of the tables: ledger.transfer with a payee and an amount, and
// without a memo.
func call(col column, confirmed bool) Request {
	return Request{
		PackID: "ledger", Key: "transfer", Operation: col.op, Confirm: col.confirm,
		Args: hcp.Args{"payee": "demo", "amount": "2.80"}, Confirmed: confirmed,
	}
}

// tableCondition is what stands behind --when, --max or --op, and whether it holds
// for the call. There is one that holds and one that fails of each, and one that
// names an argument which the call does not have.
type tableCondition struct {
	name  string
	when  *hcp.AccessWhen
	holds func(col column) bool
}

func yes(column) bool { return true }
func no(column) bool  { return false }

var tableConditions = []tableCondition{
	{"no condition", nil, yes},
	{"payee=demo", &hcp.AccessWhen{Args: map[string]any{"payee": "demo"}}, yes},
	{"payee=other", &hcp.AccessWhen{Args: map[string]any{"payee": "other"}}, no},
	{"memo=rent", &hcp.AccessWhen{Args: map[string]any{"memo": "rent"}}, no},
	{"max amount=5", &hcp.AccessWhen{Max: map[string]jsonNumber{"amount": "5"}}, yes},
	{"max amount=1", &hcp.AccessWhen{Max: map[string]jsonNumber{"amount": "1"}}, no},
	{"max fee=5", &hcp.AccessWhen{Max: map[string]jsonNumber{"fee": "5"}}, no},
	{"op write", &hcp.AccessWhen{Op: hcp.OperationWrite}, func(col column) bool { return col.op == hcp.OperationWrite }},
}

// tableRule is a rule of the tables.
type tableRule struct {
	match     string
	condition *tableCondition
	decision  Decision
}

func (r tableRule) String() string {
	return fmt.Sprintf("%s %s (%s)", r.decision, r.match, r.condition.name)
}

func (r tableRule) written() hcp.AccessRule {
	return hcp.AccessRule{Match: r.match, Decision: string(r.decision), When: r.condition.when}
}

// tableRules are all rules that the conditions make.
func tableRules(conditions []tableCondition) []tableRule {
	var all []tableRule
	for _, match := range []string{"*", "ledger.*", "ledger.transfer"} {
		for i := range conditions {
			for _, d := range []Decision{Allow, Ask, Deny} {
				all = append(all, tableRule{match, &conditions[i], d})
			}
		}
	}
	return all
}

// outcome is what the page says about a call.
type outcome struct {
	decision Decision
	by       By
	reason   ReasonCode
}

// decided is what the rules say: one denies, or one allows or asks, by a name of
// the command or not, or none decides.
type decided struct{ denies, allows, asks, byName bool }

// ruled is the page on rules, sentence by sentence. It keeps sets and strikes out
// of them, where the code ranks.
func ruled(rules []tableRule, col column) decided {
	// "a rule whose conditions fail does not apply"
	applying := only(rules, func(r tableRule) bool { return r.condition.holds(col) })
	// "A matching deny rule refuses the command."
	if len(only(applying, func(r tableRule) bool { return r.decision == Deny })) > 0 {
		return decided{denies: true}
	}
	// "an exact command beats pack.*, which beats *"
	deciding := applying
	for _, match := range []string{"ledger.transfer", "ledger.*", "*"} {
		if named := only(applying, func(r tableRule) bool { return r.match == match }); len(named) > 0 {
			deciding = named
			break
		}
	}
	// "a rule with conditions beats one without"
	if conditional := only(deciding, func(r tableRule) bool { return r.condition.when != nil }); len(conditional) > 0 {
		deciding = conditional
	}
	// "and ask wins a tie"
	asks := len(only(deciding, func(r tableRule) bool { return r.decision == Ask })) > 0
	allows := len(deciding) > 0 && !asks
	return decided{allows: allows, asks: asks, byName: allows && deciding[0].match == "ledger.transfer"}
}

// said is the page on modes and approvals after the rules.
func said(d decided, mode Mode, approvals Approvals, col column, confirmed bool) outcome {
	if d.denies {
		return outcome{decision: Deny}
	}
	var reason ReasonCode
	switch {
	case col.confirm == hcp.ConfirmAlways:
		// "asks in every mode", and "Only an allow rule a person wrote naming the
		// command exactly lets it run without a question"
		if !d.byName {
			reason = "confirm_always"
		}
	case d.asks:
		reason = "rule_ask"
	case d.allows:
	case table[mode][columnIndex(col)]: // "With no matching rule, the mode decides."
		reason = reasonOf(mode, col)
	}
	switch {
	case reason == "" && d.allows:
		return outcome{Allow, ByRule, ""}
	case reason == "":
		return outcome{Allow, ByMode, ""}
	case approvals == ApprovalsAgent && confirmed: // "The agent passing confirm=true"
		return outcome{Allow, ByAgent, reason}
	}
	return outcome{Ask, "", reason}
}

func only(rules []tableRule, keep func(tableRule) bool) []tableRule {
	var kept []tableRule
	for _, r := range rules {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

func columnIndex(c column) int {
	for i := range columns {
		if columns[i] == c {
			return i
		}
	}
	return -1
}

// sets calls f with every set of up to two rules under every condition, and every
// set of three under the conditions on arguments; in both orders, so that the
// place in the file decides nothing.
func sets(f func(set []tableRule)) {
	f(nil)
	all := tableRules(tableConditions)
	for i := range all {
		f(all[i : i+1])
		for j := range all {
			if j != i {
				f([]tableRule{all[i], all[j]})
			}
		}
	}
	few := tableRules(tableConditions[:4])
	for i := range few {
		for j := i + 1; j < len(few); j++ {
			for k := j + 1; k < len(few); k++ {
				f([]tableRule{few[k], few[i], few[j]})
			}
		}
	}
}

var (
	allModes     = []Mode{ModeManual, ModeAuto, ModeRun}
	allApprovals = []Approvals{ApprovalsAgent, ApprovalsHuman}
	bothWays     = []bool{false, true}
)

// Every combination of mode, Policy confirm, rule set, approvals and what the
// invoker says, generated.
func TestTruthTableOfModesConfirmRulesApprovalsAndInvoker(t *testing.T) {
	rows, seen := 0, map[outcome]int{}
	sets(func(set []tableRule) {
		rules := make([]Rule, len(set))
		for i, r := range set {
			rules[i] = NewRule(r.written(), User, i)
		}
		for _, col := range columns {
			byRules := ruled(set, col)
			for _, mode := range allModes {
				for _, approvals := range allApprovals {
					for _, confirmed := range bothWays {
						rows++
						want := said(byRules, mode, approvals, col, confirmed)
						seen[want]++
						got := Decide(call(col, confirmed), Settings{mode, approvals, rules, nil})
						if (outcome{got.Decision, got.By, got.ReasonCode}) != want {
							t.Fatalf("%s %s %s confirmed=%v %v: got %+v, want %+v", mode, col.name, approvals, confirmed, set, got, want)
						}
						if want.decision == Deny && got.Code != "denied_by_rule" || want.decision == Ask && got.Code != "confirm_required" || got.Reason == "" {
							t.Fatalf("%+v", got)
						}
					}
				}
			}
		}
	})
	// Each outcome that the page knows is among the rows: a table that lost a part
	// of itself would not be seen otherwise.
	if rows < 500_000 || len(seen) != 11 {
		t.Fatalf("%d rows with %d outcomes: %v", rows, len(seen), seen)
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
	transfer := call(columns[3], false)
	index := NewIndex(rules)
	for b.Loop() {
		if Decide(transfer, Settings{Rules: rules, Index: index}).Decision != Ask {
			b.Fatal("did not ask")
		}
	}
}
