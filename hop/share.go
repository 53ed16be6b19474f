package hop

// Shared is what was exchanged with a remote.
type Shared struct {
	Remote string `json:"remote"`
	// Machine names this machine, as the others see it.
	Machine  string        `json:"machine_id"`
	Received []SharedPart  `json:"received"`
	Sent     []SharedPart  `json:"sent"`
	Refused  []SharedError `json:"refused,omitempty"`
	// Accepted is the accepted state of now, and AcceptedStatus how it stands to
	// that of the remote.
	Accepted       State    `json:"accepted"`
	AcceptedStatus string   `json:"accepted_status"`
	RemoteCommit   string   `json:"remote_commit,omitempty"`
	Warnings       []string `json:"warnings,omitempty"`
}

// What the accepted line can be beside that of a remote.
const (
	// AcceptedInStep is the same here and there.
	AcceptedInStep = "in_step"
	// AcceptedFounded says that the remote had none and has ours now.
	AcceptedFounded = "founded"
	// AcceptedFollowed says that ours moved on to the remote's.
	AcceptedFollowed = "followed"
	// AcceptedAhead says that something landed here that is not published.
	AcceptedAhead = "ahead"
	// AcceptedPublished says that the remote was behind and has ours now.
	AcceptedPublished = "published"
	// AcceptedDiverged says that something landed here and something else there.
	AcceptedDiverged = "diverged"
	// AcceptedUnknown says that the remote accepts what nobody recorded.
	AcceptedUnknown = "unknown"
)

// SharedPart is what came or went of one attempt, or of a machine's accepted
// line.
type SharedPart struct {
	Machine    string   `json:"machine_id"`
	Attempt    string   `json:"attempt_id,omitempty"`
	Operations int      `json:"operations"`
	States     []string `json:"states,omitempty"`
	Checks     []string `json:"checks,omitempty"`
}

// SharedError is a ref that was not exchanged, and why.
type SharedError struct {
	Ref    string `json:"ref"`
	Reason string `json:"reason"`
}

// Pushed is the accepted line on an ordinary branch of a remote.
type Pushed struct {
	Remote string `json:"remote"`
	Ref    string `json:"ref"`
	Commit string `json:"commit"`
	State  string `json:"state_id"`
	// Before is what the branch named; Status is "pushed" or "already_there".
	Before string `json:"before,omitempty"`
	Status string `json:"status"`
}

// The results of a push.
const (
	PushDone    = "pushed"
	PushAlready = "already_there"
)

// Purge is what was replaced in the states of this machine's attempts, and what
// could not be reached.
type Purge struct {
	// Operation is the one that recorded it, absent when nothing was replaced.
	Operation string `json:"operation_id,omitempty"`
	// Blobs are the contents that were looked for and found.
	Blobs []PurgedBlob `json:"blobs"`
	// States are those that have new objects, with their old ids.
	States []string `json:"states"`
	// Erased counts the objects that are gone for good.
	Erased int `json:"erased"`
	// Cleaned are files of workspaces that were put right.
	Cleaned []string `json:"cleaned,omitempty"`
	// Left names what still has the contents, or may have them.
	Left []string `json:"left"`
	// DryRun says that nothing was changed.
	DryRun bool `json:"dry_run,omitzero"`
}

// PurgedBlob is one content, where it was, and the fingerprints of the credentials
// in it.
type PurgedBlob struct {
	Blob         string   `json:"blob"`
	Paths        []string `json:"paths"`
	Fingerprints []string `json:"fingerprints,omitempty"`
}
