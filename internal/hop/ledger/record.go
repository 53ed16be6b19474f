package ledger

import (
	"bytes"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// Version is the version of the records that this program writes. It reads no
// newer one.
const Version = 1

// Codes of this package's faults.
const (
	CodeBadRecord    = "bad_record"
	CodeNewer        = "newer_project"
	CodeUnknownState = "unknown_state"
	CodeHeadChanged  = "head_changed"
	CodeIndexBroken  = "index_broken"
	CodeNoProject    = "no_project"
	CodeDiverged     = "ledger_diverged"
)

// maxRecords bounds one transaction: a prompt of 16 MiB, escaped, and more.
const maxRecords = 128 << 20

// header is the first line of a transaction.
type header struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Seq     int64  `json:"seq"`
	Verb    string `json:"verb"`
	At      string `json:"at"`
	Attempt string `json:"attempt_id,omitempty"`
	Undoes  string `json:"undoes,omitempty"`
	// Prev is the ledger commit before this one in its ref.
	Prev string `json:"prev,omitempty"`
	// Links are ledger commits in other refs that this one builds on, so that they
	// stay reachable when their own ref is lost.
	Links []string `json:"links,omitempty"`
}

// Session binds a session of an agent's client to the attempt that goes on in
// it.
type Session struct {
	Agent   string `json:"agent"`
	ID      string `json:"session_id"`
	Attempt string `json:"attempt_id"`
	State   string `json:"state_id"`
}

// Record is one line of a transaction. Exactly one member is set.
type Record struct {
	Operation  *header         `json:"operation,omitempty"`
	State      *hop.State      `json:"state,omitempty"`
	Facts      *StateFacts     `json:"facts,omitempty"`
	Task       *hop.Task       `json:"task,omitempty"`
	Attempt    *hop.Attempt    `json:"attempt,omitempty"`
	Check      *hop.Check      `json:"check,omitempty"`
	Session    *Session        `json:"session,omitempty"`
	Completion *hop.Completion `json:"completion,omitempty"`
	// Accepted is the state that became the accepted head.
	Accepted string `json:"accepted,omitempty"`
	// Purged says which objects were replaced by others.
	Purged *Purged `json:"purged,omitempty"`
}

// StateFacts are the facts of one state.
type StateFacts struct {
	StateID string `json:"state_id"`
	hop.Facts
}

// Transaction is what one operation recorded.
type Transaction struct {
	header
	Records []Record
}

// encode writes a transaction as lines of canonical JSON.
func (t *Transaction) encode() ([]byte, error) {
	var out bytes.Buffer
	for _, r := range append([]Record{{Operation: &t.header}}, t.Records...) {
		line, err := canon.Encode(r)
		if err != nil {
			return nil, fault.New(CodeBadRecord, "a record cannot be written").Because(err)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// Decode reads a transaction and checks every record by itself: the form, the
// ids, the digests. It does not look at other transactions.
func Decode(data []byte) (*Transaction, error) {
	if len(data) > maxRecords {
		return nil, badRecord(0, "it is too large", nil)
	}
	var t *Transaction
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if !bytes.HasSuffix(line, []byte("\n")) {
			return nil, badRecord(number, "it does not end with a line feed", nil)
		}
		record, err := decodeLine(line, number)
		if err != nil {
			return nil, err
		}
		switch {
		case number == 1 && record.Operation == nil:
			return nil, badRecord(number, "it is no operation", nil)
		case number == 1:
			t = &Transaction{header: *record.Operation}
		case record.Operation != nil:
			return nil, badRecord(number, "it is a second operation", nil)
		default:
			t.Records = append(t.Records, record)
		}
	}
	if t == nil {
		return nil, badRecord(0, "it is empty", nil)
	}
	return t, nil
}

func decodeLine(line []byte, number int) (Record, error) {
	var r Record
	limits := canon.Limits{MaxBytes: maxRecords}
	if err := versionOf(line, number, limits); err != nil {
		return r, err
	}
	if err := canon.Decode(bytes.TrimSuffix(line, []byte("\n")), &r, limits); err != nil {
		return r, badRecord(number, "it is not a record", err)
	}
	if reason := r.fault(); reason != "" {
		return r, badRecord(number, reason, nil)
	}
	again, err := canon.Encode(r)
	if err != nil || !bytes.Equal(again, bytes.TrimSuffix(line, []byte("\n"))) {
		return r, badRecord(number, "it is not in canonical form", err)
	}
	return r, nil
}

// versionOf refuses the transactions of newer programs before their records are
// looked at, which may have members that this program does not know.
func versionOf(line []byte, number int, limits canon.Limits) error {
	if number != 1 {
		return nil
	}
	var first struct {
		Operation struct {
			Version int `json:"version"`
		} `json:"operation"`
	}
	if _, err := canon.DecodeOpen(bytes.TrimSuffix(line, []byte("\n")), &first, limits); err != nil {
		return badRecord(number, "it is not a record", err)
	}
	if first.Operation.Version > Version {
		return fault.Newf(CodeNewer, "this project has records of version %d, and this program reads up to %d", first.Operation.Version, Version).
			WithHint("use a newer hop")
	}
	return nil
}

// fault says what is wrong with a record, or nothing.
func (r *Record) fault() string {
	set := 0
	for _, present := range []bool{
		r.Operation != nil, r.State != nil, r.Facts != nil, r.Task != nil, r.Attempt != nil,
		r.Check != nil, r.Session != nil, r.Completion != nil, r.Accepted != "", r.Purged != nil,
	} {
		if present {
			set++
		}
	}
	switch {
	case set != 1:
		return "it does not have exactly one member"
	case r.Operation != nil:
		return r.Operation.fault()
	case r.State != nil:
		return stateFault(r.State)
	case r.Purged != nil:
		return r.Purged.fault()
	case r.Facts != nil && !isState(r.Facts.StateID), r.Completion != nil && !isState(r.Completion.StateID):
		return "it is about no state"
	case r.Accepted != "":
		if kind, _ := hop.KindOf(r.Accepted); kind != hop.KindAccepted {
			return "it accepts what is no accepted state"
		}
		return ""
	}
	return r.idFault()
}

// idFault checks the ids of what is no state.
func (r *Record) idFault() string {
	switch {
	case r.Task != nil:
		return idFault(r.Task.ID, hop.PrefixTask)
	case r.Check != nil:
		return idFault(r.Check.ID, hop.PrefixEvidence)
	case r.Session != nil:
		if r.Session.Agent == "" || r.Session.ID == "" {
			return "a session has an agent and an id"
		}
		return idFault(r.Session.Attempt, hop.PrefixAttempt)
	case r.Attempt != nil:
		w := r.Attempt.Workspace
		if w != "" && (strings.HasPrefix(w, "/") || slices.Contains(strings.Split(w, "/"), "..")) {
			return "a workspace is named relative to the project's own folder"
		}
		if why := idFault(r.Attempt.TaskID, hop.PrefixTask); why != "" {
			return why
		}
		return idFault(r.Attempt.ID, hop.PrefixAttempt)
	default:
		return ""
	}
}

func (h *header) fault() string {
	if h.Version < 1 || h.Seq < 1 || h.Verb == "" {
		return "an operation has a version, a number and a verb"
	}
	if _, err := parseTime(h.At); err != nil {
		return "its time is not RFC 3339"
	}
	return idFault(h.ID, hop.PrefixEvent)
}

func stateFault(s *hop.State) string {
	if kind, ok := hop.KindOf(s.ID); !ok || kind != s.Kind {
		return "its id does not name a state of its kind"
	}
	if s.Digest != s.Sum() {
		return "its digest is not that of its content"
	}
	return ""
}

func isState(id string) bool {
	_, ok := hop.KindOf(id)
	return ok
}

func idFault(id, prefix string) string {
	if got, _, ok := hop.ParseID(id); !ok || got != prefix {
		return "its id has the wrong form"
	}
	return ""
}

func badRecord(line int, reason string, cause error) error {
	f := fault.Newf(CodeBadRecord, "line %d of a ledger transaction is refused: %s", line, reason)
	if cause != nil {
		f.Message += ": " + cause.Error()
	}
	return f.Because(cause).WithHint("hop doctor tells which transaction it is")
}
