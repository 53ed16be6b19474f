package hcpruntime

import (
	"context"
	"sync"

	"bridle/hcp"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/fault"
)

// CodeClosed is a call of a runtime after its Close.
const CodeClosed = "runtime_closed"

// lifetime lets no call begin after the end, and puts the end off until the
// calls that have begun are over: they work in folders that it removes. Nobody
// waits for it, so that a command may close the runtime that runs it.
type lifetime struct {
	end func() error

	mu     sync.Mutex
	calls  int
	closed bool
}

func (l *lifetime) enter() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fault.New(CodeClosed, "the runtime is closed").
			WithHint("nothing ran; create another runtime, or close this one later")
	}
	l.calls++
	return nil
}

func (l *lifetime) leave() {
	l.mu.Lock()
	l.calls--
	over := l.closed && l.calls == 0
	l.mu.Unlock()
	if over {
		_ = l.end() // nobody is there to be told; what stays lies in a temporary folder
	}
}

func (l *lifetime) close() error {
	l.mu.Lock()
	again, over := l.closed, l.calls == 0
	l.closed = true
	l.mu.Unlock()
	if again || !over {
		return nil
	}
	return l.end()
}

// run runs a call by exec as long as the runtime is open.
func (r *Runtime) run(call pipeline.Call, exec func(pipeline.Call) hcp.ExecResult) hcp.ExecResult {
	if err := r.life.enter(); err != nil {
		return pipeline.Refusal(call, err)
	}
	defer r.life.leave()
	return exec(call)
}

func (r *Runtime) exec(ctx context.Context, call pipeline.Call) hcp.ExecResult {
	return r.run(call, func(call pipeline.Call) hcp.ExecResult { return r.pipeline.Exec(ctx, call) })
}
