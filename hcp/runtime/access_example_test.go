package hcpruntime_test

import (
	"context"
	"fmt"
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
	gate := hcpruntime.GateCommand(hcpruntime.GateInput{Pack: p, VerbKey: "transfer", Args: args})
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
