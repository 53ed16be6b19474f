package hcpruntime_test

import (
	"context"
	"fmt"

	"bridle/hcp"
	hcpruntime "bridle/hcp/runtime"
)

func Example() {
	ctx := context.Background()
	r, err := hcpruntime.Create(ctx, hcpruntime.Options{PackDirs: []string{"../../packs/transit", "../../packs/ledger"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	if err := r.Activate(ctx, "transit", "ledger"); err != nil {
		fmt.Println(err)
		return
	}
	read := r.Exec(ctx, "transit", "find", hcp.Args{"query": "Central"})
	fmt.Println(read.OK)

	transfer := hcp.Args{"amount": "2.80", "payee": "demo-transit"}
	asked := r.Exec(ctx, "ledger", "transfer", transfer)
	fmt.Println(asked.OK, asked.Error, asked.Code)
	fmt.Println(asked.Preview.CLI)
	// Output:
	// true
	// false confirm required confirm_required
	// ledger transfer 2.80 --to demo-transit --confirm
}

// Grants say who may cause which effect; a denial is a result.
func ExampleRuntime_Exec_denied() {
	ctx := context.Background()
	r, err := hcpruntime.Create(ctx, hcpruntime.Options{PackDirs: []string{"../../packs/ledger"}, Grants: []hcp.Grant{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	fmt.Println(r.Exec(ctx, "ledger", "list", nil).Error)
	if err := r.Activate(ctx, "ledger"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Exec(ctx, "ledger", "list", nil).Error)
	// Output:
	// pack ledger not activated
	// denied: missing verb.exec.read for ledger.list
}

// A host that collected a person's yes in its own interface says so for exactly
// this call.
func ExampleRuntime_ExecApproved() {
	ctx := context.Background()
	r, err := hcpruntime.Create(ctx, hcpruntime.Options{
		Runtime: hcpruntime.ProprietaryStub,
		Packs:   load("../../packs/ledger"),
		Access:  hcpruntime.Access{Approvals: "human"},
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
	args := hcp.Args{"amount": "2.80", "payee": "demo-transit", "confirm": true}
	fmt.Println(r.Exec(ctx, "ledger", "transfer", args).Error)
	fmt.Println(r.ExecApproved(ctx, "ledger", "transfer", args, hcp.HostApproval{By: "human", ID: "ui-7"}).OK)
	// Output:
	// confirm required
	// true
}

// Composite packs run code of the program.
func ExampleOptions_handlers() {
	ctx := context.Background()
	r, err := hcpruntime.Create(ctx, hcpruntime.Options{PackDirs: []string{"../../packs/echo"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	if err := r.Activate(ctx, "echo"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(r.ExecJSON(ctx, []byte(`{"surface_id":"echo","verb_key":"echo.say","args":{"message":"hi"}}`)).Result))
	// Output:
	// {"ok":true,"message":"hi"}
}

func ExampleRuntime_Availability() {
	ctx := context.Background()
	r, err := hcpruntime.Create(ctx, hcpruntime.Options{
		PackDirs: []string{"../../packs/ledger"},
		Grants:   []hcp.Grant{{Capability: hcp.CapExecRead}},
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
	report, err := r.Availability(ctx, "ledger")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status, report.Ready)
	for _, command := range report.Verbs {
		if !command.Executable {
			fmt.Println(command.VerbKey, command.Reason)
		}
	}
	// Output:
	// [installed activated executable] true
	// setup.apply missing verb.exec.write
	// setup.update missing verb.exec.write
	// connect missing pack.connect
	// transfer missing verb.exec.write
}

func load(dir string) []*hcpruntime.Pack {
	p, err := hcpruntime.LoadPack(dir)
	if err != nil {
		panic(err)
	}
	return []*hcpruntime.Pack{p}
}
