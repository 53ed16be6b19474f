package hound

import "encoding/json"

// Manifest is a driver manifest, hound.driver.v1.
type Manifest struct {
	SchemaVersion string                `json:"schema_version"`
	ID            string                `json:"id"`
	Protocol      string                `json:"protocol"`
	Owner         Owner                 `json:"owner"`
	Exec          []string              `json:"exec"`
	Capabilities  map[string]Capability `json:"capabilities"`
	RunRoot       string                `json:"run_root,omitzero"`
	WriteScopes   []string              `json:"write_scopes,omitzero"`
	// IgnoredSnapshotExcludes are prefixes of ignored files that no snapshot
	// looks at. Tracked files below them stay included.
	IgnoredSnapshotExcludes []string `json:"ignored_snapshot_excludes,omitzero"`
	// TimeoutsSeconds are by operation, or "default"; the values are literals.
	TimeoutsSeconds map[string]json.Number     `json:"timeouts_seconds,omitzero"`
	EnvAllowlist    []string                   `json:"env_allowlist,omitzero"`
	Extensions      map[string]json.RawMessage `json:"extensions,omitzero"`
	// Source is what research manifests before 0.4 had; the kernel keeps it
	// unread.
	Source json.RawMessage `json:"source,omitzero"`
}

// Owner says which repository the driver belongs to.
type Owner struct {
	// Repo leads from the manifest's folder to the root of the repository.
	Repo string `json:"repo"`
}

// Capability is one operation of a driver.
type Capability struct {
	Effect       Effect   `json:"effect"`
	Gate         Gate     `json:"gate"`
	EnvAllowlist []string `json:"env_allowlist,omitzero"`
}
