// Package houndcli is the command set of hound: one file per verb, over package
// guard.
//
// Invariants:
//
//   - Success prints one JSON object on standard output, failure one on standard
//     error, both in canonical form; a person at a terminal reads sentences and
//     diffs instead.
//   - Exit codes are 0 for done, 1 for a failed driver, run or record, 2 for
//     usage, broken contracts and drift, 3 for what waits for a person, 130 when
//     interrupted.
//   - Documents are written once, with mode 0600; nothing is overwritten.
package houndcli

import (
	"context"
	"runtime/debug"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
)

// Name is what the program calls itself.
const Name = "hound"

// The groups of the help text.
const (
	groupDriver = "drivers"
	groupWrite  = "guarded writes"
	groupRecord = "records"
	groupProof  = "proofs for others"
)

// Main runs the program in this process, which may be one that was started to
// supervise a driver.
func Main() int {
	inv := cli.Process()
	if code, handled := proc.SupervisorMain(append([]string{inv.Program}, inv.Args...)); handled {
		return code
	}
	haste()
	return App().Run(context.Background(), inv)
}

// haste has memory collected late: a call is over soon, and a large repository
// would be gone through again and again for nothing. Beyond roomy it is as usual.
func haste() {
	const roomy = 1 << 30
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(roomy)
}

// App returns the program.
func App() cli.App {
	return cli.App{
		Name:            Name,
		Short:           "guard what programs change in a repository, and keep records that verify",
		Protocol:        hound.SchemaProtocol,
		Kernel:          hound.Version,
		Groups:          []string{groupDriver, groupWrite, groupRecord, groupProof},
		Verbs:           verbs(),
		Failure:         failure,
		Layout:          layOut,
		FailureToStderr: true,
		JSONWhenPiped:   true,
		UsageExit:       hound.ExitRefused,
	}
}

func verbs() []cli.Verb {
	return []cli.Verb{
		{Name: "driver", Group: groupDriver, Short: "check a driver, or write a new one", New: driverCommand},
		{Name: "invoke", Group: groupDriver, Short: "run a read and keep its receipt", TakesJSON: true, New: invokeCommand},

		{Name: "plan", Group: groupWrite, Short: "have a driver say exactly what it would change", TakesJSON: true, New: planCommand},
		{Name: "show", Group: groupWrite, Short: "show a plan, file by file", New: showCommand},
		{Name: "explain", Group: groupWrite, Short: "say whether a plan still holds, and what moved", New: explainCommand},
		{Name: "approve", Group: groupWrite, Short: "agree to one plan", New: approveCommand},
		{Name: "execute", Group: groupWrite, Short: "carry out a plan that still holds", New: executeCommand},

		{Name: "verify", Group: groupRecord, Short: "check the record of a run or a read", New: verifyCommand},
		{Name: "runs", Group: groupRecord, Short: "list the records of runs", New: runsCommand},
		{Name: "gc", Group: groupRecord, Short: "remove old records and keep their digests", New: gcCommand},

		{Name: "identity", Group: groupProof, Short: "make, show and change the key that signs", New: identityCommand},
		{Name: "anchor", Group: groupProof, Short: "log a record, under a checkpoint that others can keep", New: anchorCommand},
		{Name: "export", Group: groupProof, Short: "say in a signed statement what a run made", New: exportCommand},

		{Name: "doctor", Short: "say whether everything is there that hound needs", New: doctorCommand},
	}
}

// layOut is the form of whatever a command prints: canonical JSON, results and
// failures alike. Only where a name is no text is it what comes closest.
func layOut(v any) ([]byte, error) {
	data, err := document.Canonical(v)
	if err == nil {
		return data, nil
	}
	if data, err = canon.MarshalLossy(v); err != nil {
		return nil, err
	}
	return canon.Canonical(data, document.Limits())
}

// failureBody is how a failure is laid out.
type failureBody struct {
	Code          string   `json:"code,omitzero"`
	Error         string   `json:"error"`
	Hint          string   `json:"hint,omitzero"`
	Next          []string `json:"next,omitempty"`
	SchemaVersion string   `json:"schema_version"`
}

func failure(f *fault.Error) any {
	return failureBody{SchemaVersion: hound.SchemaError, Error: f.Message, Code: f.Code, Hint: f.Hint, Next: f.Next}
}
