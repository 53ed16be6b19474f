package hcpruntime_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"bridle/hcp"
	hcpruntime "bridle/hcp/runtime"
)

// The card of a call, as a terminal shows it.
func ExampleFormatApprovalView() {
	p := load("../../packs/ledger")[0]
	args := hcp.Args{"amount": "2.80", "payee": "demo-transit"}
	view := hcpruntime.ApprovalView(p, "transfer", args, hcp.ViewOptions{})
	fmt.Println(strings.Join(hcpruntime.FormatApprovalView(view, hcpruntime.DescribeCommand(p, "transfer", args).CLI), "\n"))
	// Output:
	// Pay demo-transit
	// · Moves money
	//   amount    2.80
	//   currency  EUR
	//   to        demo-transit
	//   from      Demo account DEMO-0001
	//
	//   $ ledger transfer 2.80 --to demo-transit --confirm
}

// A host that runs commands its own way asks first.
func ExampleGateCommand() {
	p := load("../../packs/ledger")[0]
	args, err := hcpruntime.ArgsFromArgv(p, "transfer", []string{"2.80", "--to", "demo-transit"})
	if err != nil {
		fmt.Println(err)
		return
	}
	gate := hcpruntime.GateCommand(context.Background(), hcpruntime.GateInput{Pack: p, VerbKey: "transfer", Args: args})
	fmt.Println(gate.Decision.Decision, gate.ReasonCode)
	fmt.Println(gate.Request.View.Title, gate.Request.View.Signals)
	for _, option := range gate.Request.Options {
		fmt.Println(option.Kind)
	}
	// Output:
	// ask confirm_always
	// Pay demo-transit [Moves money]
	// allow_once
	// reject_once
}

// With a store, the request waits for a person, and their yes counts for one run.
func ExampleGateCommand_approvals() {
	ctx := context.Background()
	approvals := hcpruntime.NewMemoryApprovals()
	in := hcpruntime.GateInput{
		Pack: load("../../packs/ledger")[0], VerbKey: "transfer", Args: hcp.Args{"amount": "2.80", "payee": "demo-transit"},
		Access: hcpruntime.Access{Approvals: "human"}, Approvals: approvals,
	}
	asked := hcpruntime.GateCommand(ctx, in)
	fmt.Println(asked.Decision.Decision, asked.Result.Code)
	fmt.Println(approvals.Approve(ctx, asked.ApprovalID))
	for range 2 {
		gate := hcpruntime.GateCommand(ctx, in)
		fmt.Println(gate.Decision.Decision, gate.By)
	}
	// Output:
	// ask confirm_required
	// <nil>
	// allow human
	// ask
}

// The layers of access.json and the environment, as a host of its own reads them.
func ExampleLoadEffectiveAccess() {
	home, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	user, _ := hcpruntime.AccessFiles(home, "")
	if err := hcpruntime.WriteAccessFile(context.Background(), user, hcpruntime.Access{Mode: "auto"}); err != nil {
		fmt.Println(err)
		return
	}
	env := hcpruntime.EnvAccess([]string{"HCP_MODE=run", "HCP_APPROVALS=human", "HCP_AGENT=1"})
	settings, ignored, err := hcpruntime.LoadEffectiveAccess(user, "", env)
	fmt.Println(settings.Mode, settings.Approvals, err)
	fmt.Println(ignored[0].Setting)
	// Output:
	// auto human <nil>
	// HCP_MODE=run
}

func ExampleDecideAccess() {
	rules := []hcp.AccessRule{{Match: "ledger.transfer", Decision: "deny", Note: "ask Ana"}}
	d := hcpruntime.DecideAccess(hcpruntime.AccessRequest{
		PackID: "ledger", VerbKey: "transfer", Operation: hcp.OperationWrite, Confirm: hcp.ConfirmAlways,
	}, hcpruntime.Access{Mode: "run", Rules: rules})
	fmt.Println(d.Decision, d.Code)
	fmt.Println(d.Reason)
	// Output:
	// deny denied_by_rule
	// the user rule 0 "ledger.transfer" (ask Ana) denies this command
}

func ExampleVerbArguments() {
	list, err := hcpruntime.VerbArguments(load("../../packs/ledger")[0], "transfer")
	for _, a := range list {
		fmt.Println(a.Name, a.Required)
	}
	fmt.Println(err)
	// Output:
	// amount true
	// payee true
	// memo false
	// <nil>
}

func ExampleLintCommandTitle() {
	p := load("../../packs/ledger")[0]
	for _, problem := range hcpruntime.LintCommandTitle(p, "transfer", []string{"amount"}) {
		fmt.Println(problem)
	}
	fmt.Println(len(hcpruntime.LintCommandTitle(p, "transfer", []string{"amount", "payee", "memo"})))
	// Output:
	// title.live names {{payee}}, which is no argument
	// title.done names {{payee}}, which is no argument
	// 0
}

// The preview to declare for a command, and what is wrong with a declared one.
func ExampleSuggestPreview() {
	p := load("../../packs/ledger")[0]
	preview := hcpruntime.SuggestPreview(p, "transfer", []string{"amount", "payee"})
	fmt.Println(preview.Kind, "|", preview.Title)
	// Output:
	// payment | Pay {{amount}} to {{payee}}
}

func ExampleLintApprovalPreview() {
	p := load("../../packs/ledger")[0]
	for _, problem := range hcpruntime.LintApprovalPreview(p, "transfer", []string{"amount", "payee"}) {
		fmt.Println(problem)
	}
	// Output:
	// preview field memo names {{memo}}, which is no argument of "transfer"
}

// The kinds of cards, the fields of one, and the data that cards are made by.
func ExampleApprovalViewKinds() {
	fmt.Println(hcpruntime.ApprovalViewKinds())
	fmt.Println(hcpruntime.ApprovalViewFields("payment"))
	fmt.Println(len(hcpruntime.DefaultViewRules()) > 0, len(hcpruntime.DefaultSignalRules()) > 0)
	// Output:
	// [message payment event removal publish record fields]
	// [amount currency to from memo]
	// true true
}

func ExampleApprovalOptions() {
	p := load("../../packs/echo")[0]
	args := hcp.Args{"message": "hello"}
	for _, option := range hcpruntime.ApprovalOptions(p, "echo.say", hcpruntime.ApprovalView(p, "echo.say", args, hcp.ViewOptions{}), args) {
		fmt.Print(option.Kind)
		if option.Rule != nil {
			fmt.Print(": ", option.Rule.Decision, " ", option.Rule.Match, " (", option.Rule.Note, ")")
		}
		fmt.Println()
	}
	// Output:
	// allow_once
	// reject_once
	// allow_session: allow echo.echo.say (session)
}

// What a log records of arguments can be found again with its key, and not
// without.
func ExampleArgsHash() {
	key := []byte("32 bytes that nobody else knows.")
	a := hcpruntime.ArgsHash(key, hcp.Args{"amount": "2.80", "payee": "demo-transit"})
	b := hcpruntime.ArgsHash(key, hcp.Args{"payee": "demo-transit", "amount": "2.80"})
	c := hcpruntime.ArgsHash(key, hcp.Args{"payee": "demo-transit", "amount": "2.81"})
	fmt.Println(len(a), a == b, a == c)
	// Output:
	// 64 true false
}

// Requests are kept until a person answers; an answer covers one run.
func ExampleNewMemoryApprovals() {
	ctx := context.Background()
	approvals := hcpruntime.NewMemoryApprovals()
	r, err := hcpruntime.Create(ctx, hcpruntime.Options{
		Runtime: hcpruntime.ProprietaryStub, Packs: load("../../packs/ledger"),
		Access: hcpruntime.Access{Approvals: "human"}, Approvals: approvals,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	if err := r.Activate(ctx, "ledger"); err != nil {
		fmt.Println(err)
		return
	}
	args := hcp.Args{"amount": "2.80", "payee": "demo-transit"}
	asked := r.Exec(ctx, "ledger", "transfer", args)
	fmt.Println(asked.Code, approvals.Approve(ctx, asked.ApprovalID))
	fmt.Println(r.Exec(ctx, "ledger", "transfer", args).OK, r.Exec(ctx, "ledger", "transfer", args).Code)
	// Output:
	// confirm_required <nil>
	// true confirm_required
}

func ExampleCommandTitle() {
	p := load("../../packs/ledger")[0]
	titles := hcpruntime.CommandTitle(p, "transfer", hcp.Args{"amount": "2.80", "payee": "demo-transit"}, nil)
	fmt.Println(titles.Live)
	// Output:
	// Paying 2.80 to demo-transit
}
