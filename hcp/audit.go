package hcp

// AuditEvent is one line of the audit log (§9.6). A write leaves two: the
// decision, made durable before a credential is minted or anything runs, and
// the outcome. Everything else leaves one. Values of arguments never enter:
// the line has their names and a keyed digest of them.
type AuditEvent struct {
	Time   string      `json:"time"`
	CallID string      `json:"call_id"`
	Action AuditAction `json:"action"`
	Stage  AuditStage  `json:"stage"`

	TenantID  string         `json:"tenant_id"`
	Principal AuditPrincipal `json:"principal"`
	ProjectID string         `json:"project_id,omitempty"`
	Binding   *AuditBinding  `json:"binding,omitempty"`

	PackID    string    `json:"pack_id"`
	VerbKey   string    `json:"verb_key,omitempty"`
	Operation Operation `json:"operation,omitempty"`
	Land      Land      `json:"land,omitempty"`

	Decision   AuditDecision `json:"decision"`
	Reason     string        `json:"reason,omitempty"`
	Code       string        `json:"code,omitempty"`
	Mode       string        `json:"mode,omitempty"`
	ApprovedBy string        `json:"approved_by,omitempty"`
	ApprovalID string        `json:"approval_id,omitempty"`

	Ran        bool   `json:"ran"`
	OK         bool   `json:"ok"`
	ExitCode   *int   `json:"exit_code,omitempty"`
	DurationMS *int64 `json:"duration_ms,omitempty"`

	ArgNames   []string `json:"arg_names,omitempty"`
	ArgsDigest string   `json:"args_digest,omitempty"`

	// Labels tie the line to records of a surrounding system, such as the
	// attempt in whose working copy the command ran.
	Labels map[string]string `json:"labels,omitempty"`
}

// AuditPrincipal is who acted. It never stands in for the Binding, nor the
// Binding for it (§8.7).
type AuditPrincipal struct {
	ID   string        `json:"id"`
	Kind PrincipalKind `json:"kind"`
}

// AuditBinding is what credential the call was about. Identity is empty until
// one was minted.
type AuditBinding struct {
	Mode     BindingMode `json:"mode"`
	Family   string      `json:"family,omitempty"`
	Identity string      `json:"identity,omitempty"`
}

// AuditAction is the kind of act a line attributes.
type AuditAction string

// The attributed acts.
const (
	AuditExec    AuditAction = "exec"
	AuditConnect AuditAction = "connect"
	AuditInstall AuditAction = "install"
)

// AuditStage says which part of an act a line records.
type AuditStage string

// The stages: a whole act in one line, or a write's two lines.
const (
	AuditWhole   AuditStage = "whole"
	AuditDecided AuditStage = "decision"
	AuditOutcome AuditStage = "outcome"
)

// AuditDecision is what was decided about an act.
type AuditDecision string

// The three decisions.
const (
	AuditAllow AuditDecision = "allow"
	AuditAsk   AuditDecision = "ask"
	AuditDeny  AuditDecision = "deny"
)
