package hop

import (
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"
)

// Started is what begin, start and prompt answer: a prompt is recorded, and a
// workspace is ready for it.
type Started struct {
	Prompt     State       `json:"prompt"`
	Checkpoint *State      `json:"checkpoint,omitempty"`
	Task       Task        `json:"task"`
	Attempt    Attempt     `json:"attempt"`
	Workspace  string      `json:"workspace"`
	Deliver    []string    `json:"deliver"`
	Redactions []Redaction `json:"redactions,omitempty"`
	// Incomplete names what could not be recorded before the prompt: by the
	// checkpoint, or by the first accepted state of a new project.
	Incomplete []Problem `json:"incomplete,omitempty"`
	// External is the accepted state that took in commits made by the user.
	External *State   `json:"external,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Begun is what begin answers.
type Begun struct {
	Started
	Initialized bool   `json:"initialized"`
	SessionID   string `json:"session_id,omitempty"`
}

// Checkpointed is a checkpoint with what it could not hold.
type Checkpointed struct {
	State
	Incomplete []Problem `json:"incomplete,omitempty"`
}

// Proposed is a frozen result and the evidence that exists for its tree.
type Proposed struct {
	Proposal State    `json:"proposal"`
	Checks   []Check  `json:"checks"`
	Excluded []string `json:"excluded,omitempty"`
}

// Landed is a proposal that became accepted.
type Landed struct {
	State         State     `json:"state"`
	ProposalPaths []string  `json:"proposal_paths"`
	CurrentPaths  []string  `json:"current_paths"`
	Check         *Check    `json:"check,omitempty"`
	Proposals     []string  `json:"proposals,omitempty"`
	Rejected      []Refusal `json:"rejected,omitempty"`
	// Already says that the proposal had landed before; this is that result.
	Already bool `json:"already,omitzero"`
	// Attempts counts how often the landing was composed anew because the
	// accepted state moved meanwhile.
	Retries int `json:"retries,omitzero"`
	// Published is the remote that has it, too.
	Published string    `json:"published,omitempty"`
	Sync      *Synced   `json:"sync,omitempty"`
	RawPaths  []RawPath `json:"raw_paths,omitempty"`
	Take      string    `json:"take,omitempty"`
	Warnings  []string  `json:"warnings,omitempty"`
}

// Refusal is a proposal of a batch that did not land.
type Refusal struct {
	Proposal string   `json:"proposal"`
	Code     string   `json:"code"`
	Error    string   `json:"error"`
	Overlaps *Overlap `json:"overlap,omitempty"`
	Check    *Check   `json:"check,omitempty"`
	Failed   string   `json:"failed_state,omitempty"`
}

// Overlap says what two lines of work have in common.
type Overlap struct {
	Paths []OverlapPath `json:"paths"`
	Base  string        `json:"base_state_id,omitempty"`
	Head  string        `json:"accepted_state_id,omitempty"`
}

// OverlapPath is one path on which a landing is blocked.
type OverlapPath struct {
	Path string `json:"path"`
	// PathB64 is the name's bytes where they are not UTF-8.
	PathB64 string `json:"path_b64,omitempty"`
	Kind    string `json:"kind"`
	// Other is the path of the other side where it is another one.
	Other string `json:"other,omitempty"`
}

// The kinds of overlap.
const (
	// OverlapSame is a path that both sides changed to the same bytes.
	OverlapSame = "same_bytes"
	// OverlapSeparate is a path that both sides changed in separate places.
	OverlapSeparate = "separate_hunks"
	// OverlapConflict is a path whose changes contradict each other.
	OverlapConflict = "conflict"
	// OverlapPrefix is a file or link where the other side has a folder.
	OverlapPrefix = "file_and_directory"
	// OverlapTwin are two names that some file systems take for one.
	OverlapTwin = "same_name_when_folded"
)

// Problem is a path that a snapshot could not take.
type Problem struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"`
	Reason  string `json:"reason"`
}

// RawPath is a name that is not UTF-8, readable and exact.
type RawPath struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64"`
}

// ReadablePath returns a path as it can stand in JSON, and its bytes in base 64
// where they are not UTF-8.
func ReadablePath(path string) (readable, b64 string) {
	if utf8.ValidString(path) {
		return path, ""
	}
	return strings.ToValidUTF8(path, "\uFFFD"), base64.StdEncoding.EncodeToString([]byte(path))
}

// Overview is what status answers.
type Overview struct {
	Root         string    `json:"root"`
	AcceptedHead State     `json:"accepted_head"`
	Attempts     []Attempt `json:"attempts"`
	// RootStatus, RootState and RootPaths say what the visible folder holds, when
	// that was asked: the accepted state it was last in step with, and the paths
	// that the user changed since, or that a sync would write.
	RootStatus string   `json:"root_status,omitempty"`
	RootState  string   `json:"root_state_id,omitempty"`
	RootPaths  []string `json:"root_paths,omitempty"`
	// Shared are the open attempts of other machines.
	Shared []Attempt `json:"shared_attempts,omitempty"`
	// Stale are the open attempts that started from a commit which the user's
	// rewritten branch no longer has.
	Stale    []string `json:"stale_attempts,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// What the visible folder can be.
const (
	// RootInStep has exactly the accepted files.
	RootInStep = "synchronized"
	// RootStale has exactly the files of an earlier accepted state.
	RootStale = "stale"
	// RootDiverged has edits of the user's.
	RootDiverged = "diverged"
)

// Node is a state of the graph beside its parents.
type Node struct {
	State   State    `json:"state"`
	Parents []Parent `json:"parents"`
	// Answer says in short what was answered to a prompt.
	Answer string `json:"answer,omitempty"`
	// Runs are the commands that ran about the state.
	Runs []Run `json:"runs,omitempty"`
}

// Run is a piece of evidence in short.
type Run struct {
	ID       string   `json:"id"`
	Command  []string `json:"command"`
	ExitCode int      `json:"exit_code"`
}

// Environment is the environment contract for one state.
type Environment struct {
	State     string            `json:"state"`
	Attempt   string            `json:"attempt"`
	Workspace string            `json:"workspace"`
	Variables map[string]string `json:"variables"`
	Root      string            `json:"-"`
	Task      string            `json:"-"`
}

// The variables of the environment contract.
const (
	EnvRoot      = "HOP_ROOT"
	EnvState     = "HOP_STATE_ID"
	EnvTask      = "HOP_TASK_ID"
	EnvAttempt   = "HOP_ATTEMPT_ID"
	EnvWorkspace = "HOP_WORKSPACE"
	// EnvLockHeld marks a final validation to what runs in it.
	EnvLockHeld = "HOP_ACCEPTANCE_LOCK_HELD"
)

// EnvNames returns the variables of the contract in the order in which they are
// printed.
func EnvNames() []string {
	return []string{EnvRoot, EnvState, EnvTask, EnvAttempt, EnvWorkspace}
}

// Difference is what diff answers.
type Difference struct {
	State     string `json:"state"`
	Diff      string `json:"diff"`
	Against   string `json:"against,omitempty"`
	Truncated bool   `json:"truncated,omitzero"`
}

// Diagnosis is what doctor answers.
type Diagnosis struct {
	OK             bool     `json:"ok"`
	AcceptedState  string   `json:"accepted_state"`
	AcceptedCommit string   `json:"accepted_commit"`
	RefCommit      string   `json:"ref_commit,omitempty"`
	Repaired       bool     `json:"repaired"`
	Problems       []string `json:"problems,omitempty"`
	Repairs        []string `json:"repairs,omitempty"`
	Warnings       []string `json:"warnings,omitempty"`
}

// Synced is what became of the visible project folder.
type Synced struct {
	Status string   `json:"status"`
	Paths  []string `json:"paths,omitempty"`
	Reason string   `json:"reason,omitempty"`
	State  string   `json:"state_id,omitempty"`
	Branch string   `json:"branch,omitempty"`
	// Incomplete names what could not be taken in of the folder.
	Incomplete []Problem `json:"incomplete,omitempty"`
}

// The results of a sync.
const (
	SyncWritten = "synchronized"
	SyncAlready = "already_synchronized"
	SyncBlocked = "blocked"
	SyncAdopted = "adopted"
)

// Operation is one entry of the operation log.
type Operation struct {
	ID   string    `json:"id"`
	Seq  int64     `json:"seq"`
	Verb string    `json:"verb"`
	At   time.Time `json:"at"`
	// States are those that the operation recorded, in order.
	States []string `json:"states,omitempty"`
	// Attempt is the attempt that it was about.
	Attempt string `json:"attempt_id,omitempty"`
	// Undoes is the operation that this one reverses.
	Undoes string `json:"undoes,omitempty"`
}

// Facts are what is known of a state beside what its digest covers.
type Facts struct {
	// Origin is "external" for commits and edits that the user made.
	Origin string `json:"origin,omitempty"`
	// Incomplete names what the snapshot could not take.
	Incomplete []Problem `json:"incomplete,omitempty"`
	// Excluded names what was left out on purpose.
	Excluded []string `json:"excluded,omitempty"`
	// BaseTree and BaseState say from which accepted work the state's tree
	// derives where that is not its attempt's base.
	BaseTree  string `json:"base_tree,omitempty"`
	BaseState string `json:"base_state_id,omitempty"`
	// Conflicts are the paths that a refresh left with conflict markers.
	Conflicts []string `json:"conflicts,omitempty"`
	// Check is the evidence of the validation that a landing or a failure
	// rests on.
	Check string `json:"check_id,omitempty"`
	// Redactions counts what was replaced in the texts of the state.
	Redactions []Redaction `json:"redactions,omitempty"`
	// Head is the commit that the user's branch stood at.
	Head string `json:"head,omitempty"`
	// Rewritten is the commit that the user's branch stood at when it was found
	// not to continue this accepted state, nor to be part of what led to it.
	Rewritten string `json:"rewritten,omitempty"`
	// TakenFrom is the state of another machine whose work a checkpoint went on
	// from.
	TakenFrom string `json:"taken_from,omitempty"`
	// LeftFor is the accepted state that was followed in the place of this one,
	// which is on a line that was left.
	LeftFor string `json:"left_for,omitempty"`
}

// Origins of accepted states.
const (
	OriginExternal = "external"
	OriginAdopted  = "adopted"
)

// Completion is the final answer that an agent gave to a prompt.
type Completion struct {
	StateID       string    `json:"state_id"`
	Summary       string    `json:"summary"`
	FinalResponse string    `json:"final_response"`
	CompletedAt   time.Time `json:"completed_at"`
}

// Completed is what complete answers.
type Completed struct {
	Completion Completion  `json:"completion"`
	Redactions []Redaction `json:"redactions,omitempty"`
}

// Resumed is an attempt whose workspace is ready.
type Resumed struct {
	State     State    `json:"state"`
	Attempt   Attempt  `json:"attempt"`
	Workspace string   `json:"workspace"`
	Deliver   []string `json:"deliver"`
	// Recreated says that the workspace had to be made anew.
	Recreated bool `json:"recreated"`
	// TakenFrom is the attempt of another machine that this one goes on from.
	TakenFrom string `json:"taken_from,omitempty"`
}

// Refreshed is an attempt that was carried onto the accepted state of now.
type Refreshed struct {
	Checkpoint   State    `json:"checkpoint"`
	Before       string   `json:"before"`
	Task         Task     `json:"task"`
	Attempt      Attempt  `json:"attempt"`
	AcceptedHead State    `json:"accepted_head"`
	Workspace    string   `json:"workspace"`
	Deliver      []string `json:"deliver"`
	Conflicts    []string `json:"conflicts"`
}

// Shown is all that is known of one thing. Which fields are set depends on what
// the id names.
type Shown struct {
	State      *State      `json:"state,omitempty"`
	Facts      *Facts      `json:"facts,omitempty"`
	Task       *Task       `json:"task,omitempty"`
	Attempt    *Attempt    `json:"attempt,omitempty"`
	Check      *Check      `json:"check,omitempty"`
	Operation  *Operation  `json:"operation,omitempty"`
	Completion *Completion `json:"completion,omitempty"`
	States     []State     `json:"states,omitempty"`
	Attempts   []Attempt   `json:"attempts,omitempty"`
	Checks     []Check     `json:"checks,omitempty"`
	// LandedAs is the accepted state that took a proposal in; UndoneBy are the
	// operations that took an operation back.
	LandedAs string      `json:"landed_as,omitempty"`
	UndoneBy []Operation `json:"undone_by,omitempty"`
}

// Collected is what gc did.
type Collected struct {
	Scanned int `json:"scanned"`
	Parked  int `json:"parked"`
	Removed int `json:"removed"`
	// Pooled is how many of the removed ones are kept, emptied, for attempts to come.
	Pooled    int      `json:"pooled"`
	Refs      int      `json:"refs_dropped"`
	Reclaimed int64    `json:"reclaimed_bytes"`
	Preserved []string `json:"preserved,omitempty"`
}
