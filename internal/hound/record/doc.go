// Package record writes run records and checks records of runs and reads (Hound
// protocol, "Run record" and "Read invocation record").
//
// Invariants:
//
//   - A run has one directory, named by its plan, which appears whole before the
//     driver starts and is never used twice. Until the run has ended its result
//     and its index say that it is pending, so that a cut-off run cannot be taken
//     for one that ended.
//   - What the kernel knows is written again, from memory, after the driver: a
//     driver that edits its own record is found out and changes nothing.
//   - Documents are 0600 whatever the umask. A record holds nothing of its own
//     location: a copy verifies.
//   - Checking recomputes every hash and every relation between the documents.
//     That makes a record consistent, not authentic: whoever can rewrite all of
//     it can rewrite its hashes too.
package record

import (
	"bridle/hound"
	"bridle/internal/hound/approval"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/hound/plan"
)

// Run is what a record is made of, all but its result.
type Run struct {
	Manifest *manifest.Manifest
	Plan     *plan.Plan
	Approval *approval.Approval // nil unless the gate is human
}

// documents are the files that are known before the driver starts.
func (r Run) documents() (map[string][]byte, error) {
	request, err := document.Line(r.Plan.Request())
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		hound.ManifestFile: line(r.Manifest.Canonical),
		hound.PlanFile:     r.Plan.Line(),
		hound.RequestFile:  request,
	}
	if r.Plan.Gate == hound.GateHuman {
		files[hound.ApprovalFile] = line(r.Approval.Canonical)
	}
	return files, nil
}

// FileNames lists the files of a record, sorted.
func FileNames(gate hound.Gate) []string {
	if gate == hound.GateHuman {
		return []string{hound.ApprovalFile, hound.ManifestFile, hound.IndexFile, hound.PlanFile, hound.RequestFile, hound.ResultFile}
	}
	return []string{hound.ManifestFile, hound.IndexFile, hound.PlanFile, hound.RequestFile, hound.ResultFile}
}

// line is a canonical document as it stands in a file.
func line(canonical []byte) []byte {
	return append(append(make([]byte, 0, len(canonical)+1), canonical...), '\n')
}
