package anchor

import (
	"cmp"
	"slices"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/fault"
)

// The names of an in-toto statement about a run.
const (
	PayloadType   = "application/vnd.in-toto+json"
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "urn:bridle:hound:run:v1"
)

// Statement is an in-toto statement, version 1.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     Predicate `json:"predicate"`
}

// Subject is a file as a run left it.
type Subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// Predicate says how the subjects came to be.
type Predicate struct {
	PlanID         string                  `json:"plan_id"`
	RecordSHA256   string                  `json:"record_sha256"`
	DriverID       string                  `json:"driver_id"`
	ManifestSHA256 string                  `json:"driver_manifest_sha256"`
	Operation      string                  `json:"operation"`
	AsOf           string                  `json:"as_of"`
	InputSHA256    string                  `json:"input_sha256"`
	Kernel         hound.Kernel            `json:"kernel"`
	Repository     hound.ReceiptRepository `json:"repository"`
	Outcome        hound.Outcome           `json:"outcome"`
	ChangedPaths   []string                `json:"changed_paths"`
	Effects        []hound.ExpectedEffect  `json:"effects"`
	Approval       *hound.Approval         `json:"approval"`
}

// Attest is the statement about the run whose record lies in a directory, in
// canonical JSON.
func Attest(path string) ([]byte, error) {
	run, err := record.ReadRun(path)
	if err != nil {
		return nil, err
	}
	if !run.Result.OK {
		return nil, fault.Newf(CodeNoSubject, "the run %q failed, so nothing can be said of what it made", path).
			WithHint("hound verify shows the record to be whole all the same")
	}
	s := Statement{Type: StatementType, PredicateType: PredicateType, Predicate: predicate(run)}
	s.Subject = subjects(s.Predicate.Effects)
	if len(s.Subject) == 0 {
		return nil, fault.Newf(CodeNoSubject, "the run %q made and changed no file whose bytes were planned", path).
			WithHint("a statement is about files; the record itself can be anchored")
	}
	return document.Canonical(s)
}

func predicate(run *record.Verified) Predicate {
	p := run.Plan
	out := Predicate{
		PlanID: p.PlanID, RecordSHA256: run.IndexSHA256, DriverID: p.DriverID, ManifestSHA256: p.DriverManifestSHA256,
		Operation: p.Operation, AsOf: p.AsOf, InputSHA256: p.InputSHA256, Kernel: p.Kernel,
		Repository: hound.ReceiptRepository{Head: p.RepoFingerprint.Head, FingerprintSHA256: p.RepoFingerprint.FingerprintSHA256},
		Outcome:    run.Result.Outcome, ChangedPaths: run.Result.ChangedPaths, Effects: []hound.ExpectedEffect{}, Approval: run.Approval,
	}
	if run.Result.Effects != nil {
		out.Effects = slices.SortedFunc(slices.Values(*run.Result.Effects), func(a, b hound.ExpectedEffect) int { return cmp.Compare(a.Path, b.Path) })
	}
	return out
}
