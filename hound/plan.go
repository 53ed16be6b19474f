package hound

import "encoding/json"

// Kernel says which program made a document. Dependencies is always empty: the
// kernel has none.
type Kernel struct {
	Version      string            `json:"version"`
	SHA256       string            `json:"sha256"`
	Dependencies map[string]string `json:"dependencies"`
}

// Fingerprint is the state of the repository that a plan is bound to.
type Fingerprint struct {
	Head                    string            `json:"head"`
	IndexStateSHA256        string            `json:"index_state_sha256"`
	RefsStateSHA256         string            `json:"refs_state_sha256"`
	GitIntegrity            string            `json:"git_integrity"`
	GitSensitiveStateSHA256 string            `json:"git_sensitive_state_sha256"`
	StagedDiffSHA256        string            `json:"staged_diff_sha256"`
	UnstagedDiffSHA256      string            `json:"unstaged_diff_sha256"`
	Tracked                 map[string]string `json:"tracked"`
	Untracked               map[string]string `json:"untracked"`
	FingerprintSHA256       string            `json:"fingerprint_sha256,omitzero"`
}

// Plan binds a driver's proposal to everything it depends on, hound.plan.v2.
type Plan struct {
	SchemaVersion           string          `json:"schema_version"`
	DriverID                string          `json:"driver_id"`
	DriverManifestSHA256    string          `json:"driver_manifest_sha256"`
	DriverEnvironmentSHA256 string          `json:"driver_environment_sha256"`
	Kernel                  Kernel          `json:"kernel"`
	Operation               string          `json:"operation"`
	Effect                  Effect          `json:"effect"`
	Gate                    Gate            `json:"gate"`
	AsOf                    string          `json:"as_of"`
	Input                   json.RawMessage `json:"input"`
	InputSHA256             string          `json:"input_sha256"`
	RepoFingerprint         Fingerprint     `json:"repo_fingerprint"`
	WriteScopes             []string        `json:"write_scopes"`
	WriteScopeSHA256        string          `json:"write_scope_sha256"`
	Proposal                json.RawMessage `json:"proposal"`
	PlanID                  string          `json:"plan_id,omitzero"`
}

// Approval is a person's agreement to one plan, hound.approval.v1. It is a
// witness, not a signature.
type Approval struct {
	SchemaVersion    string  `json:"schema_version"`
	PlanID           string  `json:"plan_id"`
	DriverID         string  `json:"driver_id"`
	Operation        string  `json:"operation"`
	WriteScopeSHA256 string  `json:"write_scope_sha256"`
	Reviewer         string  `json:"reviewer"`
	ApprovedAt       string  `json:"approved_at"`
	ExpiresAt        *string `json:"expires_at,omitzero"`
	ApprovalID       string  `json:"approval_id,omitzero"`
}
