package pipeline

import (
	"context"
	"encoding/json"
	"sync"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/command"
)

// tell hands the call's record to the host (RFC 0007). What the host does with
// it cannot disturb the call.
func (p *Pipeline) tell(c *call, status hcp.CallStatus, result json.RawMessage) {
	if p.o.Calls == nil {
		return
	}
	record := hcp.CallRecord{CallID: c.id, PackID: c.PackID, VerbKey: c.Key, Effect: c.entry.Operation, Status: status, Locations: c.locations()}
	if c.pack != nil {
		if titles := command.Title(&c.pack.Manifest, c.Key, c.args, result); titles != nil {
			record.Title = titles.Live
			if status == hcp.CallCompleted {
				record.Title = titles.Done
			}
		}
	}
	defer func() { _ = recover() }()
	p.o.Calls(record)
}

// locations are the files that the words of the command name.
func (c *call) locations() []string {
	var paths []string
	for _, token := range c.argv.Tokens {
		if _, rel, ok := command.WorkspaceRef(token.Text); ok {
			paths = append(paths, rel)
		} else if token.File {
			paths = append(paths, token.Text[token.FileAt:])
		}
	}
	return paths
}

func refusedStatus(code string) hcp.CallStatus {
	switch code {
	case access.CodeConfirmRequired:
		return hcp.CallAwaitingApproval
	case adapter.CodeCanceled:
		return hcp.CallCancelled
	}
	return hcp.CallRefused
}

func endedStatus(r *hcp.ExecResult) hcp.CallStatus {
	switch {
	case r.OK:
		return hcp.CallCompleted
	case r.Code == adapter.CodeCanceled:
		return hcp.CallCancelled
	case r.ApprovalID != "" || r.Approval != nil:
		return hcp.CallAwaitingApproval // a call inside this one
	}
	return hcp.CallFailed
}

// Run groups the calls of one run of an agent, so that they can be cancelled
// together (RFC 0007): no call starts after Cancel, what runs is ended, and
// requests for approval that the run left open are answered as cancelled.
type Run struct {
	pipeline *Pipeline
	ctx      context.Context
	cancel   context.CancelFunc

	mu   sync.Mutex
	open map[string]bool // requests for approval
}

// Start begins a run. It ends with ctx or with Cancel.
func (p *Pipeline) Start(ctx context.Context) *Run {
	r := &Run{pipeline: p, open: map[string]bool{}}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// Exec is Pipeline.Exec within the run.
func (r *Run) Exec(request Call) hcp.ExecResult {
	result := r.pipeline.Exec(r.ctx, request)
	if result.ApprovalID == "" {
		return result
	}
	r.mu.Lock()
	over := r.ctx.Err() != nil
	if !over {
		r.open[result.ApprovalID] = true
	}
	r.mu.Unlock()
	if over {
		// Asked while the run was being cancelled.
		if err := r.pipeline.o.Approvals.Cancel(context.WithoutCancel(r.ctx), result.ApprovalID); err != nil {
			result.Notes = append(result.Notes, "the request for approval could not be cancelled: "+reason(err))
		}
	}
	return result
}

// Cancel ends the run. The error is the first of the requests that could not be
// cancelled; the run has ended all the same.
func (r *Run) Cancel(ctx context.Context) error {
	r.mu.Lock()
	r.cancel()
	open := r.open
	r.open = map[string]bool{}
	r.mu.Unlock()
	var first error
	for id := range open {
		if err := r.pipeline.o.Approvals.Cancel(ctx, id); err != nil && first == nil {
			first = err
		}
	}
	return first
}
