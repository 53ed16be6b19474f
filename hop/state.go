package hop

import "time"

// Role says why a state is another's parent.
type Role string

// The roles of a parent.
const (
	// RoleRunParent is the state that this one continues.
	RoleRunParent Role = "run_parent"
	// RoleCanonicalAnchor is the accepted state in force when a prompt was
	// recorded.
	RoleCanonicalAnchor Role = "canonical_anchor"
	// RoleCanonicalParent is the accepted state before an accepted one.
	RoleCanonicalParent Role = "canonical_parent"
	// RoleProposalParent is the proposal that an accepted state took in.
	RoleProposalParent Role = "proposal_parent"
	// RoleReverts is the accepted state whose effect an undo takes back.
	RoleReverts Role = "reverts"
	// RoleRestores is the accepted state whose tree an undo brings back.
	RoleRestores Role = "restores"
	// RoleIntegrationParent is the accepted state a failed landing was tried on.
	RoleIntegrationParent Role = "integration_parent"
)

// Parent is one edge of the graph. Order counts from 0 within a state.
type Parent struct {
	StateID string `json:"state_id"`
	Role    Role   `json:"role"`
	Order   int    `json:"order"`
}

// State is one occurrence in the history of a project. Trees and commits are
// git object ids in hexadecimal.
type State struct {
	ID                string    `json:"id"`
	Kind              Kind      `json:"kind"`
	TaskID            string    `json:"task_id,omitempty"`
	AttemptID         string    `json:"attempt_id,omitempty"`
	CanonicalAnchorID string    `json:"canonical_anchor_id,omitempty"`
	SourceTree        string    `json:"source_tree"`
	GitCommit         string    `json:"git_commit"`
	Prompt            string    `json:"prompt,omitempty"`
	Summary           string    `json:"summary,omitempty"`
	Agent             string    `json:"agent,omitempty"`
	Digest            string    `json:"digest"`
	CreatedAt         time.Time `json:"created_at"`
	Parents           []Parent  `json:"parents,omitempty"`
}

// Parent returns the first parent with the role, and whether there is one.
func (s *State) Parent(role Role) (string, bool) {
	for _, p := range s.Parents {
		if p.Role == role {
			return p.StateID, true
		}
	}
	return "", false
}

// Status is where a task or an attempt stands.
type Status string

// The statuses of attempts and tasks.
const (
	StatusActive           Status = "active"
	StatusProposed         Status = "proposed"
	StatusAccepted         Status = "accepted"
	StatusChangesRequested Status = "changes_requested"
	StatusFailed           Status = "failed"
	StatusCompleted        Status = "completed"
	StatusParked           Status = "parked"
	StatusReconciling      Status = "reconciling"
	StatusCancelled        Status = "cancelled"
	StatusRejected         Status = "rejected"
)

// Open reports whether work in this status may go on.
func (s Status) Open() bool {
	switch s {
	case StatusAccepted, StatusCompleted, StatusFailed, StatusCancelled, StatusRejected:
		return false
	default:
		return true
	}
}

// Task groups the prompts and attempts of one piece of work.
type Task struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Status    Status    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
}

// Attempt is one agent's approach to a task, in a workspace of its own.
type Attempt struct {
	ID          string    `json:"id"`
	TaskID      string    `json:"task_id"`
	Agent       string    `json:"agent,omitempty"`
	Workspace   string    `json:"workspace"`
	BaseStateID string    `json:"base_state_id"`
	HeadStateID string    `json:"head_state_id"`
	Status      Status    `json:"status"`
	CreatedAt   time.Time `json:"created_at"`
}

// Check is the evidence that a command ran on an exact tree. A command that a
// signal ended has exit code -1.
type Check struct {
	ID        string    `json:"id"`
	AttemptID string    `json:"attempt_id"`
	StateID   string    `json:"state_id,omitempty"`
	TreeHash  string    `json:"tree_hash"`
	Command   []string  `json:"command"`
	ExitCode  int       `json:"exit_code"`
	Output    string    `json:"output"`
	CreatedAt time.Time `json:"created_at"`
	// DurationMS is how long the command ran.
	DurationMS int64 `json:"duration_ms,omitzero"`
	// TimedOut says that the time limit ended the command.
	TimedOut bool `json:"timed_out,omitzero"`
	// Signal names the signal that ended the command.
	Signal string `json:"signal,omitempty"`
	// Leftovers counts the processes that the command left behind and that were
	// ended.
	Leftovers int `json:"leftovers,omitzero"`
	// OutputBytes is the size of the whole output where Output is a part of it.
	OutputBytes int64 `json:"output_bytes,omitzero"`
	// Redactions counts what was replaced in command and output.
	Redactions []Redaction `json:"redactions,omitempty"`
	// Seeds are the ignored paths that were put beside the tree.
	Seeds []string `json:"seeds,omitempty"`
	// Incomplete names what the tested checkpoint could not hold. The record of the
	// checkpoint has it; that of the evidence does not.
	Incomplete []Problem `json:"incomplete,omitempty"`
	// ReusedFrom is the earlier evidence that this one repeats.
	ReusedFrom string `json:"reused_from,omitempty"`
	// Key identifies tree, command, seeds and environment of the run.
	Key string `json:"key,omitempty"`
}

// Redaction counts what was replaced before anything was written down.
type Redaction struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// Exit codes of the hop program.
const (
	ExitOK          = 0
	ExitInternal    = 1
	ExitUsage       = 2
	ExitOverlap     = 20
	ExitHeadChanged = 21
	ExitValidation  = 22
	ExitUnsafeRoot  = 23
)
