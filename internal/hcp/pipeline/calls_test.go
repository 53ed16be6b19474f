package pipeline

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/journal"
)

// told is a world that remembers the records of its calls.
func told(t *testing.T) (*world, *[]hcp.CallRecord) {
	w := newWorld(t)
	records := &[]hcp.CallRecord{}
	w.options.Calls = func(r hcp.CallRecord) { *records = append(*records, r) }
	list, _ := w.packs["desk"].Manifest.Verbs.Get("list")
	list.Title = &hcp.Title{Live: hcp.Templates{"Listing for {{to}}", "Listing"}, Done: hcp.Templates{"Listed {{result.count}}", "Listed"}}
	w.packs["desk"].Manifest.Verbs.Set("list", list)
	return w, records
}

func TestHostIsToldWhatHappensToACall(t *testing.T) {
	type line struct {
		status hcp.CallStatus
		title  string
		effect hcp.Operation
	}
	const read, write = hcp.OperationRead, hcp.OperationWrite
	for _, c := range []struct {
		name, pack, key string
		args            hcp.Args
		outcome         adapter.Outcome
		want            []line
	}{
		{
			"completed", "desk", "list",
			hcp.Args{"to": "ann"},
			adapter.Outcome{Started: true, Value: json.RawMessage(`{"count":3}`)},
			[]line{{hcp.CallRunning, "Listing for ann", read}, {hcp.CallCompleted, "Listed 3", read}},
		},
		{
			"failed", "desk", "list", nil,
			adapter.Outcome{Started: true, Failure: fault.New("command_failed", "no")},
			[]line{{hcp.CallRunning, "Listing", read}, {hcp.CallFailed, "Listing", read}},
		},
		{
			"cancelled", "desk", "list", nil,
			adapter.Outcome{Started: true, Failure: fault.New("canceled", "cancelled")},
			[]line{{hcp.CallRunning, "Listing", read}, {hcp.CallCancelled, "Listing", read}},
		},
		{"asks", "desk", "pay", nil, adapter.Outcome{}, []line{{hcp.CallAwaitingApproval, "", write}}},
		{"refused", "desk", "list", hcp.Args{"x": "y"}, adapter.Outcome{}, []line{{hcp.CallRefused, "Listing", read}}},
		{"unknown", "dsk", "list", nil, adapter.Outcome{}, []line{{hcp.CallRefused, "", ""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, records := told(t)
			w.run = func(context.Context, adapter.Request) adapter.Outcome { return c.outcome }
			result := w.exec(c.pack, c.key, c.args)
			var got []line
			for _, r := range *records {
				got = append(got, line{r.Status, r.Title, r.Effect})
				if r.CallID == "" || r.CallID != result.CallID || r.PackID != c.pack || r.VerbKey != c.key {
					t.Errorf("%+v", r)
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if w.audit.events[0].CallID != result.CallID {
				t.Error("the audit log knows the call by another id")
			}
		})
	}
}

func TestHostCannotDisturbACall(t *testing.T) {
	w := newWorld(t)
	w.options.Calls = func(hcp.CallRecord) { panic("a defect of the host") }
	if r := w.exec("desk", "list", nil); !r.OK {
		t.Fatalf("%+v", r)
	}
}

func TestNothingStartsAfterTheContextEnded(t *testing.T) {
	var steps []string
	for _, s := range road() {
		steps = append(steps, s.name)
	}
	for at := range steps {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(context.Background())
		p := w.pipeline()
		seen := 0
		p.entered = func(string) {
			if seen == at {
				cancel()
			}
			seen++
		}
		r := p.Exec(ctx, Call{PackID: "desk", Key: "send"})
		cancel()
		if at == len(steps)-1 {
			continue // the command had begun
		}
		if r.OK || r.Code != adapter.CodeCanceled || seen != at+1 || len(w.runs) != 0 {
			t.Errorf("cancelled at step %d: %d steps, %+v", at, seen, r)
		}
	}
}

func TestCancelledRunStartsNothingAndClosesItsQuestions(t *testing.T) {
	w := newWorld(t)
	approvals := &approvalsDouble{}
	w.options.Approvals = approvals
	run := w.pipeline().Start(t.Context())
	if r := run.Exec(Call{PackID: "desk", Key: "list"}); !r.OK {
		t.Fatalf("%+v", r)
	}
	if r := run.Exec(Call{PackID: "desk", Key: "pay"}); r.ApprovalID != "asked-1" {
		t.Fatalf("%+v", r)
	}
	if err := run.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(approvals.cancelled, []string{"asked-1"}) {
		t.Errorf("cancelled %v", approvals.cancelled)
	}
	for _, key := range []string{"list", "pay"} {
		if r := run.Exec(Call{PackID: "desk", Key: key}); r.Code != adapter.CodeCanceled || r.ApprovalID != "" {
			t.Errorf("%s: %+v", key, r)
		}
	}
	if len(w.runs) != 1 {
		t.Errorf("%d calls ran", len(w.runs))
	}
	if err := run.Cancel(t.Context()); err != nil || len(approvals.cancelled) != 1 {
		t.Errorf("a second Cancel: %v, %v", err, approvals.cancelled)
	}
}

func TestACallThatIsCancelledWhileItAsksAnswersItsQuestionAsCancelled(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	approvals := &approvalsDouble{asking: cancel}
	w.options.Approvals = approvals
	r := w.pipeline().Exec(ctx, Call{PackID: "desk", Key: "pay"})
	if r.OK || r.Code != adapter.CodeCanceled || r.ApprovalID != "" || r.Approval != nil || !slices.Equal(approvals.cancelled, []string{"asked-1"}) {
		t.Errorf("%+v, cancelled %v", r, approvals.cancelled)
	}
}

func TestCancelEndsWhatRuns(t *testing.T) {
	w := newWorld(t)
	var run *Run
	w.run = func(ctx context.Context, _ adapter.Request) adapter.Outcome {
		if err := run.Cancel(context.Background()); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		return adapter.Outcome{Started: true, Failure: fault.New(adapter.CodeCanceled, "cancelled")}
	}
	run = w.pipeline().Start(t.Context())
	if r := run.Exec(Call{PackID: "desk", Key: "list"}); r.Code != adapter.CodeCanceled {
		t.Fatalf("%+v", r)
	}
}

func TestLogIsAChainOfLinesThatAWriteWaitsFor(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	j, err := journal.Open(path, journal.Options{Holder: "test"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.options.Audit = Log(j)
	w.exec("desk", "list", hcp.Args{"to": "ann"})
	w.exec("desk", "send", hcp.Args{"to": "ann"})
	w.exec("desk", "pay", nil)
	report, err := journal.Verify(path)
	if err != nil {
		t.Fatalf("%+v, %v", report, err)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Count(string(data), "\n") != 4 || strings.Contains(string(data), "ann") {
		t.Fatalf("%v\n%s", err, data)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	// A log that is a directory can be written by nobody, root included.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	runs := len(w.runs)
	if r := w.exec("desk", "send", nil); r.Code != CodeAuditUnavailable || len(w.runs) != runs {
		t.Fatalf("%+v", r)
	}
}
