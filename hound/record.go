package hound

import "encoding/json"

// Cleanup says how it was made sure that nothing of a driver is left running.
type Cleanup struct {
	// Method is what found the descendants, such as "pid-namespace".
	Method string `json:"method"`
	// Proven says that the method leaves no way out; otherwise it was best effort.
	Proven bool `json:"proven"`
	// Killed counts the processes that were still there.
	Killed int `json:"killed"`
}

// Confinement says what kept a reading driver from changing the repository.
type Confinement string

// The two kinds of confinement of a receipt.
const (
	ConfinementPrevented Confinement = "prevented" // the repository was read-only
	ConfinementDetected  Confinement = "detected"  // snapshots before and after agree
)

// ReceiptRepository is the part of the fingerprint that a receipt names.
type ReceiptRepository struct {
	Head              string `json:"head"`
	FingerprintSHA256 string `json:"fingerprint_sha256"`
}

// Receipt binds a read to everything it depended on. Version 1 has neither
// Cleanup nor Confinement.
type Receipt struct {
	SchemaVersion     string            `json:"schema_version"`
	Manifest          json.RawMessage   `json:"manifest"`
	ManifestSHA256    string            `json:"manifest_sha256"`
	Repository        ReceiptRepository `json:"repository"`
	EnvironmentSHA256 string            `json:"environment_sha256"`
	Kernel            Kernel            `json:"kernel"`
	Request           json.RawMessage   `json:"request"`
	RequestSHA256     string            `json:"request_sha256"`
	ResponseSHA256    string            `json:"response_sha256"`
	Cleanup           *Cleanup          `json:"cleanup,omitzero"`
	Confinement       Confinement       `json:"confinement,omitzero"`
	ReceiptID         string            `json:"receipt_id,omitzero"`
}

// RunPending stands for a record of a run that has not ended.
type RunPending struct {
	SchemaVersion string `json:"schema_version"`
	PlanID        string `json:"plan_id"`
	Record        string `json:"record"` // "result" or "index"
}

// RunResult is how an execution ended, hound.run.result.v2. Data is there when
// the run is ok, Error when it is not, Effects when the plan has expected
// effects.
type RunResult struct {
	SchemaVersion  string            `json:"schema_version"`
	PlanID         string            `json:"plan_id"`
	Outcome        Outcome           `json:"outcome"`
	OK             bool              `json:"ok"`
	ChangedPaths   []string          `json:"changed_paths"`
	DriverResponse json.RawMessage   `json:"driver_response"`
	Effects        *[]ExpectedEffect `json:"effects,omitzero"`
	Data           json.RawMessage   `json:"data,omitzero"`
	Error          string            `json:"error,omitzero"`
	// RunDir is part of what the command prints and of no record.
	RunDir string `json:"run_dir,omitzero"`
}

// RunIndex names the files of a run record and their hashes, itself excepted.
type RunIndex struct {
	SchemaVersion string            `json:"schema_version"`
	PlanID        string            `json:"plan_id"`
	Files         map[string]string `json:"files"`
}

// Verification is the answer about a record that verifies.
type Verification struct {
	SchemaVersion string   `json:"schema_version"`
	Valid         bool     `json:"valid"`
	Failures      []string `json:"failures"`
	PlanID        string   `json:"plan_id,omitzero"`
	ReceiptID     string   `json:"receipt_id,omitzero"`
}
