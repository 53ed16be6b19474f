package record

import (
	"bridle/hound"
	"bridle/internal/hound/approval"
	"bridle/internal/hound/document"
	"bridle/internal/hound/plan"
)

// Verified is what a run record says, after it was found to verify. It is made
// of the bytes that were checked, so that nothing can change in between.
type Verified struct {
	Plan     *plan.Plan
	Approval *hound.Approval // nil where the gate asks for none
	Result   hound.RunResult
	// IndexSHA256 is the digest of the index, and by it of the whole record.
	IndexSHA256 string
}

// ReadRun verifies the record in a directory and returns what it says.
func ReadRun(path string) (*Verified, error) {
	v, err := verified(path)
	if err != nil {
		return nil, err
	}
	r, err := readResult(v.files[hound.ResultFile])
	if err != nil {
		return nil, unreadable(path, err)
	}
	out := &Verified{Result: r.RunResult, IndexSHA256: document.Sum(v.files[hound.IndexFile])}
	if out.Plan, err = plan.ParseRecorded(v.files[hound.PlanFile]); err != nil {
		return nil, unreadable(path, err)
	}
	if data, there := v.files[hound.ApprovalFile]; there {
		a, err := approval.Parse(data)
		if err != nil {
			return nil, unreadable(path, err)
		}
		out.Approval = &a.Approval
	}
	return out, nil
}
