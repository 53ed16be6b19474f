package op

import (
	"errors"

	"bridle/hop"
	"bridle/internal/kernel/fault"
)

// Codes of this package's faults.
const (
	CodeUsage        = "usage"
	CodeNoProject    = "no_project"
	CodeWrongKind    = "wrong_kind"
	CodeNoAttempt    = "no_attempt"
	CodeOverlap      = "overlap"
	CodeValidation   = "validation_failed"
	CodeCheckFailed  = "check_failed"
	CodeIncomplete   = "incomplete_snapshot"
	CodeUnsafeRoot   = "unsafe_root"
	CodeNothing      = "nothing_to_do"
	CodeCredential   = "credential_refused"
	CodeNoWorkspace  = "workspace_missing"
	CodeCommandStart = "command_not_started"
	CodeClosed       = "attempt_closed"
	CodeInValidation = "in_validation"
	CodeTracked      = "hop_folder_tracked"
	// CodeReplaced marks a project folder and a repository that do not belong together.
	CodeReplaced = "repository_replaced"
)

// usage is a fault of the command line.
func usage(format string, args ...any) *fault.Error {
	return fault.Newf(CodeUsage, format, args...).WithExit(hop.ExitUsage)
}

// Details are facts beside the sentence of a fault, for programs. They are the
// fault's cause.
type Details struct {
	// Overlap says on which paths a landing is blocked.
	Overlap *hop.Overlap
	// Check is the evidence of the failed command.
	Check *hop.Check
	// State is the id of the state that records the failure.
	State string
	// Paths are those that the fault is about.
	Paths []string
	// Snippet is what a person would have to write by hand.
	Snippet string
	// Fingerprints name credentials that were found, without telling them.
	Fingerprints []string
	// Refusals are the proposals of a batch that did not land.
	Refusals []hop.Refusal
}

// Error makes the details the cause of a fault; nobody is shown it.
func (d *Details) Error() string { return "see the details" }

// DetailsOf returns the details that an error carries, or empty ones.
func DetailsOf(err error) Details {
	if d, ok := errors.AsType[*Details](err); ok {
		return *d
	}
	return Details{}
}
