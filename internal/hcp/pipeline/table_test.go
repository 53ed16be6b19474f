package pipeline

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/approval"
)

// The columns of the page's table of modes, as commands of the world, and whether
// each asks in the three modes.
var tableColumns = []struct {
	key  string
	asks map[access.Mode]bool
}{
	{"list", map[access.Mode]bool{access.ModeManual: true}},
	{"send", map[access.Mode]bool{access.ModeManual: true}},
	{"post", map[access.Mode]bool{access.ModeManual: true, access.ModeAuto: true}},
	{"pay", map[access.Mode]bool{access.ModeManual: true, access.ModeAuto: true, access.ModeRun: true}},
}

// tableRule is the one rule of a row, or none.
type tableRule struct {
	there     bool
	match     string // with KEY for the command
	decision  access.Decision
	when      *hcp.AccessWhen
	condition bool // whether the condition holds
}

func tableRules() []tableRule {
	all := []tableRule{{}}
	for _, match := range []string{"*", "desk.*", "desk.KEY"} {
		for _, d := range []access.Decision{access.Allow, access.Ask, access.Deny} {
			all = append(all,
				tableRule{true, match, d, &hcp.AccessWhen{Args: map[string]any{"to": "ann"}}, true},
				tableRule{true, match, d, &hcp.AccessWhen{Args: map[string]any{"to": "bob"}}, false},
				tableRule{true, match, d, &hcp.AccessWhen{Args: map[string]any{"note": "rent"}}, false}) // the call has none
		}
	}
	return all
}

// settableClock is the time of a test.
type settableClock struct{ now time.Time }

func (c *settableClock) Now() time.Time { return c.now }

// table is a world with real approvals and a log of one line.
type table struct {
	*world
	clock *settableClock
	store *approval.Memory
	desk  *approval.Desk
	p     *Pipeline
	last  hcp.AuditEvent
	ran   int
}

func newTable(t *testing.T) *table {
	tb := &table{world: newWorld(t), clock: &settableClock{epoch}, store: &approval.Memory{}}
	tb.desk = approval.New(tb.store, tb.clock)
	desk := tb.packs["desk"]
	for _, column := range tableColumns { // without words, which only take time to read
		desk.Manifest.Verbs.Set(column.key, hcp.Command{Args: json.RawMessage(`{"properties":{"to":{},"note":{}}}`)})
	}
	entry := desk.Policy.Verbs["send"]
	entry.Confirm = hcp.ConfirmAsk
	desk.Policy.Verbs["post"] = entry
	tb.options.Clock, tb.options.Approvals, tb.options.Audit = tb.clock, tb.desk, tb
	tb.options.Adapters = map[hcp.Kind]adapter.Adapter{hcp.KindComposite: adapter.Func(func(context.Context, adapter.Request) adapter.Outcome {
		tb.ran++
		return adapter.Outcome{Started: true}
	})}
	tb.p = New(tb.options)
	return tb
}

func (tb *table) Record(_ context.Context, e hcp.AuditEvent, _ bool) error {
	tb.last = e
	return nil
}

func (tb *table) call(key string, args hcp.Args, host *hcp.HostApproval) hcp.ExecResult {
	return tb.p.Exec(tb.t.Context(), Call{PackID: "desk", Key: key, Args: args, Approval: host})
}

// stored is what the book holds before the call of a row.
type stored struct {
	name string
	// make brings a request for the command into that state and returns its id.
	make func(tb *table, key string) string
	// late is how much later the call comes.
	late time.Duration
}

func (tb *table) asked(key string, args hcp.Args) string {
	tb.access = access.Settings{Mode: access.ModeManual, Approvals: access.ApprovalsHuman}
	r := tb.call(key, args, nil)
	if r.ApprovalID == "" {
		tb.t.Fatalf("%+v", r)
	}
	return r.ApprovalID
}

func (tb *table) decided(key string, args hcp.Args, yes bool) string {
	id := tb.asked(key, args)
	if _, err := tb.desk.Decide(tb.t.Context(), id, yes); err != nil {
		tb.t.Fatal(err)
	}
	return id
}

var (
	toAnn    = hcp.Args{"to": "ann"}
	storings = []stored{
		{name: "none", make: func(*table, string) string { return "" }},
		{name: "open", make: func(tb *table, key string) string { return tb.asked(key, toAnn) }},
		{name: "approved", make: func(tb *table, key string) string { return tb.decided(key, toAnn, true) }},
		{name: "rejected", make: func(tb *table, key string) string { return tb.decided(key, toAnn, false) }},
		{name: "used", make: func(tb *table, key string) string {
			id := tb.decided(key, toAnn, true)
			if r := tb.call(key, toAnn, nil); !r.OK {
				tb.t.Fatalf("%+v", r)
			}
			return id
		}},
		{name: "cancelled", make: func(tb *table, key string) string {
			id := tb.asked(key, toAnn)
			if err := tb.desk.Cancel(tb.t.Context(), id); err != nil {
				tb.t.Fatal(err)
			}
			return id
		}},
		{name: "approved, expired", late: approval.Lifetime, make: func(tb *table, key string) string { return tb.decided(key, toAnn, true) }},
		{name: "rejected, expired", late: approval.Lifetime, make: func(tb *table, key string) string { return tb.decided(key, toAnn, false) }},
		{name: "approved with another argument", make: func(tb *table, key string) string {
			return tb.decided(key, hcp.Args{"to": "ann", "note": "x"}, true)
		}},
		{name: "approved for another", make: func(tb *table, key string) string {
			own := tb.scope
			defer func() { tb.scope = own }()
			tb.scope.Principal.ID = "user_43"
			return tb.decided(key, toAnn, true)
		}},
	}
	hosts = []*hcp.HostApproval{nil, {By: "human", ID: "ui-7"}, {By: "agent", ID: "ui-8"}}
)

// row is one combination.
type row struct {
	mode      access.Mode
	column    int
	rule      tableRule
	approvals access.Approvals
	confirmed bool
	stored    stored
	id        string // of what is stored
	host      *hcp.HostApproval
}

// said is what the page has for a row: the code of a refusal or "" where it runs,
// and who lets it run.
func (r *row) said() (code, by string) {
	applies := r.rule.there && r.rule.condition
	exactly := r.rule.match == "desk.KEY"
	column := tableColumns[r.column]
	asks := column.asks[r.mode]
	by = "mode"
	switch {
	case applies && r.rule.decision == access.Deny:
		return "denied_by_rule", ""
	case column.key == "pay" && !(applies && exactly && r.rule.decision == access.Allow):
		asks = true
	case applies && r.rule.decision == access.Ask:
		asks = true
	case applies && r.rule.decision == access.Allow:
		asks, by = false, "rule"
	}
	switch {
	case !asks:
		return "", by
	case r.host != nil && r.host.By == "human", r.stored.name == "approved":
		return "", "human"
	case r.stored.name == "rejected":
		return "rejected", ""
	case r.approvals == access.ApprovalsAgent && r.confirmed:
		return "", "agent"
	}
	return "confirm_required", ""
}

// Every combination of mode, Policy confirm, rule, approvals, what the agent and
// the host say, and what is stored, through the whole road: what runs, who let
// it, and what becomes of the stored answer.
func TestTruthTableOfStoredApprovals(t *testing.T) {
	if len(tableColumns) != 4 || len(storings) != 10 || len(tableRules()) != 28 || len(hosts) != 3 {
		t.Fatal("the table has another size")
	}
	for column := range tableColumns {
		t.Run(tableColumns[column].key, func(t *testing.T) {
			t.Parallel() // each has a world of its own
			tb, rows := newTable(t), 0
			for _, s := range storings {
				rows += tb.checkColumn(column, s)
			}
			if rows != 10*28*3*2*2*3 {
				t.Fatalf("%d rows", rows)
			}
		})
	}
}

// checkColumn checks every row of a column over what is stored, and counts them.
func (tb *table) checkColumn(column int, s stored) (rows int) {
	r := row{column: column, stored: s}
	tb.clock.now = epoch
	tb.keep(approval.Book{})
	r.id = s.make(tb, tableColumns[column].key)
	book, err := tb.store.Read(tb.t.Context())
	if err != nil {
		tb.t.Fatal(err)
	}
	for _, r.rule = range tableRules() {
		for _, r.mode = range []access.Mode{access.ModeManual, access.ModeAuto, access.ModeRun} {
			for _, r.approvals = range []access.Approvals{access.ApprovalsAgent, access.ApprovalsHuman} {
				for _, r.confirmed = range []bool{false, true} {
					for _, r.host = range hosts {
						rows++
						tb.keep(book)
						tb.check(&r)
					}
				}
			}
		}
	}
	return rows
}

// keep makes the book what is stored.
func (tb *table) keep(book approval.Book) {
	if err := tb.store.Update(tb.t.Context(), func(b *approval.Book) error {
		b.Latest, b.Records = book.Latest, append([]approval.Record{}, book.Records...)
		return nil
	}); err != nil {
		tb.t.Fatal(err)
	}
}

func (tb *table) check(r *row) {
	tb.t.Helper()
	key := tableColumns[r.column].key
	tb.clock.now = epoch.Add(r.stored.late)
	tb.access = access.Settings{Mode: r.mode, Approvals: r.approvals}
	if r.rule.there {
		match := r.rule.match
		if match == "desk.KEY" {
			match = "desk." + key
		}
		tb.access.Rules = []access.Rule{access.NewRule(hcp.AccessRule{Match: match, Decision: string(r.rule.decision), When: r.rule.when}, access.User, 0)}
	}
	args := hcp.Args{"to": "ann"}
	if r.confirmed {
		args["confirm"] = true
	}
	tb.ran, tb.last = 0, hcp.AuditEvent{}
	got := tb.call(key, args, r.host)
	code, by := r.said()
	if got.Code != code || got.OK != (code == "") || tb.ran != map[bool]int{true: 1}[code == ""] || tb.last.ApprovedBy != by {
		tb.t.Fatalf("%s of %+v: %q by %q and %d runs, want %q by %q", key, *r, got.Code, tb.last.ApprovedBy, tb.ran, code, by)
	}
	tb.checkStored(r, got, code, by)
}

// checkStored looks at what became of the stored answer: one that let the call
// run is used up, and nothing else is.
func (tb *table) checkStored(r *row, got hcp.ExecResult, code, by string) {
	tb.t.Helper()
	usedUp := by == "human" && r.stored.name == "approved" && (r.host == nil || r.host.By != "human")
	record, there, err := tb.desk.Find(tb.t.Context(), r.id)
	if err != nil {
		tb.t.Fatal(err)
	}
	want := map[string]approval.State{
		"open": approval.Open, "approved": approval.Approved, "rejected": approval.Rejected, "used": approval.Used,
		"cancelled": approval.Cancelled, "approved with another argument": approval.Approved, "approved for another": approval.Approved,
	}[r.stored.name]
	if usedUp {
		want = approval.Used
	}
	if there != (want != "") || record.State != want {
		tb.t.Fatalf("%+v: the stored answer is %q, want %q", *r, record.State, want)
	}
	switch {
	case code != "confirm_required":
	case got.ApprovalID == "" || (got.ApprovalID == r.id) != (r.stored.name == "open"):
		tb.t.Fatalf("%+v: asks with %q", *r, got.ApprovalID)
	case (len(got.Approval.Changed) > 0) != (r.stored.name == "approved with another argument" || r.stored.name == "approved for another"):
		tb.t.Fatalf("%+v: changed %q", *r, got.Approval.Changed)
	}
}
