package hcp

// CallRecord is what a host shows of one call while it goes on (RFC 0007). A
// host gets one when the call starts to run and one when it has ended, or only
// the latter when nothing ran.
type CallRecord struct {
	CallID  string     `json:"call_id"`
	PackID  string     `json:"pack_id"`
	VerbKey string     `json:"verb_key"`
	Title   string     `json:"title,omitempty"`
	Effect  Operation  `json:"effect,omitempty"`
	Status  CallStatus `json:"status"`
	// Locations are the files that the call's words name, as the caller gave
	// them.
	Locations []string `json:"locations,omitempty"`
}

// CallStatus is the state of a call.
type CallStatus string

// The states. Only CallRunning is followed by another.
const (
	CallRunning          CallStatus = "running"
	CallCompleted        CallStatus = "completed"
	CallFailed           CallStatus = "failed"
	CallRefused          CallStatus = "refused"
	CallAwaitingApproval CallStatus = "awaiting_approval"
	CallCancelled        CallStatus = "cancelled"
)
