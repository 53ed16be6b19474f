package hcp

import "encoding/json"

// Args are the arguments of a call by name. Values are what JSON has: string,
// bool, nil, json.Number, []any and map[string]any; integers and floats of Go
// are accepted from Go callers. Numbers keep their literal text until someone
// needs a number (2.80 stays 2.80).
type Args map[string]any

// Reserved argument names (§6.1). They steer the call and never reach argv.
const (
	ArgConfirm = "confirm"
	ArgApply   = "apply"
	ArgMode    = "mode"
	// ModeMock is the only value of ArgMode.
	ModeMock = "mock"
)

// ExecRequest is the exec envelope (§6.1).
type ExecRequest struct {
	PackID  string `json:"pack_id"`
	VerbKey string `json:"verb_key"`
	Args    Args   `json:"args,omitempty"`
}

// ExecResult is the result envelope (§6.2) with the fields that the published
// result schema adds. Result is the command's JSON output exactly as the
// command wrote it, or a JSON string with its text.
type ExecResult struct {
	OK         bool             `json:"ok"`
	PackID     string           `json:"pack_id"`
	VerbKey    string           `json:"verb_key"`
	CallID     string           `json:"call_id,omitempty"`
	Result     json.RawMessage  `json:"result,omitzero"`
	Error      string           `json:"error,omitempty"`
	Code       string           `json:"code,omitempty"`
	Hint       string           `json:"hint,omitempty"`
	Next       []string         `json:"next,omitempty"`
	Preview    *CallPreview     `json:"preview,omitempty"`
	Approval   *ApprovalRequest `json:"approval,omitempty"`
	ApprovalID string           `json:"approval_id,omitempty"`
	Access     *AccessNote      `json:"access,omitempty"`
	ExitCode   *int             `json:"exit_code,omitempty"`
	Notes      []string         `json:"notes,omitempty"`
	ReadMore   *ReadMore        `json:"read_more,omitempty"`
	Stdout     string           `json:"stdout,omitempty"`
	Stderr     string           `json:"stderr,omitempty"`
}

// CallPreview shows what a refused call would have run.
type CallPreview struct {
	Command string `json:"command"`
	Args    Args   `json:"args"`
	CLI     string `json:"cli,omitempty"`
}

// AccessNote says which access settings decided.
type AccessNote struct {
	Mode      string `json:"mode"`
	Reason    string `json:"reason"`
	Approvals string `json:"approvals"`
}

// ApprovalRequest is what a host shows a person before a call may run.
type ApprovalRequest struct {
	PackID     string    `json:"pack_id"`
	PackName   string    `json:"pack_name,omitempty"`
	Command    string    `json:"command"`
	Summary    string    `json:"summary,omitempty"`
	Operation  Operation `json:"operation"`
	Confirm    Confirm   `json:"confirm"`
	Args       []CallArg `json:"args"`
	CLI        string    `json:"cli,omitempty"`
	Reason     string    `json:"reason"`
	ReasonCode string    `json:"reason_code"`
	Mode       string    `json:"mode"`
	Approvals  string    `json:"approvals"`

	View    *ApprovalView    `json:"view,omitempty"`
	Options []ApprovalOption `json:"options,omitzero"`
	// ApprovalID and ExpiresAt are set where the runtime keeps approvals.
	ApprovalID string `json:"approval_id,omitempty"`
	ExpiresAt  string `json:"expires_at,omitempty"`
	// Changed says what is different from a call of this command that a person
	// approved, so that the approval does not cover this one.
	Changed []string `json:"changed,omitzero"`
}

// CallArg is one argument of a call with the pack's description of it.
type CallArg struct {
	Name        string `json:"name"`
	Value       any    `json:"value"`
	Description string `json:"description,omitempty"`
}

// ReadMore refers to output beyond what an envelope carries. Size is how
// many bytes of it can be read, Offset is where the envelope's part ended.
type ReadMore struct {
	Ref    string `json:"ref"`
	Stream string `json:"stream"`
	Size   int64  `json:"size"`
	Offset int64  `json:"offset"`
}

// SandboxMode is the execution posture (§10).
type SandboxMode string

// The two postures.
const (
	Sandboxed   SandboxMode = "sandbox"
	NativeLocal SandboxMode = "native-local"
)

// HostApproval is a host's statement that its own user interface collected a
// person's yes for exactly this call.
type HostApproval struct {
	By string `json:"by"`
	ID string `json:"id,omitempty"`
}
