package hcpruntime

import (
	"context"

	"bridle/hcp"
	"bridle/internal/hcp/pipeline"
)

// Run groups the calls of one run of an agent, so that a host can cancel them
// together: no call starts after Cancel, and what runs is ended.
type Run struct {
	runtime *Runtime
	run     *pipeline.Run
}

// StartRun begins a run. It ends with ctx or with Cancel.
func (r *Runtime) StartRun(ctx context.Context) *Run { return &Run{r, r.pipeline.Start(ctx)} }

// Exec is Runtime.Exec within the run.
func (r *Run) Exec(id, key string, args hcp.Args) hcp.ExecResult {
	return r.runtime.run(pipeline.Call{PackID: id, Key: key, Args: args}, r.run.Exec)
}

// ExecApproved is Runtime.ExecApproved within the run.
func (r *Run) ExecApproved(id, key string, args hcp.Args, approval hcp.HostApproval) hcp.ExecResult {
	return r.runtime.run(pipeline.Call{PackID: id, Key: key, Args: args, Approval: &approval}, r.run.Exec)
}

// Cancel ends the run.
func (r *Run) Cancel(ctx context.Context) error { return public(r.run.Cancel(ctx)) }
