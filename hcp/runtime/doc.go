// Package hcpruntime opens an HCP runtime inside a Go program: packs from
// directories, a Principal and grants, and nothing else implicit.
//
//	r, err := hcpruntime.Create(ctx, hcpruntime.Options{PackDirs: []string{"packs/ledger"}})
//	…
//	defer r.Close()
//	err = r.Activate(ctx, "ledger")
//	result := r.Exec(ctx, "ledger", "transfer", hcp.Args{"amount": "2.80", "payee": "demo-transit"})
//	// result.Code == "confirm_required": nothing ran, result.Preview shows what would have
//
// Every call walks the pipeline of §6.3 whichever driver runs it: the
// reference-local driver, which spawns wrapped programs in a sandbox and runs
// composite commands in process; the proprietary-stub, which answers without
// running anything; or a Driver of the program's own. Denials are results, not
// errors.
//
// The package reads no environment variable, no clock but the system's, and no
// working directory: what a runtime needs of them stands in its Options. Without
// a StateDir, what wrapped programs keep in their private homes lives until
// Close.
package hcpruntime
