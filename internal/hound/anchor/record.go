package anchor

import (
	"os"

	"bridle/hound"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/seal"
)

// The kinds of records.
const (
	KindRun        = "run"
	KindInvocation = "invocation"
	KindStatement  = "statement"
)

// Record is a record that verifies, and its digest.
type Record struct {
	Kind         string
	ID           string // of the plan, of the receipt, or of the plan behind the run of a statement
	Digest       seal.Digest
	Verification *hound.Verification
}

// Read verifies a record: a run's directory, the saved result of a read, or an
// exported statement, which one of the keys must have signed.
func Read(path string, keys ...string) (Record, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Record{}, fault.Newf(hound.CodeUnreadable, "the record %q cannot be opened", path).Because(err).WithExit(hound.ExitRefused)
	}
	if !info.IsDir() {
		if IsStatement(path) {
			return readStatement(path, keys)
		}
		v, err := record.VerifyInvocation(path)
		if err != nil {
			return Record{}, err
		}
		digest, err := seal.ParseDigest(v.ReceiptID)
		return Record{Kind: KindInvocation, ID: v.ReceiptID, Digest: digest, Verification: v}, err
	}
	run, err := record.ReadRun(path)
	if err != nil {
		return Record{}, err
	}
	digest, err := seal.ParseDigest(run.IndexSHA256)
	return Record{Kind: KindRun, ID: run.Plan.PlanID, Digest: digest, Verification: &hound.Verification{
		SchemaVersion: hound.SchemaRunVerified, Valid: true, Failures: []string{}, PlanID: run.Plan.PlanID,
	}}, err
}
