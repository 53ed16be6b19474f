package ledger

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"bridle/hop"
	"bridle/internal/kernel/fault"
)

// sample is a transaction with one record of every kind.
func sample() *Transaction {
	at := time.Date(2026, 11, 30, 10, 0, 0, 1, time.UTC)
	s := hop.State{
		ID: "C_06H2QKJ033E4FZFW77FFDWG", Kind: hop.KindCheckpoint, TaskID: "T_06H2QKHZQJX70XJR3FXCBQG", AttemptID: "AT_06H2QKHZQHT8Z4RKPYD06DG",
		SourceTree: "aa", GitCommit: "bb", Summary: "a<b \u2028 ü", CreatedAt: at,
		Parents: []hop.Parent{{StateID: "P_06H2QKHZQHWRPM6HKYC891R", Role: hop.RoleRunParent}},
	}
	s.Digest = s.Sum()
	return &Transaction{
		header: header{Version: Version, ID: "E_06H2QKHZKNWQZ6PHQ0MHQ70", Seq: 7, Verb: "checkpoint", At: formatTime(at), Attempt: s.AttemptID, Prev: "cc", Links: []string{"dd"}},
		Records: []Record{
			{State: &s},
			{Facts: &StateFacts{StateID: s.ID, Facts: hop.Facts{Incomplete: []hop.Problem{{Path: "x", Reason: "large"}}}}},
			{Task: &hop.Task{ID: s.TaskID, Title: "t", Status: hop.StatusActive, CreatedAt: at}},
			{Attempt: &hop.Attempt{ID: s.AttemptID, TaskID: s.TaskID, Workspace: "workspaces/" + s.AttemptID, HeadStateID: s.ID, Status: hop.StatusActive, CreatedAt: at}},
			{Check: &hop.Check{ID: "EVIDENCE_06H2QKJ03G4NX4EBD567860", AttemptID: s.AttemptID, Command: []string{"true"}, CreatedAt: at, TimedOut: true, DurationMS: 3}},
			{Session: &Session{Agent: "a", ID: "s", Attempt: s.AttemptID, State: s.ID}},
			{Completion: &hop.Completion{StateID: s.ID, FinalResponse: "done", CompletedAt: at}},
			{Accepted: "A_06H2QKHZK3403ADY83D09D8"},
			{Purged: &Purged{Objects: []Replaced{{"blob", strings.Repeat("a", 40), strings.Repeat("b", 40)}}}},
		},
	}
}

func TestTransactionsReadBackAsTheyWereWritten(t *testing.T) {
	data, err := sample().encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := read.encode()
	if err != nil || !bytes.Equal(again, data) {
		t.Fatalf("%s\nbecame\n%s\n%v", data, again, err)
	}
}

func TestRecordsThatAreNotExactlyRightAreRefused(t *testing.T) {
	data, err := sample().encode()
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	lines := strings.SplitAfter(good, "\n")
	for name, bad := range map[string]string{
		"empty":                   "",
		"no operation":            lines[1],
		"two operations":          good + lines[0],
		"no line feed at the end": strings.TrimSuffix(good, "\n"),
		"not canonical":           strings.Replace(good, `{"operation":`, `{ "operation":`, 1),
		"unknown member":          lines[0] + `{"other":1}` + "\n",
		"no member":               lines[0] + "{}\n",
		"two members":             lines[0] + strings.TrimSuffix(lines[3], "}\n") + `,"accepted":"A_06H2QKHZK3403ADY83D09D8"}` + "\n",
		"duplicate member":        lines[0] + `{"accepted":"A_06H2QKHZK3403ADY83D09D8","accepted":"A_06H2QKHZK3403ADY83D09D8"}` + "\n",
		"changed state":           strings.Replace(good, `"summary":"a<b`, `"summary":"b<b`, 1),
		"state of another kind":   strings.Replace(good, `"kind":"checkpoint"`, `"kind":"proposal"`, 1),
		"accepts a checkpoint":    lines[0] + `{"accepted":"C_06H2QKJ033E4FZFW77FFDWG"}` + "\n",
		"workspace leads out":     strings.Replace(good, `"workspace":"workspaces/`, `"workspace":"../`, 1),
		"absolute workspace":      strings.Replace(good, `"workspace":"workspaces/`, `"workspace":"/`, 1),
		"no time":                 strings.Replace(good, `"at":"2026`, `"at":"x`, 1),
		"no number":               strings.Replace(good, `"seq":7`, `"seq":0`, 1),
		"session without agent":   strings.Replace(good, `"agent":"a","attempt_id"`, `"agent":"","attempt_id"`, 1),
	} {
		if bad == good {
			t.Errorf("%s: the test changes nothing", name)
		}
		if _, err := Decode([]byte(bad)); !fault.Is(err, CodeBadRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, err := sample().encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	for line := range bytes.Lines(data) {
		f.Add(bytes.Clone(line))
	}
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := Decode(data)
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		again, err := read.encode()
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%q became %q, %v", data, again, err)
		}
	})
}
