package hound

import "encoding/json"

// Request is what a driver reads, hound.driver.request.v1.
type Request struct {
	SchemaVersion string          `json:"schema_version"`
	Mode          Mode            `json:"mode"`
	Operation     string          `json:"operation,omitzero"`
	AsOf          *string         `json:"as_of,omitzero"`
	Input         json.RawMessage `json:"input,omitzero"`
	PlanID        string          `json:"plan_id,omitzero"`
	DriverPlan    json.RawMessage `json:"driver_plan,omitzero"`
}

// Response is what a driver answers, hound.driver.response.v1. It is kept and
// hashed as it was given: Raw is its canonical JSON.
type Response struct {
	SchemaVersion string            `json:"schema_version"`
	OK            bool              `json:"ok"`
	Outcome       Outcome           `json:"outcome"`
	DataSchema    string            `json:"data_schema,omitzero"`
	Data          json.RawMessage   `json:"data,omitzero"`
	Artifacts     []json.RawMessage `json:"artifacts,omitzero"`
	Proofs        []json.RawMessage `json:"proofs,omitzero"`
	Diagnostics   []json.RawMessage `json:"diagnostics,omitzero"`

	Raw json.RawMessage `json:"-"`
}

// ExpectedEffect is one file that an operation is going to change. A creation
// has no hash before; a deletion has neither a hash after nor a mode.
type ExpectedEffect struct {
	Path         string  `json:"path"`
	Mode         *string `json:"mode"`
	BeforeSHA256 *string `json:"before_sha256"`
	AfterSHA256  *string `json:"after_sha256"`
}

// Artifact is the form in which a driver shows the bytes behind an effect. The
// kernel asks for none; what is shown is checked against the effect.
type Artifact struct {
	Path       string `json:"path"`
	SHA256     string `json:"sha256"`
	BodyBase64 string `json:"body_base64"`
}
